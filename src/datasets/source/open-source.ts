import type { DatasetSourceYaml } from '../../config/source-schema.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import type { Format } from '../../formats/format.js';
import { formatOf } from '../../formats/format-of.js';
import { formatNamed } from '../../formats/format-table.js';
import { readPairedText } from '../../formats/paired-text.js';
import { type RowFile, readRows } from '../../formats/read-rows.js';
import type { FaultList } from '../../formats/row/fault-list.js';
import type { RowBatches, SourceFile } from '../../formats/row/source-row.js';
import type { HubAccess } from '../../hub/hub-access.js';
import type { DatasetSpec } from '../example/dataset-spec.js';
import { explodeRows } from './explode-rows.js';
import { fetchHubSource, hubFileNames } from './hub-source.js';
import { sourceFiles, type WrittenPath } from './source-files.js';

/** Rows to read, and the file that a fault in a given field should name. */
export interface RowSource {
  readonly batches: RowBatches;
  /** What downloaded files are copies of. */
  readonly origin?: readonly string[];
  /** The files again, for the place of a fault in them; paired text files have none but their lines. */
  readonly files?: readonly RowFile[];
  fileOf(field?: string, row?: { readonly file?: string | undefined }): string;
}

export interface SourceOptions {
  /** The field with the path, when not `source`. */
  readonly namedBy?: readonly string[] | undefined;
  readonly hub?: HubAccess | undefined;
}

/**
 * Opens the source of a data set: files of a hub repository, paired text files, or local files of rows.
 *
 * @param faults what cannot be read in the files comes here while the rows are read
 * @throws SupportCalError missing-file, bad-input: a file is not there, or its format cannot be told
 */
export async function openSource(
  spec: DatasetSpec,
  faults: FaultList,
  { namedBy, hub }: SourceOptions = {},
): Promise<RowSource> {
  const source = writtenSource(spec);
  const opened = await openWritten(spec, source, { faults, namedBy, hub });
  const fields = [source.explode ?? []].flat();
  return fields.length === 0 ? opened : { ...opened, batches: explodeRows(opened, fields, faults) };
}

async function openWritten(
  spec: DatasetSpec,
  source: DatasetSourceYaml,
  { faults, namedBy, hub }: SourceOptions & { readonly faults: FaultList },
): Promise<RowSource> {
  if (source.hub !== undefined) return openHubSource(spec, source, { faults, hub });
  if (source.files !== undefined && !Array.isArray(source.files)) return openPair(spec, source.files);
  return openFiles(await sourceFiles(spec, writtenPaths(spec, source, namedBy)), source, faults);
}

/** What a source says of its csv and tsv files. */
export function csvSettings({ delimiter, header, quote }: DatasetSourceYaml) {
  return { delimiter, header, quote };
}

function writtenSource(spec: DatasetSpec): DatasetSourceYaml {
  const { source } = spec.yaml;
  if (source !== undefined) return typeof source === 'string' ? { path: source } : source;
  const message = 'this data set has no source; add one, or import its scores with `supportcal import`';
  throw new SupportCalError('bad-input', { file: spec.file, ...spec.locate([]), field: 'source', message });
}

function writtenPaths(
  { yaml }: DatasetSpec,
  { path = [] }: DatasetSourceYaml,
  namedBy?: readonly string[],
): WrittenPath[] {
  const field = namedBy ?? (typeof yaml.source === 'string' ? ['source'] : ['source', 'path']);
  return Array.isArray(path) ? path.map((text, n) => ({ text, field: [...field, n] })) : [{ text: path, field }];
}

async function openHubSource(
  spec: DatasetSpec,
  source: DatasetSourceYaml,
  { faults, hub }: { readonly faults: FaultList; readonly hub: HubAccess | undefined },
): Promise<RowSource> {
  const { files, origin } = await fetchHubSource(spec, source, hub);
  const { fields } = hubFileNames(source);
  if (fields === null) return { ...(await openFiles(files, source, faults)), origin };
  return { ...pairedSource(files.map((file, n) => [fields[n] ?? '', file])), origin };
}

/** Text files of this machine side by side, each named in the YAML under the field that its lines are. */
async function openPair(spec: DatasetSpec, names: Readonly<Record<string, string>>): Promise<RowSource> {
  const written = Object.entries(names).map(([field, text]) => ({ field, text, at: ['source', 'files', field] }));
  await sourceFiles(
    spec,
    written.map(({ text, at }) => ({ text, field: at })),
  );
  const files: [string, SourceFile][] = [];
  for (const { field, text, at } of written) {
    const [first] = await sourceFiles(spec, [{ text, field: at }]);
    if (first !== undefined) files.push([field, first]);
  }
  return pairedSource(files);
}

function pairedSource(pair: readonly (readonly [string, SourceFile])[]): RowSource {
  const files = new Map(pair);
  const first = pair[0]?.[1].shown ?? '';
  return { batches: readPairedText(files), fileOf: (field) => files.get(field ?? '')?.shown ?? first };
}

/** Files of rows one after the other; with several, each row says which it is from. */
export async function openFiles(
  files: readonly SourceFile[],
  source: DatasetSourceYaml,
  faults: FaultList,
): Promise<RowSource> {
  const opened: RowFile[] = [];
  for (const file of files) {
    const format = await formatIn(source, file);
    opened.push({ file, format, options: { ...csvSettings(source), rows: source.rows, layout: source.layout } });
  }
  const [first, ...others] = opened;
  if (first === undefined) throw new Error('a source without files');
  const { shown } = first.file;
  if (others.length === 0) return { batches: readRows(first, faults), files: opened, fileOf: () => shown };
  return { batches: inTurn(opened, faults), files: opened, fileOf: (_, row) => row?.file ?? shown };
}

/** A `.json` file that opens with an object is JSON Lines, unless the source says where in it the rows are. */
async function formatIn({ format, rows, layout }: DatasetSourceYaml, file: SourceFile): Promise<Format> {
  if (format !== undefined) return formatNamed(format);
  const found = await formatOf(file);
  if (rows === undefined && layout === undefined) return found;
  if (found.name === 'json' || /\.json(\.gz)?$/i.test(file.path)) return formatNamed('json');
  const message = '`rows` and `layout` are for JSON files; write `format: json` if it is one';
  throw new SupportCalError('bad-input', { file: file.shown, message });
}

async function* inTurn(files: readonly RowFile[], faults: FaultList): RowBatches {
  for (const each of files) {
    const file = each.file.shown;
    for await (const batch of readRows(each, faults)) yield batch.map((row) => ({ ...row, file }));
  }
}
