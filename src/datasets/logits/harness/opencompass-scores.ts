import { isRowObject, type RowObject, type RowValue, scalarText } from '../../../formats/row/source-row.js';
import { logNumber } from './log-number.js';

/** What one entry of a file of predictions says of its labels, in the order of the labels. */
export interface OpenCompassScores {
  readonly labels: readonly string[];
  /** Log-probabilities, right but for one common number of the row; NaN where the log has none. */
  readonly scores: readonly number[];
  /** Divided by tokens, of the whole text; null: not known. */
  readonly means: readonly number[] | null;
  /** By which the harness chose its prediction: the greatest. */
  readonly own: readonly number[];
  readonly texts: readonly string[];
  readonly prompts: readonly string[];
  readonly absent?: string | undefined;
}

const PREFIX = 'label: ';

/**
 * The inferencers of OpenCompass leave three forms: perplexities of a whole text for each label (PPL, which is the mean
 * negative log-probability of its tokens), log-likelihoods of what follows the prompt (LL), and probabilities of single
 * tokens that are divided among the choices (CLP). A text says what is wrong.
 */
export function openCompassScores(values: RowObject): OpenCompassScores | string {
  const labels = Object.keys(values)
    .filter((key) => key.startsWith(PREFIX))
    .map((key) => key.slice(PREFIX.length))
    .sort(inOrder);
  const empty = labels.find((label) => !isRowObject(values[PREFIX + label]));
  if (empty !== undefined) return `the entry of the label "${empty}" is no object; is the log whole?`;
  if (labels.length > 0) {
    const entries = labels.map((label) => values[PREFIX + label] as RowObject);
    return entries.some((entry) => 'Loglikelihood' in entry)
      ? likelihoods(labels, entries)
      : perplexities(labels, entries);
  }
  if (Array.isArray(values.choices)) return shares(values, values.choices as readonly RowValue[]);
  return (
    'expected a perplexity or log-likelihood for each label, or choices with probabilities; the data set lets the ' +
    'model write (gen): take its configuration with ppl, ll or clp in the name'
  );
}

/**
 * A perplexity is of a whole text, context and label: the sum over its tokens is the log-probability of the label after
 * the context, but for that of the context, which all labels share. BPB times bytes is that sum.
 */
function perplexities(labels: readonly string[], entries: readonly RowObject[]): OpenCompassScores | string {
  const ppl = entries.map(({ PPL: value }) => logNumber(value));
  if (ppl.includes(undefined)) return 'a label has no PPL, or one that is no number';
  if (ppl.some((value) => value !== undefined && value < 0))
    return 'a PPL is below 0: the data set takes that of another text off (normalizing_str), which is not read';
  const means = ppl.map((value) => -(value ?? Number.NaN));
  const texts = entries.map((entry) => textOf(entry['testing input']));
  const scores = entries.map(
    ({ BPB: value }, k) => -(logNumber(value) ?? Number.NaN) * Buffer.byteLength(texts[k] ?? ''),
  );
  const absent = scores.some(Number.isNaN)
    ? 'the log has no BPB, from which the sum over the tokens follows; take --normalize mean-token'
    : undefined;
  return { labels, scores, means, own: means, texts, prompts: entries.map(({ prompt }) => textOf(prompt)), absent };
}

function likelihoods(labels: readonly string[], entries: readonly RowObject[]): OpenCompassScores | string {
  const found = entries.map(({ Loglikelihood: value }) => logNumber(value));
  if (found.includes(undefined)) return 'a label has no Loglikelihood, or one that is no number';
  const scores = found as number[];
  const texts = entries.map((entry) => textOf(entry['testing input']));
  return { labels, scores, means: null, own: scores, texts, prompts: entries.map(({ prompt }) => textOf(prompt)) };
}

function shares(values: RowObject, choices: readonly RowValue[]): OpenCompassScores | string {
  const labels = choices.map((choice) => scalarText(choice) ?? '');
  const list = Array.isArray(values.prediction) ? (values.prediction as readonly RowValue[]).map(logNumber) : [];
  if (list.length !== labels.length || list.includes(undefined))
    return `expected ${labels.length} probabilities, one a choice`;
  if (list.some((share) => share !== undefined && (share < 0 || share > 1 + 1e-6)))
    return 'a probability of a choice is not between 0 and 1';
  const scores = list.map((share) => Math.min(0, Math.log(share ?? Number.NaN)));
  const texts = [textOf(values['testing input'])];
  return { labels, scores, means: null, own: scores, texts, prompts: [textOf(values.prompt)] };
}

function textOf(value: RowValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** Where labels come from the data, the order of the file is that of a Python set, another one in every run. */
function inOrder(a: string, b: string): number {
  if (/^\d+$/.test(a) && /^\d+$/.test(b)) return Number(a) - Number(b);
  return a < b ? -1 : a > b ? 1 : 0;
}
