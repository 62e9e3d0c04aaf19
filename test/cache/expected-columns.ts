import type { ModelRow } from '../../src/contract/scored-row.js';

/** What the columns of a row must be, by the row alone. */
export function expectedColumns(row: ModelRow): Record<string, unknown> {
  const ok = row.status === 'ok';
  return {
    id: row.id,
    logits: ok ? Array.from(row.logits) : row.status === 'failed' ? null : [],
    logZ: ok ? row.logZ : null,
    optionMass: ok ? row.optionMass : null,
    promptTokens: row.promptTokens,
    status: row.status === 'failed' ? 0 : 1,
    reason: row.status === 'failed' ? row.reason : null,
  };
}

/** What an entry of replies has beside them. */
export function expectedReply(row: ModelRow): Record<string, unknown> {
  const reply = row.status === 'replied' ? row : null;
  const confidence = reply?.parsed?.confidence;
  return {
    reply: reply?.text ?? null,
    verdict: reply?.parsed?.verdict ?? null,
    answer: reply?.parsed?.answer ?? -1,
    confidence: confidence === undefined || Number.isNaN(confidence) ? null : confidence,
    seed: reply?.seed ?? -1,
    replyTokens: reply?.replyTokens ?? -1,
  };
}
