import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import type { DatasetSourceYaml } from '../config/dataset-schema.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import type { DatasetSpec } from './dataset-spec.js';
import type { FaultList } from './fault-list.js';
import { readJson } from './read-json.js';
import { type JsonOptions, readJsonl } from './read-jsonl.js';
import { readPairedText } from './read-paired-text.js';
import type { RowBatches, SourceFile } from './source-row.js';

export type SourceFormat = NonNullable<DatasetSourceYaml['format']>;

/** Rows to read, and the file that a fault in a given field should name. */
export interface RowSource {
  readonly batches: RowBatches;
  fileOf(field?: string): string;
}

const ENDINGS: Readonly<Record<string, SourceFormat>> = {
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  json: 'json',
  csv: 'csv',
  tsv: 'tsv',
  parquet: 'parquet',
  arrow: 'arrow',
  arrows: 'arrow',
  ipc: 'arrow',
  feather: 'feather',
  txt: 'text',
};

/** Opens the source of a data set; paths are relative to its YAML file. `namedBy`: the field with the path, when not `source`. */
export async function openSource(
  spec: DatasetSpec,
  faults: FaultList,
  namedBy?: readonly string[],
): Promise<RowSource> {
  const source = typeof spec.yaml.source === 'string' ? { path: spec.yaml.source } : spec.yaml.source;
  if (source === undefined) {
    const message = 'this data set has no source; add one, or import its scores with `supportcal import`';
    throw new SupportCalError('bad-input', { file: spec.file, ...spec.locate([]), field: 'source', message });
  }
  if (source.files !== undefined) {
    const files = new Map(
      Object.entries(source.files).map(([field, name]) => [field, sourceFile(spec, name)] as const),
    );
    for (const [field, file] of files) await refuseMissing(spec, file, ['source', 'files', field]);
    const first = [...files.values()][0]!;
    return { batches: readPairedText(files), fileOf: (field) => (files.get(field ?? '') ?? first).shown };
  }
  const file = sourceFile(spec, source.path!);
  await refuseMissing(spec, file, namedBy ?? (typeof spec.yaml.source === 'string' ? ['source'] : ['source', 'path']));
  const format = source.format ?? (await formatOf(file));
  return { batches: readRows(file, format, faults, { delimiter: source.delimiter }), fileOf: () => file.shown };
}

/** A missing file is a fault of the YAML line that names it. */
async function refuseMissing(spec: DatasetSpec, file: SourceFile, field: readonly string[]): Promise<void> {
  const missing = await stat(file.path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT' || error.code === 'ENOTDIR',
  );
  if (!missing) return;
  const message = `${file.shown}: no such file; correct the path, which starts at the folder of this YAML file`;
  throw new SupportCalError('missing-file', {
    file: spec.file,
    ...spec.locate(field),
    field: field.join('.'),
    message,
  });
}

/** The rows of one file in a given format. */
export function readRows(
  file: SourceFile,
  format: SourceFormat,
  faults: FaultList,
  options: JsonOptions & { delimiter?: string | undefined } = {},
): RowBatches {
  switch (format) {
    case 'jsonl':
      return readJsonl(file, faults, options);
    case 'json':
      return readJson(file, faults, options);
    case 'csv':
      return lazily(async () => (await import('./read-csv.js')).readCsv(file, faults, options.delimiter ?? ','));
    case 'tsv':
      return lazily(async () => (await import('./read-csv.js')).readCsv(file, faults, options.delimiter ?? '\t'));
    case 'parquet':
      return lazily(async () => (await import('./read-parquet.js')).readParquet(file));
    case 'arrow':
    case 'feather':
      return lazily(async () => (await import('./read-arrow.js')).readArrow(file));
    case 'text':
      return readPairedText(new Map([['text', file]]));
  }
}

/** Parsers of formats that a run does not use would take 150 ms to import, a good part of a cached run. */
async function* lazily(open: () => Promise<RowBatches>): RowBatches {
  yield* await open();
}

/**
 * The format by file ending. JSON Lines often carry the ending `.json`: a file that opens with an object instead of an
 * array is read line by line.
 */
export async function formatOf(file: SourceFile): Promise<SourceFormat> {
  const ending = path.extname(file.path).slice(1).toLowerCase();
  const format = ENDINGS[ending];
  if (format === undefined) {
    const message = `the ending ".${ending}" does not tell the format; write \`format:\` (jsonl, json, csv, tsv, parquet, arrow, feather or text)`;
    throw new SupportCalError('bad-input', { file: file.shown, message });
  }
  return format === 'json' && (await opensWithObject(file)) ? 'jsonl' : format;
}

async function opensWithObject(file: SourceFile): Promise<boolean> {
  const handle = await open(file.path, 'r').catch(() => null);
  if (handle === null) return false;
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(64), 0, 64, 0);
    return /^\ufeff?\s*\{/.test(buffer.toString('utf8', 0, bytesRead));
  } catch {
    return false;
  } finally {
    await handle.close();
  }
}

function sourceFile(spec: DatasetSpec, written: string): SourceFile {
  const shown = path.isAbsolute(written) ? written : path.join(path.dirname(spec.file), written);
  return { path: path.resolve(shown), shown };
}
