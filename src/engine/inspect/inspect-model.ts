import type { InspectedModel, InspectedPrompt, PromptCounts } from '../../contract/inspection.js';
import { encodeJobs } from '../encode/encode-jobs.js';
import type { EncodedPrompt, ReadyPrompt } from '../encode/encoded-prompt.js';
import { tokenisingFor } from '../encode/tokenising-for.js';
import { frameModel, type ModelFraming } from '../frame/frame-model.js';
import type { Backend, LoadedModel } from '../protocol/backend.js';
import { contextSizeFor } from '../protocol/context-size.js';
import type { WirePrompt, WorkerPlan } from '../protocol/protocol.js';
import { countEncoded, countPrompts, type KnownCounts, type PromptSet, tokensKey } from './count-prompts.js';
import { spacingCheck } from './spacing-check.js';

export interface InspectRequest {
  readonly plan: WorkerPlan;
  /** Prompts that no earlier request brought. */
  readonly sets: readonly PromptSet[];
  /** What the model is asked, as for scoring: ids of sets that this or an earlier request brought. */
  readonly jobs: readonly number[];
  /** nothing: only counts; ids: token ids of every prompt; pieces: also their texts. */
  readonly detail: 'nothing' | 'ids' | 'pieces';
}

export type FromInspector =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'prompts';
      readonly job: number;
      readonly bos: InspectedModel['bos'];
      readonly prompts: readonly InspectedPrompt[];
    }
  /** A sign of life: so many prompts are tokenised. */
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | { readonly kind: 'inspected'; readonly model: InspectedModel }
  | { readonly kind: 'failed'; readonly reason: string };

const PROMPTS_A_MESSAGE = 500;
/** Tokens of more prompts are not kept for the next model: they would wait for the parent all at once. */
const MOST_KEPT = 100_000;

/** What is kept from one request to the next. */
export interface InspectorMemory {
  readonly sets: Map<number, PromptSet>;
  readonly counts: KnownCounts;
  /** Prompts of the last request that wanted their tokens, by set. */
  tokenised?: { readonly key: string | null; readonly sets: Map<number, readonly EncodedPrompt[]> };
}

/** Loads the vocabulary and tokenises every prompt the way scoring does; ends with `inspected` or `failed`. */
export async function inspectModel(
  backend: Backend,
  { plan, sets: brought, jobs, detail }: InspectRequest,
  memory: InspectorMemory,
  send: (message: FromInspector) => void,
): Promise<void> {
  for (const set of brought) memory.sets.set(set.id, set);
  const sets = jobs.flatMap((id) => memory.sets.get(id) ?? []);
  const warnings: string[] = [];
  let model: LoadedModel | undefined;
  try {
    model = await backend.load({
      modelPath: plan.modelPath,
      // Neither weights nor contexts: the device does not matter.
      device: 'cpu',
      threads: plan.threads,
      vocabOnly: true,
      ...(plan.preTokenizer !== undefined && { preTokenizer: plan.preTokenizer }),
      onLog: (level, text) => {
        if (level !== 'info') warnings.push(text);
      },
    });
    const loadWarnings = [...warnings];
    const framing = frameModel(plan, model);
    const total = sets.reduce((sum, { prompts }) => sum + prompts.length, 0);
    const onProgress = (done: number) => send({ kind: 'progress', done, total });
    onProgress(0);
    const read: ReadFile = { plan, model, framing };
    const counts =
      detail === 'nothing'
        ? await countPrompts(sets, { ...read, onProgress }, memory.counts)
        : await sendPrompts(read, sets, { withPieces: detail === 'pieces', memory, onProgress, send });
    send({ kind: 'inspected', model: { ...(await facts(read, sets, counts)), warnings: loadWarnings } });
  } catch (error) {
    send({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
  } finally {
    await model?.close();
  }
}

/** A vocabulary that is loaded, and how prompts are framed for it. */
interface ReadFile {
  readonly plan: WorkerPlan;
  readonly model: LoadedModel;
  readonly framing: ModelFraming;
}

async function facts(
  { plan, model, framing }: ReadFile,
  sets: readonly PromptSet[],
  counts: readonly PromptCounts[],
): Promise<Omit<InspectedModel, 'warnings'>> {
  const { info } = model;
  const longest = Math.max(1, ...counts.map((each) => each.longest));
  const context = contextSizeFor(plan, longest, info.trainContextSize);
  return {
    architecture: info.architecture,
    vocabularyType: info.vocabularyType,
    preTokenizer: info.preTokenizer,
    trainContextSize: info.trainContextSize,
    bos: startToken(model, framing),
    chatTemplate: info.chatTemplate,
    longest,
    counts,
    spacing: spacingCheck(
      model,
      framing,
      sets.map(({ prompts }) => prompts),
    ),
    ...context,
    memory: await model.memoryNeeds({ ...plan, ...context, places: placesRead(plan, context.sequences, sets, counts) }),
  };
}

/** The most places of one pass whose logits are read: one a prompt, but every token of options as texts. */
function placesRead(
  { batchSize }: WorkerPlan,
  sequences: number,
  sets: readonly PromptSet[],
  counts: readonly PromptCounts[],
): number {
  const modes = new Set(sets.map(({ prompts: [first] }) => first?.mode));
  if (modes.has('text')) return batchSize;
  if (modes.has('reply')) return sequences;
  const lengths = counts.map(({ shortest }) => shortest).filter((length) => length > 0);
  return Math.min(sequences, Math.floor(batchSize / Math.min(batchSize, ...lengths)));
}

function startToken({ info }: LoadedModel, { bos }: ModelFraming): InspectedModel['bos'] {
  return { ...bos, id: bos.add ? (info.bos?.id ?? null) : null };
}

interface Sending {
  readonly withPieces: boolean;
  readonly memory: InspectorMemory;
  readonly onProgress: (done: number) => void;
  readonly send: (message: FromInspector) => void;
}

/** Sends the tokens of every prompt; those of an earlier model of the same vocabulary and framing are used again. */
async function sendPrompts(
  { plan, model, framing }: ReadFile,
  sets: readonly PromptSet[],
  { withPieces, memory, onProgress, send }: Sending,
): Promise<PromptCounts[]> {
  const bos = startToken(model, framing);
  const total = sets.reduce((sum, { prompts }) => sum + prompts.length, 0);
  const key = total > MOST_KEPT ? null : tokensKey(sets, { plan, model, framing });
  const known = key !== null && memory.tokenised?.key === key ? memory.tokenised.sets : new Map();
  memory.tokenised = { key, sets: known };
  const counts: PromptCounts[] = [];
  let before = 0;
  for (const [job, { id, prompts: asked }] of sets.entries()) {
    const from = before;
    const tokenising = { ...tokenisingFor(model, plan), onProgress: (done: number) => onProgress(from + done) };
    const encoded = known.get(id) ?? (await encodeJobs([asked], [], framing, tokenising)).jobs[0] ?? [];
    if (key !== null) known.set(id, encoded);
    for (let start = 0; start < asked.length; start += PROMPTS_A_MESSAGE) {
      const prompts = asked.slice(start, start + PROMPTS_A_MESSAGE).flatMap((prompt, n) => {
        const tokens = encoded[start + n];
        if (tokens === undefined) return [];
        const each = inspectPrompt(prompt, tokens);
        return [withPieces ? addPieces(each, model) : each];
      });
      send({ kind: 'prompts', job, bos, prompts });
    }
    counts.push(countEncoded(encoded));
    before += asked.length;
  }
  return counts;
}

function inspectPrompt(prompt: WirePrompt, encoded: EncodedPrompt): InspectedPrompt {
  const base = { id: prompt.id, mode: prompt.mode };
  if (encoded.kind === 'refused') return { ...base, tokens: [], options: [], refused: encoded.reason };
  const { tokens, spans } = evaluatedTokens(encoded);
  const options = spans.map((span, k) => ({ text: prompt.continuations[k] ?? '', tokens: Array.from(span) }));
  return { ...base, tokens, options, refused: null };
}

/**
 * What is evaluated of a prompt, and what of its options. Rotations stand for their first one, which is the plain
 * prompt.
 */
function evaluatedTokens(encoded: ReadyPrompt): { tokens: number[]; spans: readonly (readonly number[])[] } {
  const tokens = Array.from(encoded.tokens);
  if (encoded.kind === 'text') return { tokens, spans: encoded.continuations };
  if (encoded.kind === 'reply') return { tokens, spans: [] };
  if (encoded.kind === 'ok') return { tokens, spans: encoded.optionIds.map((id) => [id]) };
  const [first] = encoded.tails;
  return { tokens: [...tokens, ...first.tokens], spans: first.optionIds.map((id) => [id]) };
}

function addPieces(prompt: InspectedPrompt, model: LoadedModel): InspectedPrompt {
  const pieces = (tokens: readonly number[]) => tokens.map((token) => model.detokenize([token]));
  return {
    ...prompt,
    text: model.detokenize(prompt.tokens),
    pieces: pieces(prompt.tokens),
    optionPieces: prompt.options.map((option) => pieces(option.tokens)),
  };
}
