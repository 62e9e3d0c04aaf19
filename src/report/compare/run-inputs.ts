import type { RunManifest } from '../../results/manifest-schema.js';
import type { Results } from '../../results/results-schema.js';
import type { CellResamples } from './common-resamples.js';

/** One fact about what a run was made from. */
export interface RunInput {
  /** protocol: how it was measured; tool: what computed it; the rest: files, and the stored scores of one model. */
  readonly kind: 'protocol' | 'tool' | 'models-file' | 'data-set' | 'model' | 'scores';
  /** `demo-facts`, `tern-dpo`, `tern-dpo on demo-facts`; empty where the fact is about the whole run. */
  readonly subject: string;
  readonly field: string;
  /** Plain text, or JSON of a list or an object; null: not there. */
  readonly value: string | null;
  /** What it can have an effect on; null: everything. */
  readonly dataset: string | null;
  readonly model: string | null;
}

/** A run with the manifest that was written with it; null where there is none. */
export interface InspectedRun {
  readonly results: Results;
  readonly manifest: RunManifest | null;
  /** What the resamples of the run measured; absent or empty where it kept none. */
  readonly resamples?: readonly CellResamples[];
}

/** Hash of a YAML file: any change of it counts, also of a comment. */
export const YAML = 'YAML sha256';

/** Facts of loaded models that say what a run happened to be, not what it was made from. */
const INCIDENTAL = new Set(['warnings', 'selfCheck', 'chatTemplate', 'bosReason', 'takenOver']);

/** What a key repeats: it is the subject, or stands with the file, the data set or the tool. */
const REPEATED = new Set(['model', 'dataset', 'modelHash', 'lora', 'datasetHash', 'llamaCppRelease', 'nodeLlamaCpp']);

/** Everything on record that can change a number of a run. */
export function runInputs({ results, manifest }: InspectedRun): RunInput[] {
  // Which methods ran, and how often they were resampled, moves no ECE.
  const { seeds, calibrationFraction, splitGenerator, bins, binEdges, edgeRule } = results.protocol;
  const protocol = { seeds, calibrationFraction, splitGenerator, bins, binEdges, edgeRule };
  return [
    ...facts({ kind: 'protocol', subject: '', dataset: null, model: null }, protocol),
    ...methodInputs(manifest?.methodFiles ?? []),
    ...facts({ kind: 'tool', subject: '', dataset: null, model: null }, { ...results.tool, ...manifest?.system }),
    ...(manifest === null ? [] : manifestInputs(manifest)),
  ];
}

function methodInputs(files: NonNullable<RunManifest['methodFiles']>): RunInput[] {
  const of = { kind: 'protocol', subject: '', dataset: null, model: null } as const;
  return files.flatMap(({ sha256, methods }) => facts(of, { [`method file of ${methods.join(', ')}`]: sha256 }));
}

function manifestInputs({ modelsFile, datasets, models }: RunManifest): RunInput[] {
  return [
    ...facts({ kind: 'models-file', subject: '', dataset: null, model: null }, { [YAML]: modelsFile?.sha256 }),
    ...datasets.flatMap(({ dataset, ...rest }) =>
      facts(
        { kind: 'data-set', subject: dataset, dataset, model: null },
        { file: rest.file, [YAML]: rest.sha256, rows: rest.rows, content: rest.contentHash, rules: rest.rules },
        { origin: rest.origin, fewShot: rest.fewShot },
      ),
    ),
    ...models.flatMap(({ model, file, sha256, lora, origin, scores }) => [
      ...facts({ kind: 'model', subject: model, dataset: null, model }, { file, sha256, lora, origin }),
      ...scores.flatMap((entry) => scoreInputs(model, entry)),
    ]),
  ];
}

function scoreInputs(model: string, entry: RunManifest['models'][number]['scores'][number]): RunInput[] {
  const { dataset, prompts = 'plain', checksum, key, facts: found } = entry;
  const subject = `${model} on ${dataset}${prompts === 'plain' ? '' : `, ${prompts}`}`;
  const { settings, ...ingredients } = key ?? {};
  const of = { kind: 'scores', subject, dataset, model } as const;
  return [
    ...facts(of, without(ingredients, REPEATED), nested('settings', settings)),
    ...facts(of, nested('found', without({ ...found }, INCIDENTAL)), { 'stored scores': checksum }),
  ];
}

/** undefined: an earlier version did not record it, which says nothing. */
function facts(of: Omit<RunInput, 'field' | 'value'>, ...records: object[]): RunInput[] {
  return records.flatMap((record) =>
    Object.entries(record).flatMap(([field, value]) =>
      value === undefined ? [] : [{ ...of, field, value: textOf(value) }],
    ),
  );
}

function nested(name: string, value: unknown): Record<string, unknown> {
  if (value === null || typeof value !== 'object') return {};
  return Object.fromEntries(Object.entries(value).map(([field, each]) => [`${name}.${field}`, each]));
}

function without(record: Readonly<Record<string, unknown>>, left: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([field]) => !left.has(field)));
}

function textOf(value: unknown): string | null {
  if (value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
