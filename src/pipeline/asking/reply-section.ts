import type { ScoreTable } from '../../cache/table/score-table.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';
import type { DiagnosticsSection } from './way-of-asking.js';

type Row = NonNullable<Diagnostics['elicitation']>[number];

/** How many replies could be read, per data set, target and way of asking for them. */
export const replySection: DiagnosticsSection = {
  build(datasets, { models, elicitation }) {
    const { structured } = elicitation;
    const rows = datasets.flatMap(({ scores: { dataset }, asked }) =>
      models.flatMap(({ id: target }) =>
        asked.flatMap(({ way, targets }): Row[] => {
          const table = way.section === replySection ? targets.get(target)?.table : undefined;
          if (table === undefined) return [];
          const kind = way.name as Row['kind'];
          const temperature = way.replies(elicitation)?.temperature ?? 0;
          return [{ dataset, target, kind, structured, temperature, ...countsOf(table) }];
        }),
      ),
    );
    return rows.length === 0 ? {} : { elicitation: rows };
  },
  warnings: () => [],
};

function countsOf(table: ScoreTable): Omit<Row, 'dataset' | 'target' | 'kind' | 'structured' | 'temperature'> {
  const { ids, status, replies } = table;
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
