import { readableSlug, slugOf } from '../../files/slug-of.js';

const RESERVED = /^(runs|con|prn|aux|nul|com\d|lpt\d)(\.|$)/;
const LOOKS_HASHED = /-[0-9a-f]{8}$/;

/** `tables/demo-facts.csv` for the wide table of one data set; no two data sets share a file. */
export function tablePath(dataset: string): string {
  return `tables/${fileName(dataset)}.csv`;
}

/** `tables/demo-facts.tex`, named as the CSV. */
export function latexTablePath(dataset: string): string {
  return `tables/${fileName(dataset)}.tex`;
}

/** `figures/reliability--demo-facts--llama-chat.svg`; no two (figure, data set, target) share a file. */
export function figurePath(kind: string, dataset: string, target?: string): string {
  const names = [dataset, ...(target === undefined ? [] : [target])].map(fileName);
  return `figures/${[kind, ...names].join('--')}.svg`;
}

/**
 * The label itself where it is a plain lower-case file name, else its slug with a hash. The two never meet: what ends
 * like a hash counts as not plain. Neither holds `--`, so joined names stay apart too.
 */
export function fileName(label: string): string {
  const plain =
    label === readableSlug(label) &&
    label === label.toLowerCase() &&
    !RESERVED.test(label) &&
    !LOOKS_HASHED.test(label);
  return plain ? label : slugOf(label);
}
