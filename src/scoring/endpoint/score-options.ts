import type { EndpointModel } from '../../config/source-kind.js';
import type { ExamplePrompt } from '../../contract/prompt.js';
import type { ScoredRow } from '../../contract/scored-row.js';
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
}

/** Large enough to bring an option among the most probable tokens, small enough to keep the digits of the others. */
const BIAS = 30;

/**
 * The row of one example, from one request for each order of its options. A row without the log-probability of every
 * option fails: an option that is missing is missing, not improbable by some amount.
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
      for (const value of complete(asked, framed)) {
        logits.push(value);
        mass += Math.exp(value) / orders.length;
      }
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
  if (!logprobs.includes(null) || ids === null || !biasWorks) return { logprobs, absolute: true, promptTokens };
  const biased = await api.next(framed, { ids: api.named ? ids : null, bias: { ids, by: BIAS } });
  return { logprobs: read(biased, framed, ids), absolute: false, promptTokens: promptTokens + biased.promptTokens };
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
