import type { DatasetYaml } from '../../config/dataset-schema.js';
import type { DatasetSourceYaml } from '../../config/source-schema.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { FaultList } from '../../formats/row/fault-list.js';
import { fieldOf, isRowObject, type RowObject, type RowValue } from '../../formats/row/source-row.js';
import { MAX_OPTIONS } from '../options/row-options.js';
import { eachRow } from '../rows/each-row.js';
import { openSource } from '../source/open-source.js';
import { LABEL_NAMES, type ProposedLabel, proposeLabel } from './propose-label.js';
import { type ProposedOptions, proposeOptions } from './propose-options.js';
import {
  allBut,
  byName,
  EXCEPTION_SHARE,
  everyRow,
  isScalar,
  type RowSample,
  rowSample,
  withExceptions,
} from './row-sample.js';

export interface ProposedDataset {
  readonly yaml: DatasetYaml;
  /** What was guessed and should be looked at. */
  readonly notes: readonly string[];
  /** What was guessed with little to go by, so that somebody has to say whether it is right. */
  readonly doubts: readonly string[];
  readonly rows: number;
}

type ClassNames = (field: string) => Promise<readonly string[] | null>;

const MOST_ROWS = 100_000;
const ID_NAMES = [
  /^_?(id|qid|uid|uuid|(question|example|record|pair|problem)[\s_]?id|guid)$/i,
  /^(nr|no|num|number|idx|index)\.?$/i,
];
const TEXT_NAMES = [
  /^(question|problem|query|stem|goal)$/i,
  /^(q(uestion)?[\s_]?(text|stem)|conclusion|ctx|tweet|sentence|hypothesis|prompt|input|review|post)$/i,
  /^(sentence|question|text)[\s_]?2$/i,
  /^(text|content|startphrase)$/i,
];
const CONTEXT_NAMES = [
  /^(context|passage|premises?|article|paragraph|support|story|sent1)$/i,
  /^(sentence|question|text)[\s_]?1$/i,
  /^text$/i,
];
/** What half of the rows say is worth a word where nothing is found. */
const MOST = 0.5;
/** More texts than this make no label set. */
const MOST_LABELS = 10;

/**
 * Looks at the rows of a source and proposes how to read them: options, label, id, prompt, decoding and policies. What
 * all but a few rows say is proposed (`EXCEPTION_SHARE`); which rows do not fit shows when they are loaded.
 *
 * @param namesOf names of the classes 0, 1, ... of a field, where the file or another one has them
 * @throws SupportCalError bad-input: no rows, or nothing in them that could be options
 */
export async function proposeDataset(
  named: DatasetSourceYaml,
  yamlFile: string,
  namesOf: ClassNames = async () => null,
): Promise<ProposedDataset> {
  const notes: string[] = [];
  const doubts: string[] = [];
  const { rows, source } = await readInner(named, yamlFile, notes);
  const all = rowSample(rows);
  const sample = withExceptions(all);
  const { options, label } = await optionsAndLabel(sample, optionsOf(all), namesOf, { notes, doubts });
  const used = new Set([...options.fields, ...(label === null ? [] : [label.field])]);
  const id = idOf(sample, notes);
  if (id !== undefined) used.add(id);
  const question = questionOf(sample, used, doubts);
  const context = byName(sample.names, CONTEXT_NAMES).known.find(
    (name) => name !== question && everyRow(sample, name, isScalar),
  );
  const decode = question === null ? null : decodingOf(sample, question, notes);
  if (question === null) notes.push('no field looks like the question: complete the template');
  const lead = context === undefined ? '' : `{${context}}\n\n`;
  const template =
    `${lead}${options.fields.length === 0 ? 'Text' : 'Question'}: ` +
    `${question === null ? '' : `{${question}}`}\n{options}\nAnswer:`;
  return {
    rows: rows.length,
    notes,
    doubts,
    yaml: {
      source,
      fields: { ...(id !== undefined && { id }), options: options.yaml, ...(label !== null && { label: label.yaml }) },
      ...(decode !== null && question !== null && { decode: { [question]: decode } }),
      ...(rows.some((row) => options.of(row)?.includes('')) && { emptyOptions: 'keep' as const }),
      ...(label !== null && label.missing > 0 && { missingLabels: 'keep' as const }),
      prompt: { template },
    },
  };
}

async function readAll(source: DatasetSourceYaml, file: string): Promise<RowObject[]> {
  const faults = new FaultList();
  const rows: RowObject[] = [];
  const { batches } = await openSource(
    { id: 'proposed', outside: 'all' as const, file, yaml: { source }, locate: () => ({}) },
    faults,
  );
  await eachRow(batches, faults, ({ values }) => rows.push(values) < MOST_ROWS);
  if (faults.count > EXCEPTION_SHARE * (rows.length + faults.count)) faults.throwIfAny();
  if (rows.length === 0) throw new SupportCalError('bad-input', { file: nameOf(source), message: 'has no rows' });
  return rows;
}

/** The rows of a file; where it holds one object with a list of objects in it, those. */
async function readInner(source: DatasetSourceYaml, file: string, notes: string[]) {
  const rows = await readAll(source, file);
  const [only] = rows;
  if (rows.length > 1 || only === undefined || typeof source.path !== 'string') return { rows, source };
  if (isColumns(only) && /\.json(\.gz)?$/i.test(source.path)) {
    const inColumns = { ...source, layout: 'columns' as const };
    notes.push('the file holds one object of lists of one length: its fields are the columns of a table');
    return { rows: await readAll(inColumns, file), source: inColumns };
  }
  const lists = Object.entries(only).filter(
    ([, value]) =>
      Array.isArray(value) && value.length > 1 && allBut(EXCEPTION_SHARE * value.length, value, isRowObject),
  );
  const [name] = lists[0] ?? [];
  if (lists.length !== 1 || name === undefined || !/\.json(\.gz)?$/i.test(source.path)) return { rows, source };
  const inner = { ...source, rows: name };
  notes.push(`the file holds one object: its rows are those of its field "${name}"`);
  return { rows: await readAll(inner, file), source: inner };
}

/** Whether an object is a table by its columns: lists of one length, some of texts and some of something else. */
function isColumns(row: RowObject): boolean {
  const columns = Object.values(row);
  const [first] = columns;
  if (columns.length < 2 || !Array.isArray(first) || first.length < 2) return false;
  const areTexts = (list: RowValue) => Array.isArray(list) && list.every((item) => typeof item === 'string');
  return (
    columns.every((list) => Array.isArray(list) && list.length === first.length) &&
    columns.some(areTexts) &&
    columns.some((list) => !areTexts(list))
  );
}

/**
 * Options that all rows have, else those that all but the exceptions have, where more than its form speaks for it. A
 * column more than all rows have is one that the exceptions lack.
 */
function optionsOf(sample: RowSample): ProposedOptions | null {
  const [inAll, inMost] = [sample, withExceptions(sample)].map((each) => proposeOptions(each));
  if (
    inAll &&
    inMost &&
    inMost.fields.length > inAll.fields.length &&
    inAll.fields.every((name) => inMost.fields.includes(name))
  )
    return inMost;
  const sure = [inAll, inMost].find((each) => each && each.unsure !== true);
  return sure ?? inAll ?? null;
}

/** What is said of a proposal, by how sure it is. */
interface Remarks {
  readonly notes: string[];
  readonly doubts: string[];
}

async function optionsAndLabel(
  sample: RowSample,
  found: ProposedOptions | null,
  namesOf: ClassNames,
  remarks: Remarks,
): Promise<{ options: ProposedOptions; label: ProposedLabel | null }> {
  if (found === null) return fixedSet(sample, namesOf);
  const fitting = sample.rows.filter((row) => found.of(row) !== null);
  const label = found.labelled ? null : proposeLabel({ ...sample, rows: fitting }, found);
  if (found.unsure && label === null) {
    // A list of something else, where the label is one of a fixed set.
    try {
      return await fixedSet(sample, namesOf);
    } catch (error) {
      if (!(error instanceof SupportCalError)) throw error;
    }
  }
  const byIndex = typeof label?.yaml === 'object' && label.yaml.labelBase !== undefined;
  if (found.unsure && (label === null || byIndex))
    remarks.doubts.push(`the list "${found.fields.join()}" is taken for the options by nothing but its form`);
  if (label === null && !found.labelled) remarks.notes.push(unlabelledNote(sample, found));
  if (label?.note) remarks.doubts.push(label.note);
  return { options: found, label };
}

/** What most rows say is named, though it is not proposed. */
function unlabelledNote(sample: RowSample, found: ProposedOptions): string {
  const most = proposeLabel(sample, found, [MOST]);
  const nearly = most === null ? '' : ` in nearly all rows (field "${most.field}" does in most)`;
  return `no field says which option is right${nearly}: unlabelled; calibration works, ECE needs labels`;
}

/** Options that every row has: the values of the label itself, or the names of its numbers where they are known. */
async function fixedSet(sample: RowSample, namesOf: ClassNames) {
  const scalars = byName(sample.names, LABEL_NAMES).known.filter((name) => everyRow(sample, name, isScalar));
  for (const field of scalars) {
    const written = sample.rows.map((row) => fieldOf(row, field)).filter((value) => isScalar(value ?? null));
    const all = written.map((value) => String(value ?? '').trim());
    const values = [...new Set(all)].filter((value) => value !== '' && value !== '-1').sort(byNumber);
    const numbered = values.every((value) => /^\d{1,2}$/.test(value));
    const names = numbered ? await namesOf(field) : null;
    const named = names !== null && Number(values.at(-1) ?? 0) < names.length ? names : null;
    // Letters are the labels of options that were not found.
    if (values.every((value) => /^[A-J]$/.test(value))) continue;
    if (named === null && (values.length < 2 || values.length > (numbered ? MAX_OPTIONS : MOST_LABELS))) continue;
    const base = numbered && named === null && values[0] !== '0' ? 1 : 0;
    const numbers = Array.from({ length: Number(values.at(-1) ?? 0) - base + 1 }, (_, n) => `class ${n + base}`);
    const labels = numbered ? (named ?? numbers) : values;
    if (labels.length > MAX_OPTIONS) continue;
    const label: ProposedLabel = {
      field,
      missing: all.filter((value) => value === '' || value === '-1').length,
      note: null,
      yaml: numbered ? { field, labelBase: base } : { field, as: 'text' },
    };
    const options: ProposedOptions = { yaml: { labels: [...labels] }, fields: [], of: () => labels, labelled: false };
    return { options, label };
  }
  const message =
    `found no options in the fields ${sample.names.slice(0, 20).join(', ')}${mostHold(sample)}; write ` +
    `the YAML by hand (supportcal init shows how)`;
  throw new SupportCalError('bad-input', { message });
}

/** The field that holds options in most rows, and the first of the others. */
function mostHold(sample: RowSample): string {
  const found = proposeOptions(withExceptions(sample, MOST));
  if (found === null || found.unsure) return '';
  const others = sample.rows.flatMap((row, n) => (found.of(row) === null ? [n + 1] : []));
  const shown = others.slice(0, 5).join(', ') + (others.length > 5 ? ', ...' : '');
  const count = `${sample.rows.length - others.length} of ${sample.rows.length} rows`;
  return `, of which ${found.fields.join(', ')} hold some in ${count} (not in ${shown})`;
}

function byNumber(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

/** A field that is named like an id and has a value of its own in every row. */
function idOf(sample: RowSample, notes: string[]): string | undefined {
  const { known } = byName(sample.names, ID_NAMES);
  const id = known.find((name) => isUnique(sample, name));
  if (id !== undefined) return id;
  const { rows, exceptions } = sample;
  const repeated = (name: string) => rows.length - new Set(rows.map((row) => fieldOf(row, name))).size;
  const nearly = known.find((name) => repeated(name) > 0 && repeated(name) <= exceptions);
  if (nearly !== undefined)
    notes.push(
      `field "${nearly}" is not taken for the id, since ${repeated(nearly)} of ${rows.length} rows repeat the value of ` +
        'another one: ids are hashes of the rows',
    );
  return undefined;
}

function isUnique(sample: RowSample, name: string): boolean {
  const values = new Set(sample.rows.map((row) => fieldOf(row, name)));
  return (
    values.size === sample.rows.length &&
    everyRow(sample, name, (value) => isScalar(value) && value !== null && value !== '')
  );
}

/** A field that is named like a question, else the text that is longest on average. */
function questionOf(sample: RowSample, used: ReadonlySet<string>, doubts: string[]): string | null {
  const texts = sample.names.filter(
    (name) => !used.has(name) && everyRow(sample, name, (value) => typeof value === 'string'),
  );
  const { known, others } = byName(texts, TEXT_NAMES);
  const length = (name: string) => sample.rows.reduce((sum, row) => sum + String(fieldOf(row, name) ?? '').length, 0);
  const [longest, ...rest] = others.sort((a, b) => length(b) - length(a));
  if (known[0] !== undefined || longest === undefined) return known[0] ?? null;
  const names = rest.slice(0, 5).map((name) => `"${name}"`);
  if (rest.length > 0)
    doubts.push(
      `field "${longest}" is taken for the question because its texts are longer than those of ${names.join(', ')}`,
    );
  return longest;
}

function decodingOf(
  { rows }: RowSample,
  question: string,
  notes: string[],
): Array<'unicode-escapes' | 'html' | 'trim'> | null {
  const share = (pattern: RegExp) =>
    rows.filter((row) => pattern.test(String(fieldOf(row, question)))).length / rows.length;
  const rules = [
    ...(share(/\\u[0-9a-f]{4}/i) > 0.01 ? (['unicode-escapes'] as const) : []),
    ...(share(/&(amp|lt|gt|quot|#\d+);/) > 0.01 ? (['html'] as const) : []),
    ...(share(/^\s|\s$/) > 0.5 ? (['trim'] as const) : []),
  ];
  if (rules.length === 0) return null;
  notes.push(`the texts of "${question}" hold ${rules.join(', ')} for \`decode\`: look at a few prompts`);
  return rules;
}

function nameOf({ path, files }: DatasetSourceYaml): string {
  return [path ?? Object.values(files ?? {})].flat().join(', ');
}
