import { groupBy } from '../../contract/group-by.js';
import { allTokens } from '../encode/prompt-size.js';
import type { JobPrompt } from './job-prompt.js';
import { isRotated, type JobWave } from './plan-jobs.js';

/**
 * Waves by kind, those that are rotated last, and those of a kind by what the context keeps for them: a run takes data
 * set after data set, so that it keeps the beginning of each once, where waves of several in turns would have it
 * evaluated for every one of them.
 */
export function wavesByKind(waves: readonly JobWave[]): JobWave[][][] {
  const keptBy = ({ shared }: JobWave) => shared.join(' ');
  const kinds = [...groupBy(waves, kindOf).values()].map((kind) => [...groupBy(kind, keptBy).values()]);
  return kinds.toSorted((a, b) => Number(a.flat().some(isRotated)) - Number(b.flat().some(isRotated)));
}

/** A token that is drawn takes about as long as so many of a prompt: 2 to 4 on a card, by file and shape. */
const DRAWN = 3;
/** Replies that a trial writes to one prompt. */
const MOST_REPLIES = 2;

/** Tokens that are evaluated for waves, each that is drawn as a few of a prompt. */
export function workOf(waves: readonly JobWave[]): number {
  return waves.reduce((sum, { rows, shared }) => sum + rows.reduce((work, row) => work + ownWork(row, shared), 0), 0);
}

/**
 * The wave of a run with no more than two replies to each prompt: its passes are the same ones, and fewer. A card
 * takes six seconds for five replies of 48 tokens to each of 64 prompts in four contexts.
 */
export function lightened(wave: JobWave): JobWave {
  let replies = 0;
  const rows = wave.rows.filter((row) => {
    if (row.prompt.kind !== 'reply') return true;
    replies = isFirst(row) ? 1 : replies + 1;
    return replies <= MOST_REPLIES;
  });
  return { ...wave, rows };
}

/**
 * Plain prompts that the other orders of their options follow begin as letters do, and take longer. Replies of two
 * forms or limits end after different shares of the tokens that they may have.
 */
function kindOf({ rows }: JobWave): string {
  const prompt = rows[0]?.prompt;
  const reply = prompt?.kind === 'reply' ? [prompt.form === null, prompt.request.maxTokens] : [];
  return [prompt?.kind, rows.some((row) => row.prompt.kind === 'rotations'), ...reply].join(' ');
}

/** The first prompt of a sequence is the one whose tokens all count; those that the context keeps take no time. */
function ownWork(row: JobPrompt, shared: readonly number[]): number {
  const { tokens, prompt } = row;
  const own = isFirst(row) ? Math.max(1, tokens - shared.length) : tokens;
  return prompt.kind === 'reply' && prompt.form === null ? own + (DRAWN - 1) * prompt.longest : own;
}

function isFirst({ tokens, prompt }: JobPrompt): boolean {
  return tokens === allTokens(prompt);
}
