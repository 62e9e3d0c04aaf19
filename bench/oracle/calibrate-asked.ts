import { readFileSync } from 'node:fs';
import { type ScoreTable, scoreTable } from '../../src/cache/table/score-table.js';
import { loadModels } from '../../src/config/load-models.js';
import { planSuite } from '../../src/config/plan-suite.js';
import type { ModelRow } from '../../src/contract/scored-row.js';
import { elicitation } from '../../src/pipeline/asking/elicitation.js';
import { elicitationEnsemble } from '../../src/pipeline/asking/elicitation-ensemble.js';
import { pTrue } from '../../src/pipeline/asking/p-true.js';
import { rotations } from '../../src/pipeline/asking/rotations.js';
import { calibrateDataset } from '../../src/pipeline/calibrate/calibrate-dataset.js';
import { splitsJson } from '../../src/pipeline/calibrate/splits-json.js';
import { joinScores } from '../../src/pipeline/join/dataset-scores.js';

type Rows<T> = Readonly<Record<string, T>>;
/** Samples of one example: [option, percent], or null where a reply could not be read. */
type Replies = Rows<ReadonlyArray<readonly [number, number] | null>>;

/** One data set: logits by model and id, and by target what it was asked beside its plain prompts. */
interface Given {
  readonly dataset: string;
  readonly models: Rows<Rows<number[]>>;
  readonly labels: Rows<number | null>;
  /** K x K logits: under every order of the options. */
  readonly rotated: Rows<Rows<number[][]>>;
  readonly replies: Rows<Readonly<Record<'elicitation' | 'elicitation-ensemble', Replies>>>;
  /** 2 K logits: "right" and "not right" for each option. */
  readonly truth: Rows<Rows<number[]>>;
}

/**
 * Prints by suite {runs, comparisons, splits} of the given data sets, calibrated from a JSON file {models, suites,
 * datasets}.
 */
const {
  models: file,
  suites,
  datasets,
} = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as {
  readonly models: string;
  readonly suites: readonly string[];
  readonly datasets: readonly Given[];
};
const printed: Record<string, unknown> = {};
for (const suite of suites) printed[suite] = await calibrateAll(suite);
process.stdout.write(JSON.stringify(printed));

async function calibrateAll(suite: string) {
  const plan = planSuite(await loadModels(file), { suite, bootstrap: 500 });
  const runs: unknown[] = [];
  const comparisons: unknown[] = [];
  const splits: Record<string, unknown> = {};
  for (const given of datasets) {
    const tables = new Map(
      Object.entries(given.models).map(([model, rows]) => [model, table(Object.entries(rows), given.labels)]),
    );
    const scores = joinScores(given.dataset, null, tables);
    const rotated = new Map(
      Object.entries(given.rotated).map(([target, rows]) => {
        const flat = Object.entries(rows).map(([id, each]) => [id, each.flat()] as const);
        const ofId = new Map(flat.map(([id], row) => [id, row]));
        const rowOfExample = Int32Array.from(scores.ids, (id) => ofId.get(id) ?? -1);
        return [target, { table: table(flat), rowOfExample, facts: {} }];
      }),
    );
    const byId = (tables: ReadonlyArray<readonly [string, ScoreTable]>) =>
      new Map(tables.map(([target, each]) => [target, { table: each, rowOfExample: null, facts: {} }]));
    const replies = (kind: keyof Given['replies'][string]) =>
      byId(Object.entries(given.replies).map(([target, kinds]) => [target, replyTable(kinds[kind])]));
    const truth = Object.keys(given.replies).map(
      (target) => [target, table(Object.entries(given.truth[target] ?? {}))] as const,
    );
    const asked = [
      { way: rotations, targets: rotated },
      { way: elicitation, targets: replies('elicitation') },
      { way: elicitationEnsemble, targets: replies('elicitation-ensemble') },
      { way: pTrue, targets: byId(truth) },
    ];
    const calibrated = await calibrateDataset({ suite: plan, scores, asked });
    runs.push(...calibrated.runs);
    comparisons.push(...calibrated.comparisons);
    Object.assign(splits, JSON.parse(Buffer.from(splitsJson([calibrated.splits])).toString('utf8')));
  }
  return { runs, comparisons, splits };
}

function table(rows: ReadonlyArray<readonly [string, number[]]>, labels?: Rows<number | null>): ScoreTable {
  return scoreTable(
    rows.map(([id, logits]) => ({ status: 'ok', id, logits, logZ: NaN, optionMass: NaN, promptTokens: 0 })),
    labels ? Int32Array.from(rows, ([id]) => labels[id] ?? -1) : null,
  );
}

function replyTable(replies: Replies): ScoreTable {
  return scoreTable(
    Object.entries(replies).flatMap(([id, samples]) => samples.map((sample, s) => replyRow(`${id}#${s}`, sample))),
  );
}

function replyRow(id: string, sample: readonly [number, number] | null): ModelRow {
  const [answer, confidence] = sample ?? [-1, Number.NaN];
  const verdict = sample === null ? 'no-answer' : 'parsed';
  const parsed = { verdict, answer, confidence } as const;
  return { status: 'replied', id, text: '', replyTokens: 1, ended: true, seed: 0, promptTokens: 0, parsed };
}
