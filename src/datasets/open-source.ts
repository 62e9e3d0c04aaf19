import path from 'node:path';
import type { DatasetSourceYaml } from '../config/dataset-schema.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import type { HubAccess } from '../hub/hub-access.js';
import type { DatasetSpec } from './dataset-spec.js';
import { decodeInThread } from './decode-in-thread.js';
import type { FaultList } from './fault-list.js';
import { fetchHubSource, type HubSource, hubFileNames } from './hub-source.js';
import { readJson } from './read-json.js';
import { type JsonOptions, readJsonl } from './read-jsonl.js';
import { readChunks } from './read-lines.js';
import { readPairedText } from './read-paired-text.js';
import { sourceFiles, type WrittenPath } from './source-files.js';
import type { RowBatches, SourceFile } from './source-row.js';

export type SourceFormat = NonNullable<DatasetSourceYaml['format']>;

/** Rows to read, and the file that a fault in a given field should name. */
export interface RowSource {
  readonly batches: RowBatches;
  /** What downloaded files are copies of. */
  readonly origin?: readonly string[];
  fileOf(field?: string, row?: { readonly file?: string | undefined }): string;
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

const BINARY: ReadonlySet<SourceFormat> = new Set(['parquet', 'arrow', 'feather']);

export interface SourceOptions {
  /** The field with the path, when not `source`. */
  readonly namedBy?: readonly string[] | undefined;
  readonly hub?: HubAccess | undefined;
}

/** Opens the source of a data set. */
export async function openSource(
  spec: DatasetSpec,
  faults: FaultList,
  { namedBy, hub }: SourceOptions = {},
): Promise<RowSource> {
  const source = typeof spec.yaml.source === 'string' ? { path: spec.yaml.source } : spec.yaml.source;
  if (source === undefined) {
    const message = 'this data set has no source; add one, or import its scores with `supportcal import`';
    throw new SupportCalError('bad-input', { file: spec.file, ...spec.locate([]), field: 'source', message });
  }
  if (source.hub !== undefined) return openHubSource(await fetchHubSource(spec, source, hub), source, faults);
  if (source.files !== undefined && !Array.isArray(source.files)) return openPaired(spec, source.files);
  const field = namedBy ?? (typeof spec.yaml.source === 'string' ? ['source'] : ['source', 'path']);
  const written: WrittenPath[] = Array.isArray(source.path)
    ? source.path.map((text, n) => ({ text, field: [...field, n] }))
    : [{ text: source.path!, field }];
  return openFiles(await sourceFiles(spec, written), source, faults);
}

async function openHubSource(
  { files, origin }: HubSource,
  source: DatasetSourceYaml,
  faults: FaultList,
): Promise<RowSource> {
  const { fields } = hubFileNames(source);
  const opened =
    fields === null
      ? await openFiles(files, source, faults)
      : pairedSource(new Map(fields.map((field, n) => [field, files[n]!])));
  return { ...opened, origin };
}

async function openPaired(spec: DatasetSpec, names: Readonly<Record<string, string>>): Promise<RowSource> {
  const fields = Object.keys(names);
  const written = fields.map((field) => ({ text: names[field]!, field: ['source', 'files', field] }));
  await sourceFiles(spec, written);
  const files = new Map<string, SourceFile>();
  for (const each of written) files.set(each.field[2]!, (await sourceFiles(spec, [each]))[0]!);
  return pairedSource(files);
}

function pairedSource(files: ReadonlyMap<string, SourceFile>): RowSource {
  const first = [...files.values()][0]!;
  return { batches: readPairedText(files), fileOf: (field) => (files.get(field ?? '') ?? first).shown };
}

/** Files of rows one after the other; with several, each row says which it is from. */
async function openFiles(
  files: readonly SourceFile[],
  source: Pick<DatasetSourceYaml, 'format' | 'delimiter'>,
  faults: FaultList,
): Promise<RowSource> {
  const formats: SourceFormat[] = [];
  for (const file of files) formats.push(source.format ?? (await formatOf(file)));
  const rowsOf = (n: number) => readRows(files[n]!, formats[n]!, faults, { delimiter: source.delimiter });
  const [first] = files;
  if (files.length === 1) return { batches: rowsOf(0), fileOf: () => first!.shown };
  return { batches: inTurn(files, rowsOf), fileOf: (_, row) => row?.file ?? first!.shown };
}

async function* inTurn(files: readonly SourceFile[], rowsOf: (n: number) => RowBatches): RowBatches {
  for (let n = 0; n < files.length; n++) {
    const file = files[n]!.shown;
    for await (const batch of rowsOf(n)) yield batch.map((row) => ({ ...row, file }));
  }
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
      return decodeInThread(file, 'parquet');
    case 'arrow':
    case 'feather':
      return decodeInThread(file, 'arrow');
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
  const packed = /\.gz$/i.test(file.path);
  const ending = path
    .extname(packed ? file.path.slice(0, -3) : file.path)
    .slice(1)
    .toLowerCase();
  const format = ENDINGS[ending];
  if (packed && format !== undefined && BINARY.has(format)) {
    const message = `a ${format} file is compressed inside; unpack it (gunzip) and name the file without .gz`;
    throw new SupportCalError('bad-input', { file: file.shown, message });
  }
  if (format === undefined) {
    const message = `the ending ".${ending}" does not tell the format; write \`format:\` (jsonl, json, csv, tsv, parquet, arrow, feather or text)`;
    throw new SupportCalError('bad-input', { file: file.shown, message });
  }
  return format === 'json' && (await opensWithObject(file)) ? 'jsonl' : format;
}

async function opensWithObject(file: SourceFile): Promise<boolean> {
  try {
    for await (const chunk of readChunks(file)) return /^\ufeff?\s*\{/.test(chunk.toString('utf8', 0, 64));
  } catch (error) {
    // Whatever is wrong with the file is told by the reader of its rows.
    if (!(error instanceof SupportCalError)) throw error;
  }
  return false;
}
