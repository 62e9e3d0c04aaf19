import { arrow, feather } from './arrow.js';
import { csv, tsv } from './csv.js';
import type { Format } from './format.js';
import { json } from './json.js';
import { jsonl } from './jsonl.js';
import { pairedText } from './paired-text.js';
import { parquet } from './parquet.js';

/**
 * Every format of rows. The YAML schema, its JSON Schema and messages, detection by ending and by first bytes, reading,
 * the places of faults, splits of hub data sets and the help of `add-dataset` follow from this table. A new format is
 * one file with its record, one line here, and its name in docs/datasets.md (a test compares the two).
 */
const TABLE = [jsonl, json, csv, tsv, parquet, arrow, feather, pairedText] as const;

export type FormatName = (typeof TABLE)[number]['name'];

export const FORMATS: readonly Format<FormatName>[] = TABLE;

export const FORMAT_NAMES: readonly FormatName[] = TABLE.map(({ name }) => name);

export function formatNamed(name: FormatName): Format<FormatName> {
  const format = FORMATS.find((each) => each.name === name);
  if (format === undefined) throw new Error(`no format is called ${name}`);
  return format;
}

/** Names of formats for a sentence: `jsonl, json or csv`. */
export function namesOf(formats: readonly Format[]): string {
  const names = formats.map(({ name }) => name);
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' or ');
}
