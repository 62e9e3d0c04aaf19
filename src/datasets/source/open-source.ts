import type { DatasetSourceYaml } from '../../config/source-schema.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import type { HubAccess } from '../../hub/hub-access.js';
import type { DatasetSpec } from '../example/dataset-spec.js';
import type { FaultList } from '../formats/fault-list.js';
import { readPairedText } from '../formats/read-paired-text.js';
import { csvOf, readRows } from '../formats/read-rows.js';
import { formatOf, type SourceFormat } from '../formats/source-format.js';
import type { RowBatches, SourceFile } from '../formats/source-row.js';
import { fetchHubSource, type HubSource, hubFileNames } from './hub-source.js';
import { sourceFiles, type WrittenPath } from './source-files.js';
import type { TextSource } from './with-columns.js';

/** Rows to read, and the file that a fault in a given field should name. */
export interface RowSource {
  readonly batches: RowBatches;
  /** What downloaded files are copies of. */
  readonly origin?: readonly string[];
  /** The files again, for the place of a fault in them; paired text files have none but their lines. */
  readonly texts?: readonly TextSource[];
  fileOf(field?: string, row?: { readonly file?: string | undefined }): string;
}

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

/** What a source says of its csv and tsv files. */
export function csvSettings({ delimiter, header, quote }: DatasetSourceYaml) {
  return { delimiter, header, quote };
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
  source: DatasetSourceYaml,
  faults: FaultList,
): Promise<RowSource> {
  const formats: SourceFormat[] = [];
  for (const file of files) formats.push(source.format ?? (await formatOf(file)));
  const rowsOf = (n: number) => readRows(files[n]!, formats[n]!, faults, csvSettings(source));
  const texts = files.map((file, n) => ({ file, format: formats[n]!, csv: csvOf(formats[n]!, source) }));
  const [first] = files;
  if (files.length === 1) return { batches: rowsOf(0), texts, fileOf: () => first!.shown };
  return { batches: inTurn(files, rowsOf), texts, fileOf: (_, row) => row?.file ?? first!.shown };
}

async function* inTurn(files: readonly SourceFile[], rowsOf: (n: number) => RowBatches): RowBatches {
  for (let n = 0; n < files.length; n++) {
    const file = files[n]!.shown;
    for await (const batch of rowsOf(n)) yield batch.map((row) => ({ ...row, file }));
  }
}
