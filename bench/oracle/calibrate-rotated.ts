import { readFileSync } from 'node:fs';
import { type ScoreTable, scoreTable } from '../../src/cache/score-table.js';
import { loadModels } from '../../src/config/load-models.js';
import { planSuite } from '../../src/config/plan-suite.js';
import { calibrateDataset } from '../../src/pipeline/calibrate-dataset.js';
import { joinScores } from '../../src/pipeline/dataset-scores.js';
import { splitsJson } from '../../src/pipeline/splits-json.js';

type Rows<T> = Readonly<Record<string, T>>;

/** One data set: logits by model and id, and those under every order of the options by target and id. */
interface Given {
  readonly dataset: string;
  readonly models: Rows<Rows<number[]>>;
  readonly rotated: Rows<Rows<number[][]>>;
  readonly labels: Rows<number | null>;
}

/** Prints {runs, splits} of the suite `rotated`, calibrated from the scores of a JSON file {models, datasets}. */
const { models: file, datasets } = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as {
  readonly models: string;
  readonly datasets: readonly Given[];
};
const plan = planSuite(await loadModels(file), { suite: 'rotated', bootstrap: 0 });
const runs: unknown[] = [];
const splits: Record<string, unknown> = {};
for (const given of datasets) {
  const tables = new Map(
    Object.entries(given.models).map(([model, rows]) => [model, table(Object.entries(rows), given.labels)]),
  );
  const scores = joinScores(given.dataset, null, tables);
  const rotations = new Map(
    Object.entries(given.rotated).map(([target, rows]) => {
      const flat = Object.entries(rows).map(([id, each]) => [id, each.flat()] as const);
      const ofId = new Map(flat.map(([id], row) => [id, row]));
      const rowOfExample = Int32Array.from(scores.ids, (id) => ofId.get(id) ?? -1);
      return [target, { table: table(flat), rowOfExample, firstEvaluated: true }];
    }),
  );
  const calibrated = await calibrateDataset(plan, scores, rotations);
  runs.push(...calibrated.runs);
  Object.assign(splits, JSON.parse(Buffer.from(splitsJson([calibrated.splits])).toString('utf8')));
}
process.stdout.write(JSON.stringify({ runs, splits }));

function table(rows: ReadonlyArray<readonly [string, number[]]>, labels?: Rows<number | null>): ScoreTable {
  return scoreTable(
    rows.map(([id, logits]) => ({ status: 'ok', id, logits, logZ: NaN, optionMass: NaN, promptTokens: 0 })),
    labels ? Int32Array.from(rows, ([id]) => labels[id] ?? -1) : null,
  );
}
