import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ScoredRow } from '../contract/scored-row.js';
import type { SeenHashes } from '../contract/seen-hashes.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import { removeFile } from '../files/busy-files.js';
import type { FileReader } from '../files/file-reader.js';
import { writeFailed } from '../files/write-failed.js';
import { rowFault } from './check-row.js';
import { writeFinal } from './entry-writer.js';
import { entryFiles, removeTemporaryFiles } from './key/entry-files.js';
import { type EntryKey, entryKey } from './key/entry-key.js';
import type { ImportUnit, Manifest } from './key/manifest.js';
import { lockEntry } from './lock/entry-lock.js';
import { type EntryState, readEntry } from './read-entry.js';
import { scoreTable } from './table/score-table.js';
import { seenColumns } from './table/seen-columns.js';

/** What an import is of: a model has one on a data set, and one more of the orders of its options. */
export interface ImportName {
  readonly model: string;
  readonly dataset: string;
  /** Name of the way of asking (`rotations`: K x K logits a row, order by order); absent: K logits of plain prompts. */
  readonly asked?: string | undefined;
}

export interface ImportedEntry extends ImportName {
  readonly rows: readonly ScoredRow[];
  /** 0-based label of each row; null where the file gave none. */
  readonly labels: ReadonlyArray<number | null>;
  /** Group of each row, null where the file gave none; absent: no row has one. */
  readonly groups?: ReadonlyArray<string | null>;
  /** What each row is of, where a log says it, to compare models; absent: no row says it. */
  readonly hashes?: ReadonlyArray<SeenHashes | null>;
  readonly unit: ImportUnit;
  /** sha256 of the imported file. */
  readonly sourceHash: string;
  /** Hash of the data set whose rows the scores were checked against; null when it had no source. */
  readonly datasetHash: string | null;
  readonly createdAt: string;
}

/**
 * Stores logits that were computed elsewhere, in float64 and in the order given. An earlier import of the same model
 * and data set is replaced in one step: the new rows have their own file until the manifest points at it.
 *
 * @throws SupportCalError bad-input (all faulty rows at once), write-failed
 */
export async function writeImportedEntry(cacheDir: string, entry: ImportedEntry): Promise<Manifest> {
  checkImport(entry);
  const key = importKey(entry);
  const files = entryFiles(cacheDir, key);
  const labels = Int32Array.from(entry.labels, (label) => label ?? -1);
  const groups = entry.groups?.some((group) => group !== null) ? entry.groups : undefined;
  const seen = seenColumns(entry.hashes ?? []);
  const table = scoreTable(entry.rows, entry.labels.some((label) => label !== null) ? labels : null);
  const lock = await lockEntry(files.lockTarget);
  try {
    const { manifest } = await writeFinal({
      arrowPath: (checksum) => join(cacheDir, `${key.name}.${checksum.slice(0, 12)}.arrow`),
      manifestPath: files.manifest,
      lock,
      key,
      table: { ...table, ...(groups !== undefined && { groups }), ...(seen !== null && { seen }) },
      precision: 'float64',
      facts: { unit: entry.unit, sourceHash: entry.sourceHash, datasetHash: entry.datasetHash },
      createdAt: entry.createdAt,
    });
    await removeOlder(cacheDir, key, manifest.arrowFile);
    await removeTemporaryFiles(files);
    return manifest;
  } catch (error) {
    throw writeFailed(files.manifest, error);
  } finally {
    await lock.release();
  }
}

/** The import of a model's logits on a data set, verified; `table.labels` is null when the file had no label at all. */
export function readImportedEntry(cacheDir: string, name: ImportName, reader?: FileReader): Promise<EntryState> {
  return readEntry(cacheDir, importKey(name), reader);
}

/** Hash of the data set that an import was checked against; null when there was none to check against. */
export function importedDatasetHash({ facts }: Manifest): string | null {
  const hash = (facts as { datasetHash?: unknown } | null)?.datasetHash;
  return typeof hash === 'string' ? hash : null;
}

function importKey({ model, dataset, asked }: ImportName): EntryKey {
  return entryKey({ kind: 'imported', model, dataset, ...(asked !== undefined && { asked }) });
}

function checkImport(entry: ImportedEntry): void {
  if (entry.labels.length !== entry.rows.length) {
    throw new SupportCalError('internal', `${entry.rows.length} rows came with ${entry.labels.length} labels`);
  }
  const seen = new Set<string>();
  const faults = entry.rows.flatMap((row, n) => {
    const twice = seen.has(row.id) ? 'the id occurs twice' : null;
    seen.add(row.id);
    const message = rowFault(row, 'float64') ?? twice ?? labelFault(row, entry.labels[n] ?? null);
    return message === null ? [] : [{ row: row.id, message }];
  });
  if (faults.length > 0) throw new SupportCalError('bad-input', faults);
}

function labelFault(row: ScoredRow, label: number | null): string | null {
  if (label === null) return null;
  const optionCount = row.status === 'ok' ? row.logits.length : Number.POSITIVE_INFINITY;
  const fits = Number.isInteger(label) && label >= 0 && label < optionCount;
  return fits ? null : `label ${label} is not one of the ${optionCount} options (counted from 0)`;
}

/** The Arrow files of earlier imports; one that cannot be removed does no harm, and `cache prune` finds it. */
async function removeOlder(cacheDir: string, key: EntryKey, current: string): Promise<void> {
  for (const fileName of await readdir(cacheDir)) {
    const ours = fileName.startsWith(`${key.name}.`) && fileName.endsWith('.arrow') && fileName !== current;
    if (ours) await removeFile(join(cacheDir, fileName)).catch(() => undefined);
  }
}
