import { access, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type DatasetYaml, datasetSchema } from '../config/dataset-schema.js';
import { datasetYamlText } from '../config/dataset-yaml-text.js';
import type { DatasetSourceYaml } from '../config/source-schema.js';
import { loadNearlyWhole, type NearlyWhole } from '../datasets/load-dataset.js';
import { proposeCsv } from '../datasets/propose/csv-settings.js';
import { proposeDataset } from '../datasets/propose/propose-dataset.js';
import { EXCEPTION_SHARE } from '../datasets/propose/row-sample.js';
import { formatFault, SupportCalError } from '../errors/supportcal-error.js';
import { outsideFolders } from '../files/outside-folders.js';
import { writeFileAtomic } from '../files/write-file-atomic.js';
import { formatOf } from '../formats/format-of.js';

export interface AddDatasetOptions {
  readonly file: string;
  /** Folder of the YAML file. */
  readonly datasets: string;
  /** Default: the file name without its ending. */
  readonly id?: string;
  readonly write?: boolean;
  /** Takes a doubtful proposal as it is. */
  readonly acceptDoubts?: boolean;
  /** Asks somebody whether a doubtful proposal is right; absent where nobody can answer. */
  readonly confirm?: (proposal: string, doubts: readonly string[]) => Promise<boolean>;
}

export interface AddedDataset {
  readonly dataset: string;
  readonly yamlFile: string;
  readonly text: string;
  readonly written: boolean;
  /** Rows that the proposal loads, and those that it leaves out. */
  readonly rows: number;
  readonly leftOut: number;
  /** Rows that do not fit the proposal: `validate` refuses them. */
  readonly refused: number;
  readonly notes: readonly string[];
  /** What makes the proposal doubtful, and was accepted. */
  readonly doubts: readonly string[];
}

/**
 * `supportcal add-dataset`: looks at a file, proposes its YAML, and loads every row with it. A few rows that do not fit
 * are named, and the proposal stands.
 *
 * @throws SupportCalError bad-input when no options are found, the proposal does not load, or it is doubtful and nobody
 *   accepts it; usage when the YAML is there
 */
export async function addDataset(options: AddDatasetOptions): Promise<AddedDataset> {
  const { file, datasets, id, write = false } = options;
  const name = id ?? path.basename(file).replace(/(\.[a-z]+)(\.gz)?$/i, '');
  const yamlFile = path.join(datasets, `${name}.yaml`);
  const { source: plain, namesOf } = await sourceOf(file, datasets);
  const csv = await proposeCsv(file);
  const source = { ...plain, ...csv.settings };
  const { yaml, notes: guessed, doubts: guesses } = await proposeDataset(source, yamlFile, namesOf);
  const notes = [...csv.notes, ...guessed, ...outsideNote(source)];
  const proposed: DatasetYaml = datasetSchema.parse({ title: name, ...yaml, source: shortest(yaml.source ?? source) });
  // The command line named the file.
  const spec = { id: name, file: yamlFile, yaml: proposed, outside: 'all' as const, locate: () => ({}) };
  const { dataset, refused } = await loadNearlyWhole(spec, EXCEPTION_SHARE);
  const { examples, leftOut, warnings, doubts: seen = [] } = dataset;
  notes.push(...refusedNote(refused, examples.length + leftOut.length));
  const doubts = [...new Set([...guesses, ...seen])];
  const comment = [
    `yaml-language-server: $schema=${path.posix.join('..', 'schemas', 'dataset.schema.json')}`,
    `Proposed by \`supportcal add-dataset\` from ${examples.length} rows; check it, above all the label and the ` +
      'prompt:',
    `supportcal validate --suite ... --show-prompt ID`,
    ...notes,
    ...doubts.map((doubt) => `doubtful: ${doubt}`),
  ];
  const text = datasetYamlText(proposed, comment);
  await settle(doubts, text, options);
  if (write) await writeNew(yamlFile, text);
  const { length: rows } = examples;
  return {
    dataset: name,
    yamlFile,
    text,
    written: write,
    rows,
    leftOut: leftOut.length,
    refused: refused.rows,
    notes: [...notes, ...refused.faults.map(formatFault), ...warnings],
    doubts,
  };
}

/** What nearly all rows say is proposed; how many do not. */
function refusedNote({ rows }: NearlyWhole['refused'], others: number): string[] {
  if (rows === 0) return [];
  const [all, rest] = [rows + others, rows === 1 ? 'rows does not fit and is' : 'rows do not fit and are'];
  const share = `${((100 * rows) / all).toFixed(1)} %; up to ${100 * EXCEPTION_SHARE} % decide nothing`;
  return [`${rows} of ${all} ${rest} refused by validate until mended or removed (${share})`];
}

/** A proposal with doubts is a question: somebody says that it is right, or nothing is proposed. */
async function settle(doubts: readonly string[], text: string, options: AddDatasetOptions): Promise<void> {
  const { file, acceptDoubts = false, confirm } = options;
  if (doubts.length === 0 || acceptDoubts) return;
  const settled = 'give --accept-doubts to get the proposal as a start, or write the YAML by hand (supportcal init)';
  if (confirm === undefined) {
    const faults = doubts.map((doubt) => ({ file, message: `doubtful: ${doubt}` }));
    throw new SupportCalError('bad-input', [...faults, { file, message: `the proposal is doubtful; ${settled}` }]);
  }
  if (await confirm(text, doubts)) return;
  throw new SupportCalError('bad-input', { file, message: `the proposal was not taken; ${settled}` });
}

/** The file as the YAML names it; a text file with the labels of its lines beside it is one of a pair. */
async function sourceOf(
  file: string,
  datasets: string,
): Promise<{ source: DatasetSourceYaml; namesOf: (field: string) => Promise<readonly string[] | null> }> {
  await mustExist(file);
  if (!/\.txt(\.gz)?$/i.test(file)) {
    return { source: { path: named(file, datasets) }, namesOf: (field) => classNames(file, field) };
  }
  const { dir, base } = path.parse(file);
  for (const word of ['labels', 'label']) {
    const labels = path.join(dir, base.replace(/texts?|sentences?|inputs?/i, word));
    if (labels === file || !(await exists(labels))) continue;
    const source = { files: { text: named(file, datasets), label: named(labels, datasets) } };
    return { source, namesOf: () => namesIn(path.join(dir, 'mapping.txt')) };
  }
  const message = 'is plain text, and no file with labels lies beside it (x_text.txt and x_labels.txt make a pair)';
  throw new SupportCalError('bad-input', { file, message });
}

/** Names of the classes of a field, where the format of the file keeps such names. */
async function classNames(path: string, field: string): Promise<readonly string[] | null> {
  const file = { path, shown: path };
  const { rows } = await formatOf(file);
  const names = rows.kind === 'binary' ? await rows.classNames?.(file) : undefined;
  return names?.get(field) ?? null;
}

/** Lines `0<tab>negative`, in order. */
async function namesIn(file: string): Promise<string[] | null> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const pairs = text
    .split(/\r?\n/)
    .flatMap((line) => (/^\d+\t./.test(line) ? [line.split('\t') as [string, string]] : []));
  return pairs.length >= 2 && pairs.every(([number], n) => Number(number) === n)
    ? pairs.map(([, label]) => label.trim())
    : null;
}

/** A run reaches a file outside the project only where its user says so. */
function outsideNote({ path: named = '' }: DatasetSourceYaml): string[] {
  if (typeof named !== 'string' || !path.isAbsolute(named)) return [];
  return [`${named} lies outside the project: run with --allow-outside, or copy it into the project`];
}

/** A file outside the project must be named absolutely. */
function named(file: string, datasets: string): string {
  const absolute = path.resolve(file);
  if (outsideFolders(absolute, [process.cwd(), path.resolve(datasets)])) return absolute;
  return path.relative(path.resolve(datasets), absolute).replaceAll('\\', '/');
}

function shortest(source: NonNullable<DatasetYaml['source']>): DatasetYaml['source'] {
  if (typeof source === 'string') return source;
  return typeof source.path === 'string' && Object.keys(source).length === 1 ? source.path : source;
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

async function mustExist(file: string): Promise<void> {
  if (!(await exists(file))) throw new SupportCalError('missing-file', { file, message: 'no such file' });
}

async function writeNew(file: string, text: string): Promise<void> {
  if (await exists(file)) {
    throw new SupportCalError('usage', { file, message: 'is there already; give another name with --id' });
  }
  await writeFileAtomic(file, text);
}
