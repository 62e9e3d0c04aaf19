import type { Answers, DatasetAnswers } from '../../../results/examples/answers-schema.js';
import type { Verdict } from '../../../results/verdict-schema.js';
import { PAGE_BUDGET } from '../page/page-budget.js';

type Row = readonly [id: string, texts: readonly string[], options: readonly string[] | null, label: number | null];

/** One data set as the script of the page reads it. */
export interface PageAnswers {
  readonly dataset: string;
  readonly of: number;
  readonly fields: readonly string[];
  readonly rows: readonly Row[];
  readonly targets: ReadonlyArray<{
    readonly target: string;
    /** What calibrates it; null: it is left as it is. */
    readonly label: string | null;
    /** Temperature; null: all options alike. */
    readonly tau: number | null;
    readonly scores: DatasetAnswers['targets'][number]['scores'];
  }>;
}

/** As many questions of every data set, evenly spaced, as fit into its share of the page. */
export function pageAnswers({ datasets }: Answers, verdicts: readonly Verdict[]): PageAnswers[] {
  const share = PAGE_BUDGET.answers / Math.max(1, datasets.length);
  return datasets
    .filter(({ ids }) => ids.length > 0)
    .map((answers) => {
      const all = answers.ids.length;
      const whole = chosen(answers, all, verdicts);
      const size = JSON.stringify(whole).length;
      return size <= share ? whole : chosen(answers, Math.max(1, Math.floor((all * share) / size)), verdicts);
    });
}

function chosen(answers: DatasetAnswers, count: number, verdicts: readonly Verdict[]): PageAnswers {
  const { dataset, of, ids, fields, texts, options, labels, targets } = answers;
  const places = Array.from({ length: count }, (_, i) => Math.floor((i * ids.length) / count));
  return {
    dataset,
    of,
    fields,
    rows: places.map((n): Row => [ids[n] ?? '', texts[n] ?? [], options[n] ?? null, labels[n] ?? null]),
    targets: targets.map(({ target, scores }) => {
      const use = verdicts.find((verdict) => verdict.dataset === dataset && verdict.target === target)?.use ?? null;
      return {
        target,
        label: use?.label ?? null,
        tau: use === null ? 1 : use.temperature,
        scores: places.map((n) => scores[n] ?? null),
      };
    }),
  };
}
