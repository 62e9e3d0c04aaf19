import type { ModelFacts } from '../contract/scorer.js';
import type { Loaded } from './load-model.js';
import type { EvaluationContext } from './protocol/backend.js';
import type { WorkerPlan } from './protocol/protocol.js';

/** What a loaded model and its contexts turned out to be. */
export function factsOf(
  { plan, model, framing, warnings }: Loaded,
  [{ tokensPerSequence, sequences, inTurn = false, batchSize }]: readonly [EvaluationContext, ...EvaluationContext[]],
): ModelFacts {
  return {
    architecture: model.info.architecture,
    backend: plan.device,
    device: model.info.device,
    bos: framing.bos.add,
    bosReason: framing.bos.reason,
    chatTemplate: model.info.chatTemplate,
    contextSize: tokensPerSequence,
    sequences: inTurn ? 1 : sequences,
    batchSize,
    threads: plan.threads,
    flashAttention: decided(plan.flashAttention, warnings),
    warnings: [...warnings],
  };
}

/** llama.cpp warns when `auto` comes to off, and says nothing of it above a warning's level when it comes to on. */
function decided(asked: WorkerPlan['flashAttention'], warnings: readonly string[]): 'on' | 'off' {
  if (asked !== 'auto') return asked;
  return warnings.some((line) => /flash attention not supported/i.test(line)) ? 'off' : 'on';
}
