import type { ModelRow, ParsedReply } from '../../contract/scored-row.js';
import { rowOf } from '../../numeric/ragged-rows.js';
import type { ScoreTable } from './score-table.js';

/** The rows of a table, as they were put into it; of a reply alone how it ended is not kept. */
export function tableRows(table: ScoreTable): ModelRow[] {
  return table.ids.map((id, n): ModelRow => {
    const promptTokens = table.promptTokens[n] ?? 0;
    if (table.status[n] !== 1) return { status: 'failed', id, reason: table.reasons[n] ?? '', promptTokens };
    const { replies } = table;
    if (replies === undefined) {
      const [logZ = Number.NaN, optionMass = Number.NaN] = [table.logZ[n], table.optionMass[n]];
      const bits = table.untold?.[n] ?? 0;
      const logits = rowOf(table.logits, n);
      return { status: 'ok', id, logits, logZ, optionMass, promptTokens, ...(bits !== 0 && { untold: bits }) };
    }
    const verdict = replies.verdicts[n] as ParsedReply['verdict'] | null | undefined;
    const [answer = -1, confidence = Number.NaN] = [replies.answers[n], replies.confidences[n]];
    const allowedMass = replies.allowedMasses[n] ?? Number.NaN;
    return {
      status: 'replied',
      id,
      text: replies.texts[n] ?? '',
      replyTokens: replies.replyTokens[n] ?? 0,
      ended: true,
      seed: replies.seeds[n] ?? 0,
      promptTokens,
      ...(!Number.isNaN(allowedMass) && { allowedMass }),
      ...(verdict != null && { parsed: { verdict, answer, confidence } }),
    };
  });
}
