import { groupBy } from '../../contract/group-by.js';
import { allTokens } from '../encode/prompt-size.js';
import type { JobPrompt } from '../rows/job-prompt.js';
import { isRotated, type JobWave } from '../rows/plan-jobs.js';

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

/** Tokens that are evaluated for waves; of replies those of their prompts. */
export function workOf(waves: readonly JobWave[]): number {
  return waves.reduce((sum, { rows, shared }) => sum + rows.reduce((work, row) => work + ownWork(row, shared), 0), 0);
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
  if (!isFirst(row)) return prompt.kind === 'reply' ? 0 : tokens;
  return Math.max(1, (prompt.kind === 'reply' ? prompt.tokens.length : tokens) - shared.length);
}

/** Whether a prompt is the first one of its sequence. */
export function isFirst({ tokens, prompt }: JobPrompt): boolean {
  return tokens === allTokens(prompt);
}
