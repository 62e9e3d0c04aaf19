import { availableParallelism } from 'node:os';
import { loadedModel } from '../../config/loaded-model.js';
import type { ScoredRow } from '../../contract/scored-row.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { makeFolder } from '../../files/make-folder.js';
import { stayingModel } from '../../scoring/staying-model.js';
import { openHub } from '../workspace/open-hub.js';
import type { RunOptions } from '../workspace/run-options.js';
import { openModel } from './open-model.js';

export interface CreateScorerOptions extends Partial<Pick<RunOptions, 'cache' | 'gpu' | 'offline'>> {
  /** GGUF file: a path, or `hf:owner/repo/file.gguf`. */
  readonly model: string;
  /** raw (default): the text as it is; chat: as the user's turn in the chat template of the file. */
  readonly prompt?: 'raw' | 'chat';
  /** Tokens that a prompt may have; default 2048. */
  readonly maxTokens?: number;
  /** What the native library and the child process say. */
  readonly onLog?: (level: 'info' | 'warn' | 'error', message: string) => void;
}

/** A prompt and what stands for its options, such as A, B, C: each must be one token after the prompt. */
export interface PromptToScore {
  readonly prompt: string;
  readonly options: readonly string[];
}

/** A model in a child process, for as long as it is wanted. */
export interface ModelScorer {
  /** One row for each prompt, in their order: raw option logits, or why there are none. */
  score(prompts: readonly PromptToScore[]): Promise<ScoredRow[]>;
  /** Ends the child process. Nothing else keeps a program from ending. */
  close(): Promise<void>;
}

/**
 * Loads a model for prompts that come one by one or in lists: prompts of several calls are evaluated together. The
 * model runs in a child process, so that a fault of the native library ends that one alone.
 *
 * @throws SupportCalError usage: prompts without options; bad-input, missing-file, scoring: the model cannot be had
 */
export async function createScorer(options: CreateScorerOptions): Promise<ModelScorer> {
  const { model: file, prompt = 'raw', cache = 'cache', gpu = 'auto', offline = false, maxTokens = 2048 } = options;
  const models = loadedModel(file, prompt);
  const [spec] = models.models;
  if (spec === undefined) throw new SupportCalError('internal', 'a model without an entry');
  const events = { ...(options.onLog !== undefined && { onLog: options.onLog }) };
  await makeFolder(cache);
  const hub = await openHub({ cache, offline, refresh: false }, { events });
  const { model, found, device } = await openModel({ model: spec, models, hub }, { cache, gpu });
  const { place } = found;
  if (place.kind !== 'gguf') throw new SupportCalError('internal', `${file} is no file`);
  const settings = { device, cores: availableParallelism() };
  const kept = stayingModel({ model, place }, settings, { longest: maxTokens, sharing: [] }, { events });
  await kept.open().catch(async (error) => {
    await kept.close();
    throw error;
  });
  return {
    score: async (prompts) => kept.score(prompts.map(asPrompt)),
    close: () => kept.close(),
  };
}

function asPrompt({ prompt: text, options }: PromptToScore, n: number) {
  const isList = Array.isArray(options) && options.length >= 2 && options.every((each) => typeof each === 'string');
  if (typeof text !== 'string' || !isList) {
    const message = 'expected { prompt: text, options: [label, label, ...] } with two labels or more';
    throw new SupportCalError('usage', { row: String(n + 1), message });
  }
  return { id: String(n + 1), text, mode: 'letter', continuations: options, answerPrefix: null } as const;
}
