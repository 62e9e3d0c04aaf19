import { writeImportedEntry } from '../cache/imported-entry.js';
import { loadDatasetSpecs } from '../config/load-dataset-specs.js';
import { loadModels } from '../config/load-models.js';
import type { ScoredRow } from '../contract/scored-row.js';
import type { Dataset, Example } from '../datasets/example/example.js';
import { loadDataset } from '../datasets/load-dataset.js';
import type { HarnessLog } from '../datasets/logits/harness/open-harness-log.js';
import { compareLogs } from '../datasets/logits/harness/same-documents.js';
import {
  type ImportedLogits,
  type LogitUnit,
  readImportedLogits,
  refuseImported,
} from '../datasets/logits/read-imported-logits.js';
import type { SourceOverride } from '../datasets/source/override-source.js';
import { nearest } from '../errors/nearest.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import { sha256OfFile } from '../files/sha256-of-file.js';
import { FaultList } from '../formats/row/fault-list.js';
import { rotations } from './asking/rotations.js';
import { compareImports } from './join/compare-imports.js';
import { checkLocalSources, withLocalSources } from './workspace/local-sources.js';
import { openHub } from './workspace/open-hub.js';

export interface ImportOptions {
  readonly file: string;
  readonly model: string;
  readonly dataset: string;
  readonly unit: LogitUnit;
  /** Take the numbers as `unit` says, though they look like another unit. */
  readonly trustUnit?: boolean;
  /** Take the file though more than 5 % of the examples have no usable row in it. */
  readonly allowMissing?: boolean;
  /** The file is a log of another harness; `unit` is then what its numbers are after normalisation. */
  readonly log?: HarnessLog;
  /** The file has the scores of every cyclic order of the options, for CAPE; they stand beside the plain ones. */
  readonly rotations?: boolean;
  readonly models: string;
  readonly datasets: string;
  readonly cache: string;
  /** Models that are imported in the same command: what was imported for them before is about to be replaced. */
  readonly together?: readonly string[];
  /** As in RunOptions. */
  readonly offline?: boolean;
  /** Paths in the YAML of the data set may lead out of the project. */
  readonly allowOutside?: boolean;
  readonly sources?: ReadonlyMap<string, SourceOverride>;
}

export interface ImportSummary {
  readonly rows: number;
  readonly failed: number;
  /** Rows with an option of probability 0: metrics count them, fits leave them out. */
  readonly certain: number;
  readonly labelled: number;
  /** Examples of the data set that the file does not have. */
  readonly missing: number;
  /** Rows of the file that the data set leaves out, did not choose, or shows as solved examples; they are not taken. */
  readonly leftOut: number;
  /** What was taken of a log of another harness and what was not, as sentences. */
  readonly notes: readonly string[];
}

/**
 * Takes option logits that were computed elsewhere into the cache, as the scores of one model on one data set; they
 * replace earlier imports and win over scoring. Every row is checked against the data set when that has a source.
 */
export async function importLogits(options: ImportOptions): Promise<ImportSummary> {
  const models = await loadModels(options.models);
  const known = models.models.map((model) => model.id);
  if (!known.includes(options.model)) {
    throw new SupportCalError('usage', {
      file: options.models,
      message: `no model "${options.model}"${nearest(options.model, known)}`,
    });
  }
  const specs = await loadDatasetSpecs(options.datasets, [options.dataset]);
  checkLocalSources(specs, options.sources);
  const [local] = withLocalSources(specs, options.sources);
  const spec = local && options.allowOutside ? { ...local, outside: 'all' as const } : local;
  const { cache, offline } = options;
  const dataset =
    spec?.yaml.source === undefined ? null : await loadDataset(spec, await openHub({ cache, offline, refresh: false }));
  const examples = new Map(dataset?.examples.map((example) => [example.id, example]));
  const overlaps = (id: string) => overlap(examples.get(id)?.options ?? []);
  const whole = await readImportedLogits(options.file, { ...options, overlaps });
  const imported = dataset === null ? whole : without(whole, idsNotTaken(whole, dataset));
  if (dataset) await checkAgainstDataset(imported, examples, options);
  const others = known.filter((model) => model !== options.model && !options.together?.includes(model));
  const compared = await comparedWithOthers(imported, others, options);
  refuseBiasedSample(imported, examples.size, options);
  await writeImportedEntry(options.cache, {
    model: options.model,
    dataset: options.dataset,
    ...(options.rotations && { asked: rotations.name }),
    unit: options.unit,
    sourceHash: await sha256OfFile(options.file),
    datasetHash: dataset?.hash ?? null,
    rows: imported.rows,
    labels: imported.labels,
    groups: imported.groups,
    hashes: imported.hashes,
    createdAt: new Date().toISOString(),
  });
  return {
    rows: imported.rows.length,
    failed: imported.rows.filter((row) => row.status === 'failed').length,
    certain: imported.rows.filter(hasImpossibleOption).length,
    labelled: imported.labels.filter((label) => label !== null).length,
    missing: dataset ? dataset.examples.length - imported.rows.length : 0,
    leftOut: whole.rows.length - imported.rows.length,
    notes: [...imported.notes, ...compared],
  };
}

/** Sentences on how the log differs from those of other models that were imported before. */
async function comparedWithOthers(
  imported: ImportedLogits,
  others: readonly string[],
  { file, cache, dataset, log }: ImportOptions,
): Promise<string[]> {
  const faults = new FaultList();
  const notes = await compareImports({ file, imported, cache, dataset, others }, faults);
  if (faults.count > 0) faults.add({ file, message: AGAIN });
  await refuseImported(faults, file, log);
  return notes;
}

const AGAIN =
  'to replace the scores of several models by those of another version of the task, import them all in one command ' +
  '(--map FILE=MODEL, once for each)';

/**
 * Checks that logs of several models are of the same documents with the same right answers.
 *
 * @returns sentences on prompts that differ
 * @throws SupportCalError missing-file; bad-input: every row of another document
 */
export async function checkSameDocuments(files: readonly string[], log: HarnessLog): Promise<string[]> {
  const faults = new FaultList();
  const notes = await compareLogs(
    files.map((file) => ({ file, format: log.format })),
    log,
    faults,
  );
  faults.throwIfAny();
  return notes;
}

/** Rows without scores are rarely a random part: an interface of five log-probabilities drops the least sure ones. */
const MOST_MISSING = 0.05;

function refuseBiasedSample(
  { rows }: ImportedLogits,
  examples: number,
  { file, dataset, allowMissing = false }: ImportOptions,
): void {
  const failed = rows.filter(({ status }) => status === 'failed').length;
  const total = Math.max(examples, rows.length);
  const missing = total - rows.length;
  if (allowMissing || failed + missing <= MOST_MISSING * total) return;
  const counts = [
    ...(missing > 0 ? [`${missing} of the ${total} examples of "${dataset}" have no row`] : []),
    ...(failed > 0 ? [`${failed} of ${rows.length} rows have no usable scores`] : []),
  ];
  throw new SupportCalError('bad-input', {
    file,
    message:
      `${counts.join(', and ')}: what is left would be a biased sample, since scores are rarely missing at random. ` +
      'Import a whole file, or take this one with --allow-missing',
  });
}

function hasImpossibleOption(row: ScoredRow): boolean {
  return row.status === 'ok' && Array.from(row.logits).includes(Number.NEGATIVE_INFINITY);
}

/**
 * Rows that the data set leaves out by a policy and, where it chooses among the rows of its source, those of others: a
 * file may have been scored before the choice was made. A file without a single row of the data set is of another one.
 */
function idsNotTaken({ rows }: ImportedLogits, { examples, leftOut, selection = [] }: Dataset): Set<string> {
  const chosen = new Set(examples.map(({ id }) => id));
  const others = selection.length > 0 && rows.some(({ id }) => chosen.has(id)) ? rows : [];
  return new Set([...leftOut, ...others.filter(({ id }) => !chosen.has(id))].map(({ id }) => id));
}

function without(
  { rows, labels, groups, hashes, lines, notes }: ImportedLogits,
  ids: ReadonlySet<string>,
): ImportedLogits {
  const kept = rows.map(({ id }) => !ids.has(id));
  const take = <T>(list: readonly T[]) => list.filter((_, n) => kept[n]);
  return {
    rows: take(rows),
    labels: take(labels),
    groups: take(groups),
    hashes: take(hashes),
    lines: take(lines),
    notes,
  };
}

/** Whether some text is equal to another one or its beginning: both are said at once. */
function overlap(texts: readonly string[]): boolean {
  return texts.some((text, k) => texts.some((other, n) => n !== k && other.trim().startsWith(text.trim())));
}

/** Ids must be of the data set, K must be its number of options, and a label must be its label. */
async function checkAgainstDataset(
  imported: ImportedLogits,
  examples: ReadonlyMap<string, Example>,
  { file, dataset, rotations = false, log }: ImportOptions,
): Promise<void> {
  const faults = new FaultList();
  imported.rows.forEach((row, i) => {
    const at = { file, ...(imported.lines?.[i] !== undefined && { line: imported.lines[i] }), row: row.id };
    const example = examples.get(row.id);
    if (!example) {
      faults.add({ ...at, field: 'id', message: `data set "${dataset}" has no example with this id` });
      return;
    }
    const scored = row.status === 'ok' ? (rotations ? Math.sqrt(row.logits.length) : row.logits.length) : null;
    if (scored !== null && scored !== example.options.length) {
      faults.add({
        ...at,
        field: rotations ? 'rotations' : 'logits',
        message: `${scored} ${rotations ? 'orders' : 'logits'}, but the example has ${example.options.length} options`,
      });
    }
    const label = imported.labels[i];
    if (label != null && example.label !== null && label !== example.label) {
      faults.add({
        ...at,
        field: 'label',
        message: `label ${label}, but data set "${dataset}" says ${example.label} (both 0-based)`,
      });
    }
  });
  await refuseImported(faults, file, log);
}
