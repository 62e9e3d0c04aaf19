import type { Example } from '../example/example.js';
import { foldedText } from '../example/near-hash.js';
import { bringsLabel, type FieldMapping, optionFields } from './field-mapping.js';

/** What the rows have beside what the mapping makes of them. */
export interface SeenFields {
  /** Every name that some row has, nested ones dotted. */
  readonly found: ReadonlySet<string>;
  /** Fields that the prompt shows. */
  readonly shown: readonly string[];
  /** Fields that are used otherwise, such as by a filter. */
  readonly used: readonly string[];
}

const LISTED = 5;
const OPTIONS_NAME =
  /^((opt|option|choice|ans|answer|ending|candidate|alternative)([\s_.-]?([a-h]|\d))?|options|choices|answers|endings|candidates|alternatives|distract[oe]rs?)$/i;
const ANSWER_NAME =
  /^(answers?|answer[\s_]?(key|idx|index|letter)|(correct|right|gold|true|best)([\s_-]?(answer|option|choice|label))?|label|target|truth|cop)$/i;
/** Texts that tell the answer, and fields that are about the row. */
const NO_QUESTION =
  /^(answers?|rationale|explanation|reason(ing)?|solution|label|target|split|source|url|version|licen[cs]e)$/i;

/**
 * What makes it doubtful that the fields of a data set mean what its YAML says, each with what was seen. A proposal
 * with a doubt is a question; a data set that somebody wrote is read all the same.
 */
export function datasetDoubts(examples: readonly Example[], mapping: FieldMapping, seen: SeenFields): string[] {
  return [
    ...oneRow(examples),
    ...letters(examples),
    ...madeUpClasses(mapping),
    ...sameOptions(examples, mapping),
    ...rareClasses(examples, mapping),
    ...unusedFields(examples, mapping, seen),
    ...promptDoubts(examples, mapping, seen),
  ];
}

function oneRow(examples: readonly Example[]): string[] {
  if (examples.length !== 1) return [];
  return ['there is one row only: rows that lie deeper in the file are named by `source.rows`'];
}

function letters(examples: readonly Example[]): string[] {
  const all = examples.length > 0 && examples.every(({ options }) => options.every((text) => /^[A-Za-z]$/.test(text)));
  if (!all) return [];
  return [`every option is a single letter (${shown(examples[0]?.options ?? [])}): the texts may stand elsewhere`];
}

function madeUpClasses({ options }: FieldMapping): string[] {
  if (options.kind !== 'fixed' || !options.labels.every((text) => /^class \d+$/.test(text))) return [];
  return [
    `the classes have numbers only, and ${shown(options.labels)} mean nothing to a model: write their names into ` +
      '`fields.options.labels`',
  ];
}

/** Options of fields that never differ, and of which the label has the texts, are a set of classes or no options. */
function sameOptions(examples: readonly Example[], { options, label }: FieldMapping): string[] {
  if (options.kind === 'fixed' || bringsLabel(options) || examples.length < 2) return [];
  const first = JSON.stringify(examples[0]?.options);
  if (label?.as !== 'text' || !examples.every((example) => JSON.stringify(example.options) === first)) return [];
  return [`the options are equal in all rows, and are the values of the label: ${shown(examples[0]?.options ?? [])}`];
}

/** A set of classes whose members hardly recur is a list of answers to open questions. */
function rareClasses(examples: readonly Example[], { options, label }: FieldMapping): string[] {
  if (options.kind !== 'fixed' || label?.as !== 'text' || examples.length < 3) return [];
  const counts = new Map<number, number>();
  for (const { label: k } of examples) if (k !== null) counts.set(k, (counts.get(k) ?? 0) + 1);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (counts.size < 3 || counts.size * 2 <= total) return [];
  return [
    `field "${label.field}" has ${counts.size} different values in ${total} rows (${shown(options.labels)}): these may ` +
      'be answers to open questions, and no classes',
  ];
}

function unusedFields(examples: readonly Example[], mapping: FieldMapping, seen: SeenFields): string[] {
  const { label, idFields } = mapping;
  const used = [
    ...optionFields(mapping.options),
    ...(label === null ? [] : [label.field, ...(label.keys === undefined ? [] : [label.keys])]),
    ...idFields,
    ...seen.shown,
    ...seen.used,
    ...mapping.promptNames.values(),
  ];
  const isUsed = (name: string) =>
    used.some((each) => each === name || each.startsWith(`${name}.`) || name.startsWith(`${each}.`));
  // Parts of a field whose name says something else are that field's.
  const unused = [...seen.found].filter((name) => !name.includes('.') && !isUsed(name));
  const about = (name: string, what: string) => `field "${name}" is not used, though its name says that it ${what}`;
  const listLike = unused.filter((name) => OPTIONS_NAME.test(name) && !ANSWER_NAME.test(name));
  const answers = unused.filter((name) => ANSWER_NAME.test(name) && !agrees(examples, name, mapping));
  return [
    ...listLike.map((name) => about(name, 'holds options')),
    ...answers.map((name) => about(name, `holds the answer${seenValues(examples, name)}`)),
  ];
}

function seenValues(examples: readonly Example[], name: string): string {
  const values = [...new Set(examples.flatMap(({ fields }) => fields[name] ?? []))];
  return values.length === 0 ? '' : ` (${shown(values)})`;
}

/** Whether a field says the same as the label: as a text, a letter, or a number that counts from 0 or 1. */
function agrees(examples: readonly Example[], name: string, mapping: FieldMapping): boolean {
  if (mapping.label === null) return false;
  const rows = examples.filter(({ label, fields }) => label !== null && fields[name] !== undefined);
  const readings: ((label: number, options: readonly string[]) => string)[] = [
    (label, options) => options[label] ?? '',
    (label) => String.fromCharCode(65 + label),
    (label) => String(label),
    (label) => String(label + 1),
  ];
  return (
    rows.length > 0 &&
    readings.some((reading) =>
      rows.every(
        ({ label, options, fields }) => foldedText(fields[name] ?? '') === foldedText(reading(label ?? 0, options)),
      ),
    )
  );
}

function promptDoubts(examples: readonly Example[], mapping: FieldMapping, { shown: names }: SeenFields): string[] {
  const [first] = examples;
  if (first === undefined) return [];
  const texts = names.filter((name) => first.fields[name] !== undefined);
  if (names.length === 0) return ['the prompt shows no field of the row: no field looks like the question'];
  const odd = texts.length === 1 && NO_QUESTION.test(texts[0]?.split('.').at(-1) ?? '') ? texts : [];
  const constant = (name: string) => examples.every(({ fields }) => fields[name] === first.fields[name]);
  const tells = mapping.label === null ? [] : texts.filter((name) => tellsAnswer(examples, name));
  return [
    ...odd.map((name) => `the prompt asks by field "${name}", whose name is not that of a question`),
    ...(examples.length > 1 && texts.length > 0 && texts.every(constant)
      ? [`the prompt shows the same text for every row (fields ${shown(texts)})`]
      : []),
    ...tells.map((name) => `the prompt shows the right answer: field "${name}" is its text in all rows`),
  ];
}

function tellsAnswer(examples: readonly Example[], name: string): boolean {
  const rows = examples.filter(({ label }) => label !== null);
  return rows.length > 0 && rows.every(({ fields, options, label }) => fields[name] === options[label ?? 0]);
}

function shown(values: readonly string[]): string {
  const more = values.length > LISTED ? ', ...' : '';
  const text = (value: string) => JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}...` : value);
  return values.slice(0, LISTED).map(text).join(', ') + more;
}
