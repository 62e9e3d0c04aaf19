import type { ModelRow } from '../contract/scored-row.js';
import type { ModelFacts } from '../contract/scorer.js';
import { promptEncoder } from './encode/encode-jobs.js';
import type { EncodedPrompt } from './encode/encoded-prompt.js';
import { firstPassTokens } from './encode/prompt-size.js';
import { sharedTokens } from './encode/shared-tokens.js';
import { tokenisingFor } from './encode/tokenising-for.js';
import type { ModelFraming } from './frame/frame-model.js';
import type { EvaluationContext, LoadedModel } from './protocol/backend.js';
import type { FromWorker, WirePrompt, WorkerPlan } from './protocol/protocol.js';
import { planJobs } from './rows/plan-jobs.js';
import { firstWave } from './rows/plan-waves.js';
import { rowEvaluator } from './rows/row-evaluator.js';
import { evaluateWave } from './rows/score-waves.js';

/** A model that stays loaded, and what it may be asked. */
export interface StayingModel {
  readonly plan: Pick<WorkerPlan, 'contextSize'>;
  readonly model: LoadedModel;
  readonly framing: ModelFraming;
  readonly contexts: readonly [EvaluationContext, ...EvaluationContext[]];
  readonly facts: ModelFacts;
  /** Two prompts whose common beginning all have; may be none. */
  readonly sharing: readonly WirePrompt[];
  readonly send: (message: FromWorker) => void;
}

/** Prompts that wait for a context. */
export interface AskedQueue {
  /**
   * Those of the waiting prompts that `choose` names by their places, as soon as there is one; none after the end.
   * Prompts wait in the order in which they came.
   */
  take(choose: (waiting: readonly WirePrompt[]) => readonly number[]): Promise<WirePrompt[]>;
}

/** A wave is chosen among so many times the prompts that it has room for. */
const LOOKED_AT = 4;

/**
 * Scores prompts as they are asked, until the queue ends. A context that is free takes the one that waits longest, and
 * as many of the others as fit into one wave with it: the busier the model, the fuller its batches. Every prompt ends
 * as one row, in any order.
 */
export async function stayOpen(staying: StayingModel, queue: AskedQueue): Promise<void> {
  const { plan, model, framing, contexts, facts, sharing, send } = staying;
  const encode = promptEncoder(framing, tokenisingFor(model, plan));
  const shared = model.info.rewinds ? sharedTokens(sharing.map(encode)) : [];
  const known = new WeakMap<WirePrompt, EncodedPrompt>();
  const encoded = (prompt: WirePrompt): EncodedPrompt => {
    const found = known.get(prompt) ?? encode(prompt);
    known.set(prompt, found);
    return found;
  };
  const lengthOf = (prompt: WirePrompt) => lengthInWave(encoded(prompt), shared.length);
  send({ kind: 'loaded', facts });
  const work = async (context: EvaluationContext) => {
    const { sequences, inTurn } = context;
    const choose = (waiting: readonly WirePrompt[]) =>
      // One at a time where each has a pass of its own: the others are then for whichever context is free first.
      inTurn === true ? [0] : firstWave(waiting.slice(0, LOOKED_AT * sequences).map(lengthOf), sequences);
    for (;;) {
      const asked = await queue.take(choose);
      if (asked.length === 0) return;
      await answer(asked.map(encoded), context, { shared, trainContextSize: model.info.trainContextSize, send });
    }
  };
  await Promise.all(contexts.map(work));
}

/** Tokens that a wave is planned by; a refused prompt has none. */
function lengthInWave(prompt: EncodedPrompt, kept: number): number {
  return prompt.kind === 'refused' ? 0 : Math.max(1, firstPassTokens(prompt) - kept);
}

interface Answering {
  readonly shared: readonly number[];
  readonly trainContextSize: number;
  readonly send: (message: FromWorker) => void;
}

async function answer(prompts: readonly EncodedPrompt[], context: EvaluationContext, answering: Answering) {
  const { shared, trainContextSize, send } = answering;
  const encoded = { jobs: [prompts], shared: [shared], longest: 1 };
  const usable = context.tokensPerSequence - 1;
  const { failed, waves } = planJobs({ encoded, contexts: [context], trainContextSize }, usable);
  const rows: ModelRow[] = failed.flat();
  if (rows.length > 0) send({ kind: 'rows', job: 0, rows, tokens: 0 });
  const evaluate = rowEvaluator([]);
  for (const wave of waves) {
    const scored = await evaluateWave(evaluate, context, wave);
    const tokens = wave.rows.reduce((sum, row) => sum + row.tokens, 0);
    send({ kind: 'rows', job: 0, rows: scored, tokens });
  }
}
