import type { ScoreTable } from '../../cache/table/score-table.js';
import type { SuitePlan } from '../../config/plan-suite.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';
import type { CollectedScores } from './collect-scores.js';

type Row = NonNullable<Diagnostics['elicitation']>[number];

/** How many replies could be read, per data set, target and kind; nothing where no target was asked. */
export function elicitationReport(
  collected: readonly CollectedScores[],
  { elicitation }: Pick<SuitePlan, 'elicitation'>,
): Pick<Diagnostics, 'elicitation'> {
  const rows = collected.flatMap(({ dataset, elicited }) =>
    [...elicited].flatMap(([target, tables]) =>
      (['elicitation', 'elicitation-ensemble'] as const).flatMap((kind): Row[] => {
        const table = tables[kind];
        if (table === undefined) return [];
        const temperature = kind === 'elicitation' ? 0 : elicitation.temperature;
        return [{ dataset, target, kind, structured: elicitation.structured, temperature, ...countsOf(table) }];
      }),
    ),
  );
  return rows.length === 0 ? {} : { elicitation: rows };
}

function countsOf({
  ids,
  status,
  replies,
}: ScoreTable): Omit<Row, 'dataset' | 'target' | 'kind' | 'structured' | 'temperature'> {
  const verdicts = replies?.verdicts ?? [];
  const count = (verdict: string) => verdicts.filter((each) => each === verdict).length;
  const tokens = (replies?.replyTokens ?? new Int32Array()).reduce((sum, each) => sum + Math.max(0, each), 0);
  return {
    replies: ids.length,
    failed: status.reduce((sum, each) => sum + 1 - each, 0),
    parsed: count('parsed'),
    refusals: count('refusal'),
    outOfRange: count('out-of-range'),
    ambiguous: count('ambiguous'),
    noAnswer: count('no-answer'),
    noConfidence: count('no-confidence'),
    cut: count('cut'),
    tokens,
  };
}
