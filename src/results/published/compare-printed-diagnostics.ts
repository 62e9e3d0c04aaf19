import type { Published } from '../../config/load-published.js';
import type { Diagnostics } from '../diagnostics-schema.js';
import type { PublishedComparison } from '../published-comparison.js';

type Row = PublishedComparison['diagnostics'][number];

/**
 * What a run found in its diagnostics beside what is printed of them: the median disagreement rate (App. A) and the
 * weights by sign of the boundary margin (App. E, over all targets, once per M). Ours is null where the run lacks it.
 */
export function comparePrintedDiagnostics(
  { diagnostics: printed }: Pick<Published, 'diagnostics'>,
  ours: Pick<Diagnostics, 'disagreementMedians' | 'weightBySign'>,
): Row[] {
  return printed.flatMap(({ dataset, disagreementMedianPercent, weights }) => [
    ...(disagreementMedianPercent === undefined ? [] : [medianRow(dataset, disagreementMedianPercent, ours)]),
    ...(weights === undefined ? [] : weightRows(dataset, weights, ours)),
  ]);
}

function medianRow(
  dataset: string,
  printed: number,
  { disagreementMedians = [] }: Pick<Diagnostics, 'disagreementMedians'>,
) {
  const found = disagreementMedians.find((row) => row.dataset === dataset);
  const own = found === undefined ? null : 100 * found.median;
  return row({ dataset, quantity: 'median disagreement rate, %', combinationSize: null, ours: own, printed });
}

function weightRows(
  dataset: string,
  weights: NonNullable<Published['diagnostics'][number]['weights']>,
  { weightBySign = [] }: Pick<Diagnostics, 'weightBySign'>,
): Row[] {
  const pooled = weightBySign.filter((each) => each.dataset === dataset && each.target === null);
  const sizes = [...new Set(pooled.map(({ combinationSize }) => combinationSize))];
  return (sizes.length === 0 ? [null] : sizes).flatMap((size) =>
    (['negative', 'positive'] as const).flatMap((sign) => {
      const found = pooled.find((each) => each.combinationSize === size && each.sign === sign);
      const [mean, median] = weights[sign];
      const where = sign === 'negative' ? 'm < 0' : 'm > 0';
      const place = { dataset, combinationSize: size };
      return [
        row({ ...place, quantity: `mean weight, ${where}`, ours: found?.meanWeight ?? null, printed: mean }),
        row({ ...place, quantity: `median weight, ${where}`, ours: found?.medianWeight ?? null, printed: median }),
      ];
    }),
  );
}

function row({ dataset, quantity, combinationSize, ours, printed }: Omit<Row, 'difference'>): Row {
  return { dataset, quantity, combinationSize, ours, printed, difference: ours === null ? null : ours - printed };
}
