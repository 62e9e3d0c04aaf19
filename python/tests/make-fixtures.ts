import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { calibrateTarget } from '../../src/calibration/calibrate-target.js';
import { ece } from '../../src/metrics/ece.js';
import { raggedRows } from '../../src/numeric/ragged-rows.js';
import { seededGenerator } from '../../src/numeric/random/seeded-generator.js';
import { softmax } from '../../src/numeric/softmax.js';

const METHODS = ['daca', 'full-kl', 'relative-only', 'supportcal', 'oracle-ts'];
const SIZES = [1, 2];

/** Shapes of cases: how many questions, how many options (0: two to five, by question), how wide the logits are. */
const SHAPES = [
  { count: 40, options: 4, scale: 3 },
  { count: 200, options: 4, scale: 12 },
  { count: 60, options: 2, scale: 1 },
  { count: 80, options: 0, scale: 5 },
  { count: 25, options: 3, scale: 60 },
] as const;

/**
 * Cases with what the TypeScript side makes of them; the Python package must come to the same numbers within 1e-12.
 * Logits have three decimals, so that both sides read the same numbers.
 */
export function sharedFixtures() {
  return {
    note: 'written by python/tests/make-fixtures.ts: npx tsx python/tests/make-fixtures.ts',
    cases: SHAPES.map((shape, n) => fixtureCase(shape, seededGenerator(100 + n))),
  };
}

function fixtureCase({ count, options, scale }: (typeof SHAPES)[number], random: ReturnType<typeof seededGenerator>) {
  const uniform = () => (random.next() >>> 0) / 2 ** 32;
  const sizes = Array.from({ length: count }, () => options || 2 + Math.floor(4 * uniform()));
  const block = (width: number) =>
    sizes.map((size) => Array.from({ length: size }, () => Number((width * (uniform() - 0.5)).toFixed(3))));
  const target = block(2 * scale);
  const ownBase = block(scale);
  const references = { a: block(scale), b: block(scale), c: block(2 * scale) };
  const labels = sizes.map((size) => Math.floor(size * uniform()));
  const prepared = calibrateTarget({
    targetLogits: raggedRows(target),
    ownBaseLogits: raggedRows(ownBase),
    references: Object.entries(references).map(([id, rows]) => ({ id, logits: raggedRows(rows) })),
    labels: Int32Array.from(labels),
    methods: METHODS,
    combinationSizes: SIZES,
  });
  const { outcomes, disagreementCount } = prepared.fit(Int32Array.from(sizes.keys()));
  const confidences = target.map((row) => Math.max(...softmax(row)));
  const correct = target.map((row, n) => row.indexOf(Math.max(...row)) === labels[n]);
  return {
    ...{ target, ownBase, references, labels, disagreementCount },
    outcomes: outcomes.map(({ method, combinationSize, outcome, selectedReferences, disagreementSupport }) => ({
      ...{ method, combinationSize, selectedReferences, disagreementSupport, kind: outcome.kind },
      inverseTemperature: outcome.kind === 'finite' ? outcome.inverseTemperature : null,
      margin: outcome.weightedBoundaryMargin,
    })),
    probabilities: target.slice(0, 5).map((row) => [...softmax(row, 0.37)]),
    ece: ece(confidences, correct),
  };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const file = new URL('./fixtures.json', import.meta.url);
  writeFileSync(file, `${JSON.stringify(sharedFixtures())}\n`);
}
