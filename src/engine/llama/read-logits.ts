import type { LlamaContextSequence, Token } from 'node-llama-cpp';
import type { Reading } from '../protocol/backend.js';

/** What is asked of llama.cpp where the raw logits of `ids` are wanted: they and the greatest one, nothing sorted. */
export function logitRequest(ids: Iterable<number>) {
  return {
    token: true,
    logits: { filter: { tokens: [...new Set(ids)] as Token[], includeSelected: true } },
    totalLogitWeight: true,
    options: { temperature: 0 },
  };
}

type Next = NonNullable<Awaited<ReturnType<LlamaContextSequence['controlledEvaluate']>>[number]>['next'];

/** The answer to `logitRequest`; at temperature 0 the selected token is the one of the greatest logit. */
export function readingOf(next: Next | undefined, ids: readonly number[]): Reading {
  return {
    logits: ids.map((id) => next?.logits?.get(id as Token)),
    maxLogit: next?.token == null ? Number.NaN : (next.logits?.get(next.token) ?? Number.NaN),
    totalWeight: next?.totalLogitWeight ?? Number.NaN,
  };
}
