import { encodeJobs } from '../encode/encode-jobs.js';
import type { EncodedPrompt, ReadyPrompt } from '../encode/encoded-prompt.js';
import { frameModel, type ModelFraming } from '../frame/frame-model.js';
import type { Backend, LoadedModel, MemoryNeeds } from '../protocol/backend.js';
import { contextSizeFor } from '../protocol/context-size.js';
import type { WirePrompt, WorkerPlan } from '../protocol/protocol.js';
import { countPrompts, type KnownCounts, type PromptCounts, type PromptSet } from './count-prompts.js';
import { type SpacingCheck, spacingCheck } from './spacing-check.js';

export interface InspectRequest {
  readonly plan: WorkerPlan;
  /** Prompts that no earlier request brought. */
  readonly sets: readonly PromptSet[];
  /** What the model is asked, as for scoring: ids of sets that this or an earlier request brought. */
  readonly jobs: readonly number[];
  /** nothing: only counts; ids: token ids of every prompt; pieces: also their texts. */
  readonly detail: 'nothing' | 'ids' | 'pieces';
}

/** What a model's file says and makes of the prompts; no weights are loaded for it. */
export interface InspectedModel {
  readonly architecture: string;
  readonly vocabularyType: string;
  readonly preTokenizer: string | null;
  readonly trainContextSize: number;
  readonly bos: { readonly add: boolean; readonly reason: string; readonly id: number | null };
  readonly chatTemplate: string | null;
  readonly warnings: readonly string[];
  /** Of all jobs: tokens that a sequence must hold. */
  readonly longest: number;
  /** Per job. */
  readonly counts: readonly PromptCounts[];
  readonly spacing: SpacingCheck;
  /** Tokens per sequence and sequences that scoring would ask for, and the memory of all its contexts. */
  readonly contextSize: number;
  readonly sequences: number;
  readonly memory: MemoryNeeds;
}

export interface InspectedPrompt {
  readonly id: string;
  readonly mode: WirePrompt['mode'];
  /** Tokens that are evaluated before the options; empty where refused. */
  readonly tokens: readonly number[];
  /** In option order; one token each in letter mode. */
  readonly options: ReadonlyArray<{ readonly text: string; readonly tokens: readonly number[] }>;
  readonly refused: string | null;
  /** The tokens as text, control tokens visible, and piece by piece; only where they were asked for. */
  readonly text?: string;
  readonly pieces?: readonly string[];
  readonly optionPieces?: ReadonlyArray<readonly string[]>;
}

export type FromInspector =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'prompts';
      readonly job: number;
      readonly bos: InspectedModel['bos'];
      readonly prompts: readonly InspectedPrompt[];
    }
  | { readonly kind: 'inspected'; readonly model: InspectedModel }
  | { readonly kind: 'failed'; readonly reason: string };

const PROMPTS_A_MESSAGE = 500;

/** What is kept from one request to the next. */
export interface InspectorMemory {
  readonly sets: Map<number, PromptSet>;
  readonly counts: KnownCounts;
}

/** Loads the vocabulary and tokenises every prompt the way scoring does; ends with `inspected` or `failed`. */
export async function inspectModel(
  backend: Backend,
  { plan, sets: brought, jobs, detail }: InspectRequest,
  memory: InspectorMemory,
  send: (message: FromInspector) => void,
): Promise<void> {
  for (const set of brought) memory.sets.set(set.id, set);
  const sets = jobs.map((id) => memory.sets.get(id)!);
  const warnings: string[] = [];
  let model: LoadedModel | undefined;
  try {
    model = await backend.load({
      modelPath: plan.modelPath,
      // Neither weights nor contexts: the device does not matter.
      backend: 'cpu',
      threads: plan.threads,
      vocabOnly: true,
      ...(plan.preTokenizer !== undefined && { preTokenizer: plan.preTokenizer }),
      onLog: (level, text) => {
        if (level !== 'info') warnings.push(text);
      },
    });
    const loadWarnings = [...warnings];
    const framing = frameModel(plan, model);
    const counts = countPrompts(sets, model, framing, memory.counts);
    if (detail !== 'nothing') sendPrompts(sets, model, framing, detail === 'pieces', send);
    send({ kind: 'inspected', model: await facts(plan, model, framing, { sets, counts }, loadWarnings) });
  } catch (error) {
    send({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
  } finally {
    await model?.close();
  }
}

async function facts(
  plan: WorkerPlan,
  model: LoadedModel,
  framing: ModelFraming,
  { sets, counts }: { readonly sets: readonly PromptSet[]; readonly counts: readonly PromptCounts[] },
  warnings: readonly string[],
): Promise<InspectedModel> {
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
    warnings,
    longest,
    counts,
    spacing: spacingCheck(
      model,
      framing,
      sets.map(({ prompts }) => prompts),
    ),
    ...context,
    memory: await model.memoryNeeds({ ...plan, ...context }),
  };
}

function startToken({ info }: LoadedModel, { bos }: ModelFraming): InspectedModel['bos'] {
  return { ...bos, id: bos.add ? (info.bos?.id ?? null) : null };
}

function sendPrompts(
  sets: readonly PromptSet[],
  model: LoadedModel,
  framing: ModelFraming,
  withPieces: boolean,
  send: (message: FromInspector) => void,
): void {
  sets.forEach(({ prompts: asked }, job) => {
    const [prompts = []] = encodeJobs([asked], [], framing, model.tokenize).jobs;
    for (let from = 0; from < prompts.length; from += PROMPTS_A_MESSAGE) {
      const group = prompts.slice(from, from + PROMPTS_A_MESSAGE).map((each, n) => {
        const inspected = inspectPrompt(asked[from + n]!, each);
        return withPieces ? addPieces(inspected, model) : inspected;
      });
      send({ kind: 'prompts', job, bos: startToken(model, framing), prompts: group });
    }
  });
}

function inspectPrompt(prompt: WirePrompt, encoded: EncodedPrompt): InspectedPrompt {
  const base = { id: prompt.id, mode: prompt.mode };
  if (encoded.kind === 'refused') return { ...base, tokens: [], options: [], refused: encoded.reason };
  const { tokens, spans } = evaluatedTokens(encoded);
  const options = spans.map((span, k) => ({ text: prompt.continuations[k]!, tokens: Array.from(span) }));
  return { ...base, tokens, options, refused: null };
}

/** Of rotations the first one, which is the plain prompt. */
function evaluatedTokens(encoded: ReadyPrompt): { tokens: number[]; spans: readonly (readonly number[])[] } {
  const tokens = Array.from(encoded.tokens);
  if (encoded.kind === 'text') return { tokens, spans: encoded.continuations };
  if (encoded.kind === 'reply') return { tokens, spans: [] };
  const { optionIds } = encoded.kind === 'ok' ? encoded : encoded.tails[0]!;
  if (encoded.kind === 'rotations') tokens.push(...encoded.tails[0]!.tokens);
  return { tokens, spans: optionIds.map((id) => [id]) };
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
