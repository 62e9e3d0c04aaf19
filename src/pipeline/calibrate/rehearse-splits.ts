import { raggedRows } from '../../numeric/ragged-rows.js';
import { seededGenerator } from '../../numeric/random/seeded-generator.js';
import { prepareCalibration, prepareRuns, type RunSuite, splitRuns, type TargetJob } from './target-runs.js';

/** Questions of the made-up target, and the options of each. */
const EXAMPLES = 1000;
const OPTIONS = 4;
const REFERENCES = 3;
/** Splits in all: V8 has compiled nearly everything by then. */
const SPLITS = 12;

/**
 * Calibrates a made-up target, split by split, until there is real work: V8 compiles what runs often, which takes a
 * thread longer than the splits of a small target themselves. Scores are still being read meanwhile, and the thread
 * would do nothing.
 *
 * @param called whether there is real work
 */
export async function rehearseSplits(suite: RunSuite, called: () => boolean): Promise<void> {
  const made = madeUpJob(suite);
  // Real jobs come from another thread, and code is compiled for objects that are made as those are.
  const job = structuredClone({ ...made, prepared: prepareCalibration(made).examples });
  for (let n = 0; n < SPLITS && !called(); n++) {
    const { splits } = job;
    splitRuns(job, prepareRuns(job), splits[n % splits.length]!);
    // A call is heard when this thread lets go.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function madeUpJob(suite: RunSuite): TargetJob {
  const generator = seededGenerator(1);
  const random = () => (generator.next() >>> 0) / 2 ** 32;
  const labels = Int32Array.from({ length: EXAMPLES }, () => Math.floor(OPTIONS * random()));
  const logits = (sharpness: number) =>
    raggedRows(
      Array.from(labels, (label) =>
        Array.from({ length: OPTIONS }, (_, k) => sharpness * ((k === label ? 1 : 0) + 2 * random() - 1)),
      ),
    );
  const rows = Int32Array.from(labels, (_, n) => n);
  return {
    suite,
    dataset: '',
    target: '',
    ownBase: '',
    aligned: {
      targetLogits: logits(8),
      ownBaseLogits: logits(1),
      references: Array.from({ length: REFERENCES }, (_, r) => ({ id: `${r}`, logits: logits(1) })),
      labels,
    },
    asked: { inputs: { rotationLogits: null }, ways: [] },
    combinationSizes: [1, 2],
    keepExamples: false,
    splits: [0, 1].map((seed) => ({
      seed,
      calibration: rows.filter((n) => (n + seed) % 10 < 3),
      evaluation: rows.filter((n) => (n + seed) % 10 >= 3),
    })),
  };
}
