import type { EndpointModel } from '../../config/source-kind.js';
import type { ExamplePrompt } from '../../contract/prompt.js';
import type { ScoredRow } from '../../contract/scored-row.js';
import { massFault } from '../../engine/protocol/reading-fault.js';
import type { NextToken, ServedApi } from './api/served-api.js';
import { EndpointFault } from './endpoint-fault.js';
import { type FramedPrompt, framePrompt, refuseControlMarks } from './frame-prompt.js';
import type { OptionIds } from './option-ids.js';

/** How options are asked for. */
export interface Asking {
  readonly model: EndpointModel;
  readonly api: ServedApi;
  /** null: the server does not tell its tokens. */
  readonly ids: OptionIds | null;
  /** Whether an equal bias on all options brings back those that are not among the most probable tokens. */
  readonly biasWorks: boolean;
}

/** Log-probabilities of the K options; null: the server did not tell. */
export interface AskedOptions {
  readonly logprobs: readonly (number | null)[];
  /** Whether they are over the whole vocabulary; else they are right but for one common number. */
  readonly absolute: boolean;
  readonly promptTokens: number;
  /** The largest log-probability that an option which was not told can have; null: nothing limits it. */
  readonly most: number | null;
}

/** Large enough to bring an option among the most probable tokens, small enough to keep the digits of the others. */
const BIAS = 30;

/**
 * The row of one example, from one request for each order of its options. A row without the log-probability of every
 * option fails: an option that is missing is missing, not improbable by some amount. With `missing: bound` it stands at
 * the largest value that it can have, and the row says which options do.
 *
 * @throws EndpointFault (model) when no row can be had
 */
export async function scoreOptions(prompt: ExamplePrompt, asking: Asking): Promise<ScoredRow> {
  const orders = prompt.rotations ?? [prompt];
  const logits: number[] = [];
  let tokens = 0;
  let mass = 0;
  let absolute = true;
  try {
    for (const { text, continuations } of orders) {
      const framed = framePrompt({ text, continuations, answerPrefix: prompt.answerPrefix }, asking.model);
      const asked = await askOptions(framed, asking);
      tokens += asked.promptTokens;
      absolute &&= asked.absolute;
      const bounded = prompt.rotations === undefined ? boundedRow(prompt.id, asked, asking.model) : null;
      if (bounded !== null) return bounded;
      const logprobs = complete(asked, framed);
      mass += massOf(logprobs) / orders.length;
      logits.push(...logprobs);
    }
  } catch (error) {
    if (!(error instanceof EndpointFault) || error.concerns === 'model') throw error;
    return { status: 'failed', id: prompt.id, reason: error.message, promptTokens: tokens };
  }
  const known = absolute ? { logZ: 0, optionMass: Math.min(1, mass) } : { logZ: Number.NaN, optionMass: Number.NaN };
  return { status: 'ok', id: prompt.id, logits, ...known, promptTokens: tokens };
}

/** @throws EndpointFault (row) for a text that the server would read as more than text */
export async function askOptions(framed: FramedPrompt, asking: Asking): Promise<AskedOptions> {
  const { api, ids: idsOf, biasWorks } = asking;
  refuseControlMarks([framed.text]);
  const ids =
    idsOf === null
      ? declaredIds(asking.model, framed)
      : await idsOf(framed.chat ? framed.reply : framed.text, framed.labels);
  const plain = await api.next(framed, { ids: api.named ? ids : null });
  const logprobs = read(plain, framed, ids);
  const { promptTokens } = plain;
  const most = api.named ? null : mostOfOthers(plain);
  if (!logprobs.includes(null) || ids === null || !biasWorks) return { logprobs, absolute: true, promptTokens, most };
  const biased = await api.next(framed, { ids: api.named ? ids : null, bias: { ids, by: BIAS } });
  const spent = promptTokens + biased.promptTokens;
  return { logprobs: read(biased, framed, ids), absolute: false, promptTokens: spent, most: null };
}

/**
 * Finds out whether the server applies a bias before it computes log-probabilities, and to all options alike: options
 * that come back both ways must differ from each other as before, and one more must come back or rise.
 */
export async function biasProbe(framed: FramedPrompt, asking: Asking): Promise<boolean> {
  const ids = declaredIds(asking.model, framed);
  if (asking.api.named || ids === null) return false;
  const before = read(await asking.api.next(framed, { ids: null }), framed, ids);
  const after = read(await asking.api.next(framed, { ids: null, bias: { ids, by: BIAS } }), framed, ids);
  const both = before.flatMap((value, k) => {
    const biased = after[k];
    return value === null || biased === null || biased === undefined ? [] : [biased - value];
  });
  const rose = both.some((shift) => shift > AGREES) || after.filter((each) => each !== null).length > both.length;
  return both.length > 0 && rose && Math.max(...both) - Math.min(...both) <= AGREES;
}

const AGREES = 0.05;

/** Token ids that models.yaml gives for the options; null: not of all of them. */
function declaredIds({ endpoint }: EndpointModel, { labels }: FramedPrompt): readonly number[] | null {
  const ids = labels.flatMap((label) => endpoint.tokenIds?.[label] ?? []);
  return ids.length === labels.length ? ids : null;
}

function read({ byId, byText }: NextToken, { labels }: FramedPrompt, ids: readonly number[] | null) {
  return labels.map((label, k): number | null => byId.get(ids?.[k] ?? -1) ?? byText.get(label) ?? null);
}

/** What one order of the options has together. Probabilities of different tokens that are more than 1 are none. */
function massOf(logprobs: readonly number[]): number {
  const mass = logprobs.reduce((sum, value) => sum + Math.exp(value), 0);
  if (massFault(mass) === null) return mass;
  const told = `the server tells probabilities of the options that are ${mass.toPrecision(4)} together`;
  throw new EndpointFault('row', `${told}; expected 1 at most, so they are not of one distribution`);
}

/** What rounding may take from the sum of the probabilities that a server tells. */
const ROUNDING = 1e-4;

/**
 * The largest log-probability of a token that is not among those that came back, which are the most probable ones: that
 * of the last of them, and no more than what they leave.
 */
function mostOfOthers({ byId, byText }: NextToken): number | null {
  const told = [...byId.values(), ...byText.values()].filter(Number.isFinite);
  if (told.length === 0) return null;
  const left = 1 - told.reduce((sum, value) => sum + Math.exp(value), 0);
  return Math.min(...told, Math.log(Math.max(0, left) + ROUNDING));
}

/** The row where some options are known and the others have a largest value; null: it is whole, or fails. */
function boundedRow(
  id: string,
  { logprobs, most, promptTokens }: AskedOptions,
  model: EndpointModel,
): ScoredRow | null {
  const told = logprobs.map((value) => value !== null && Number.isFinite(value));
  if (model.endpoint.missing !== 'bound' || most === null || told.length > MOST_OPTIONS) return null;
  if (told.every(Boolean) || !told.includes(true)) return null;
  const logits = logprobs.map((value, k) => (told[k] ? (value ?? most) : most));
  const untold = told.reduce((bits, isTold, k) => (isTold ? bits : bits | (1 << k)), 0);
  const optionMass = massOf(logits.filter((_, k) => told[k]));
  return { status: 'ok', id, logits, logZ: 0, optionMass: Math.min(1, optionMass), promptTokens, untold };
}

/** Bits of a row. */
const MOST_OPTIONS = 31;

function complete({ logprobs }: AskedOptions, { labels }: FramedPrompt): readonly number[] {
  const missing = labels.filter((_, k) => (logprobs[k] ?? null) === null);
  if (missing.length > 0) {
    throw new EndpointFault(
      'row',
      `the server did not tell the log-probability of ${missing.map((label) => JSON.stringify(label)).join(', ')} ` +
        '(not among the most probable tokens that it gives)',
    );
  }
  return logprobs.flatMap((value) => value ?? []);
}
