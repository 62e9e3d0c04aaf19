import type { Example } from '../example/example.js';
import { foldedText } from '../example/near-hash.js';
import { bringsLabel, type FieldMapping } from './field-mapping.js';

const LISTED = 10;

/** What a user should look at although the rows are usable. */
export function datasetWarnings(examples: readonly Example[], mapping: FieldMapping): string[] {
  return [
    ...equalOptions(examples),
    ...emptyOptions(examples),
    ...copies(examples),
    ...nearCopies(examples),
    ...contradictions(examples),
    ...(mapping.label === null ? [] : unlabelled(examples)),
    // Where the order of the options is drawn, it says nothing that no right option came to stand somewhere.
    ...(mapping.label === null || bringsLabel(mapping.options) ? [] : neverTheAnswer(examples, mapping)),
  ];
}

/** Two options that differ only in spaces or compatibility forms (a no-break space, a ligature) count as equal. */
export function foldedOption(option: string): string {
  return option.normalize('NFKC').replace(/\s+/g, ' ').trim();
}

function equalOptions(examples: readonly Example[]): string[] {
  const ids = examples
    .filter(({ options }) => new Set(options.map(foldedOption)).size < options.length)
    .map((example) => example.id);
  return ids.length === 0 ? [] : [`${count(ids.length, 'row')} with two equal options (kept): ${listed(ids)}`];
}

function emptyOptions(examples: readonly Example[]): string[] {
  const ids = examples.filter(({ options }) => options.some((text) => text.trim() === '')).map(({ id }) => id);
  return ids.length === 0 ? [] : [`${count(ids.length, 'row')} with an empty option (kept): ${listed(ids)}`];
}

function copies(examples: readonly Example[]): string[] {
  const first = new Map<string, string>();
  const ids = examples.filter(({ id, contentHash }) => {
    const known = first.has(contentHash);
    if (!known) first.set(contentHash, id);
    return known;
  });
  const pairs = ids.map(({ id, contentHash }) => `${id} = ${first.get(contentHash)}`);
  return ids.length === 0 ? [] : [`${count(ids.length, 'row')} with the same content as another row: ${listed(pairs)}`];
}

/** Rows that another one before them is a near copy of; exact copies are said apart. */
function nearCopies(examples: readonly Example[]): string[] {
  const first = new Map<string, Example>();
  const pairs = examples.flatMap((example) => {
    const known = first.get(nearOf(example));
    if (known === undefined) first.set(nearOf(example), example);
    return known === undefined || known.contentHash === example.contentHash ? [] : [`${example.id} ~ ${known.id}`];
  });
  if (pairs.length === 0) return [];
  return [
    `${count(pairs.length, 'row')} with question and options as another row but for Unicode form, case, blanks, order of ` +
      `options or fields that no prompt shows (kept, on one side of every split): ${listed(pairs)}`,
  ];
}

/** Copies and near copies whose right options differ: one of the two labels is wrong. */
function contradictions(examples: readonly Example[]): string[] {
  const first = new Map<string, { readonly id: string; readonly answer: string; readonly label: number }>();
  const pairs = examples.flatMap((example) => {
    const { id, label, options } = example;
    if (label === null) return [];
    const answer = foldedText(options[label] ?? '');
    const known = first.get(nearOf(example));
    if (known === undefined) first.set(nearOf(example), { id, answer, label });
    return known === undefined || known.answer === answer ? [] : [`${id} (${label}) and ${known.id} (${known.label})`];
  });
  if (pairs.length === 0) return [];
  return [`${count(pairs.length, 'row')} with a label that a copy of the row contradicts (0-based): ${listed(pairs)}`];
}

function nearOf({ nearHash, contentHash }: Example): string {
  return nearHash ?? contentHash;
}

/** Rows that have no label beside others that do; where none has one, that is said once and not of each. */
function unlabelled(examples: readonly Example[]): string[] {
  const ids = examples.filter((example) => example.label === null).map((example) => example.id);
  if (ids.length === 0 || ids.length === examples.length) return [];
  const rows = `${ids.length} of ${count(examples.length, 'row')}`;
  return [`${rows} without a label (they take part in the fit, not in the metrics): ${listed(ids)}`];
}

function neverTheAnswer(examples: readonly Example[], mapping: FieldMapping): string[] {
  const labelled = examples.filter((example) => example.label !== null);
  if (labelled.length === 0) return [];
  const most = Math.max(...new Set(labelled.map((example) => example.options.length)));
  const answers = new Set(labelled.map(({ label }) => label));
  const never = Array.from({ length: most }, (_, k) => k).filter((k) => !answers.has(k));
  if (never.length === 0) return [];
  const { options } = mapping;
  const counted = mapping.label?.keys === undefined && [undefined, 'index'].includes(mapping.label?.as);
  const atAnEnd = never.includes(0) || never.includes(most - 1);
  const base = counted && atAnEnd ? '; check that the label base is right' : '';
  if (options.kind === 'fixed') {
    return [`labels that never occur: ${never.map((k) => JSON.stringify(options.labels[k])).join(', ')}${base}`];
  }
  return [`options that are never the answer, by 0-based position (0 to ${most - 1}): ${never.join(', ')}${base}`];
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function listed(ids: readonly string[]): string {
  const more = ids.length > LISTED ? `, and ${ids.length - LISTED} more` : '';
  return ids.slice(0, LISTED).join(', ') + more;
}
