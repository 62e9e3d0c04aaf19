import { allTokens } from '../encode/prompt-size.js';
import type { JobPrompt } from '../rows/job-prompt.js';
import type { JobWave } from '../rows/plan-jobs.js';
import { isFirst, workOf } from './wave-kinds.js';

/** What some waves took. */
export interface WaveTime {
  /** Milliseconds for each unit of work (`workOf`). */
  readonly slowness: number;
  /** Work of a prompt on average; 1 where none was evaluated. */
  readonly each: number;
  /** Replies to a prompt on average. */
  readonly replies: number;
  /** Tokens of the longest reply of a batch on average: each batch has as many passes. */
  readonly written: number;
}

/** From so many tokens on what they take can be told from what the first one takes. */
const LEAST_WRITTEN = 2;

/**
 * Milliseconds for each unit of work of waves of replies. A prompt costs its time once, and each reply to it costs that
 * of its tokens again; how these two compare is what shapes differ by. So waves are evaluated with two amounts of
 * writing, from which the rest follows: all replies would take a card six seconds for 64 prompts in four contexts. The
 * passes are those of a run, with a sequence for each prompt.
 *
 * Free text is written to one token and to the end of one reply; what a grammar holds, and what ends at once, to the
 * end of one reply and of two.
 *
 * @param waves of one kind
 */
export async function slownessOfReplies(
  waves: readonly JobWave[],
  timeOf: (waves: readonly JobWave[]) => Promise<WaveTime>,
): Promise<number> {
  const single = waves.map((wave) => withReplies(wave, 1));
  const prompts = repliesOf(single);
  const replies = repliesOf(waves) / prompts;
  const work = workOf(waves) / prompts;
  const token = isFree(waves) ? await timeOf(single.map(withOneToken)) : null;
  const one = await timeOf(single);
  if (token !== null && one.written >= LEAST_WRITTEN)
    return told(amount(token, 1), amount(one, one.written), { work, writing: replies * one.written });
  if (replies === 1) return one.slowness;
  const two = await timeOf(waves.map((wave) => withReplies(wave, 2)));
  return told(amount(one, 1), amount(two, two.replies), { work, writing: replies });
}

/** Work and writing of a prompt on average, the latter in tokens or in replies. */
interface Amount {
  readonly work: number;
  readonly writing: number;
}

interface TimedAmount extends Amount {
  readonly slowness: number;
}

function amount({ slowness, each }: WaveTime, writing: number): TimedAmount {
  return { slowness, work: each, writing };
}

/**
 * The slowness of all from that of two amounts: slowness = prompts + write x writing / work of each of them, so that
 * prompts that are shorter than others in a cut do not make their replies shorter too. Neither is less than nothing,
 * whatever the clock says.
 */
function told(less: TimedAmount, more: TimedAmount, all: Amount): number {
  const share = ({ writing, work }: Amount) => writing / work;
  const apart = share(more) - share(less);
  const write = more.slowness > less.slowness && apart > 0 ? (more.slowness - less.slowness) / apart : 0;
  return Math.max(0, less.slowness - write * share(less)) + write * share(all);
}

/** The waves with the least that can be written, by which contexts get warm. */
export function leastOf(waves: readonly JobWave[]): JobWave[] {
  return waves.map((wave) => withOneToken(withReplies(wave, 1)));
}

function repliesOf(waves: readonly JobWave[]): number {
  return waves.reduce((sum, { rows }) => sum + rows.length, 0);
}

function isFree([wave]: readonly JobWave[]): boolean {
  const prompt = wave?.rows[0]?.prompt;
  return prompt?.kind === 'reply' && prompt.form === null && prompt.longest >= LEAST_WRITTEN;
}

/** The last replies to each prompt: a single greedy one stands before those that are drawn, if both are asked for. */
function withReplies(wave: JobWave, most: number): JobWave {
  const groups: JobPrompt[][] = [];
  for (const row of wave.rows) {
    if (isFirst(row)) groups.push([]);
    groups.at(-1)?.push(row);
  }
  const rows = groups.flatMap((group) =>
    group.slice(-most).map((row, n) => (n === 0 ? { ...row, tokens: allTokens(row.prompt) } : row)),
  );
  return { ...wave, rows };
}

function withOneToken(wave: JobWave): JobWave {
  return { ...wave, rows: wave.rows.map((row) => ({ ...row, prompt: oneToken(row.prompt) })) };
}

function oneToken(prompt: JobPrompt['prompt']): JobPrompt['prompt'] {
  if (prompt.kind !== 'reply' || prompt.form !== null) return prompt;
  return { ...prompt, request: { ...prompt.request, maxTokens: 1 } };
}
