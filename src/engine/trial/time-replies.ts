import type { JobPrompt } from '../rows/job-prompt.js';
import type { JobWave } from '../rows/plan-jobs.js';
import { isFirst } from './wave-kinds.js';

/** What some waves took. */
export interface WaveTime {
  /** Milliseconds for each unit of work (`workOf`). */
  readonly slowness: number;
  /** Tokens of a reply on average; 0 where none was written. */
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
  const [single, twofold] = [1, 2].map((most) => waves.map((wave) => withReplies(wave, most))) as [
    JobWave[],
    JobWave[],
  ];
  const prompts = repliesOf(single);
  const each = repliesOf(waves) / prompts;
  const token = isFree(waves) ? await timeOf(single.map(withOneToken)) : null;
  const one = await timeOf(single);
  if (token !== null && one.written >= LEAST_WRITTEN)
    return token.slowness + ((each * one.written - 1) / (one.written - 1)) * longer(one, token);
  const second = repliesOf(twofold) / prompts - 1;
  if (second === 0) return one.slowness;
  return one.slowness + ((each - 1) / second) * longer(await timeOf(twofold), one);
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

/** The first replies to each prompt. */
function withReplies(wave: JobWave, most: number): JobWave {
  let replies = 0;
  const rows = wave.rows.filter((row) => {
    replies = isFirst(row) ? 1 : replies + 1;
    return replies <= most;
  });
  return { ...wave, rows };
}

function withOneToken(wave: JobWave): JobWave {
  return { ...wave, rows: wave.rows.map((row) => ({ ...row, prompt: oneToken(row.prompt) })) };
}

function oneToken(prompt: JobPrompt['prompt']): JobPrompt['prompt'] {
  if (prompt.kind !== 'reply' || prompt.form !== null) return prompt;
  return { ...prompt, request: { ...prompt.request, maxTokens: 1 } };
}

/** How much longer more writing takes, which noise must not make less; without end where nothing was evaluated. */
function longer(more: WaveTime, less: WaveTime): number {
  return less.slowness === Number.POSITIVE_INFINITY ? 0 : Math.max(0, more.slowness - less.slowness);
}
