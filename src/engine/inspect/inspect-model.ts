import type { InspectedModel, InspectedPrompt, PromptCounts } from '../../contract/inspection.js';
import { encodeJobs } from '../encode/encode-jobs.js';
import { tokenisingFor } from '../encode/tokenising-for.js';
import { frameModel, type ModelFraming } from '../frame/frame-model.js';
import type { Backend, LoadedModel } from '../protocol/backend.js';
import { contextSizeFor } from '../protocol/context-size.js';
import type { WorkerPlan } from '../protocol/protocol.js';
import {
  countEncoded,
  countPrompts,
  type KnownCounts,
  keepCounts,
  type PromptSet,
  tokensKey,
} from './count-prompts.js';
import { addPieces, inspectPrompt } from './inspect-prompt.js';
import { spacingCheck } from './spacing-check.js';
import { type TokenLines, tokenLines } from './token-lines.js';

export interface InspectRequest {
  readonly plan: WorkerPlan;
  /** Prompts that no earlier request brought. */
  readonly sets: readonly PromptSet[];
  /** What the model is asked, as for scoring: ids of sets that this or an earlier request brought. */
  readonly jobs: readonly number[];
  /** nothing: only counts; lines: token ids of every prompt, as JSON Lines; pieces: also the texts of the tokens. */
  readonly detail: 'nothing' | 'lines' | 'pieces';
}

export type FromInspector =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'prompts';
      readonly job: number;
      readonly bos: InspectedModel['bos'];
      readonly prompts: readonly InspectedPrompt[];
    }
  /** Lines of prompts, as `tokenLines` writes them. */
  | { readonly kind: 'lines'; readonly job: number; readonly text: string; readonly lines: number }
  /** A sign of life: so many prompts are tokenised. */
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | { readonly kind: 'inspected'; readonly model: InspectedModel }
  | { readonly kind: 'failed'; readonly reason: string };

/** Lines of more prompts are not kept for the next model: they would wait for the parent all at once. */
const MOST_KEPT = 500_000;

/** What is kept from one request to the next. */
export interface InspectorMemory {
  readonly sets: Map<number, PromptSet>;
  readonly counts: KnownCounts;
  /** Lines of the last request that wanted some, by set. */
  lines?: { readonly key: string | null; readonly sets: Map<number, TokenLines> };
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
    const counts = await {
      nothing: () => countPrompts(sets, { ...read, onProgress }, memory.counts),
      lines: () => sendLines(read, sets, { memory, onProgress, send }),
      pieces: () => sendPieces(read, sets, { onProgress, send }),
    }[detail]();
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
  readonly memory: InspectorMemory;
  readonly onProgress: (done: number) => void;
  readonly send: (message: FromInspector) => void;
}

/** Sends lines of every prompt; those of an earlier model of the same vocabulary and framing are used again. */
async function sendLines(
  { plan, model, framing }: ReadFile,
  sets: readonly PromptSet[],
  { memory, onProgress, send }: Sending,
): Promise<PromptCounts[]> {
  const total = sets.reduce((sum, { prompts }) => sum + prompts.length, 0);
  const key = tokensKey(sets, { plan, model, framing });
  const known = key !== null && memory.lines?.key === key ? memory.lines.sets : new Map<number, TokenLines>();
  memory.lines = { key, sets: known };
  const counts: PromptCounts[] = [];
  let before = 0;
  for (const [job, { id, prompts }] of sets.entries()) {
    const from = before;
    const tokenising = { ...tokenisingFor(model, plan), onProgress: (done: number) => onProgress(from + done) };
    const encoded = async () => (await encodeJobs([prompts], [], framing, tokenising)).jobs[0] ?? [];
    const made = known.get(id) ?? tokenLines(prompts, await encoded(), framing.bos.add);
    if (total <= MOST_KEPT) known.set(id, made);
    keepCounts(memory.counts, key, { id, prompts }, made.counts);
    for (const piece of made.pieces) send({ kind: 'lines', job, ...piece });
    counts.push(made.counts);
    before += prompts.length;
  }
  return counts;
}

async function sendPieces(
  { plan, model, framing }: ReadFile,
  sets: readonly PromptSet[],
  { onProgress, send }: Omit<Sending, 'memory'>,
): Promise<PromptCounts[]> {
  const bos = startToken(model, framing);
  const counts: PromptCounts[] = [];
  for (const [job, { prompts: asked }] of sets.entries()) {
    const { jobs } = await encodeJobs([asked], [], framing, { ...tokenisingFor(model, plan), onProgress });
    const encoded = jobs[0] ?? [];
    const prompts = asked.flatMap((prompt, n) => {
      const tokens = encoded[n];
      return tokens === undefined ? [] : [addPieces(inspectPrompt(prompt, tokens), model)];
    });
    send({ kind: 'prompts', job, bos, prompts });
    counts.push(countEncoded(encoded));
  }
  return counts;
}
