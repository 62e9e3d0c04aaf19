import type { Published } from '../../config/load-published.js';
import type { PublishedTable } from '../../config/published-schema.js';
import { mean } from '../../numeric/mean.js';
import type { PublishedComparison } from '../published-comparison.js';
import type { Results } from '../results-schema.js';
import { comparePrintedDiagnostics } from './compare-printed-diagnostics.js';

type Row = PublishedComparison['tables'][number]['rows'][number];

/**
 * Our means beside printed ones, for every target, method and M that a table prints; ours is null where this run has
 * none.
 *
 * differencePp = ours - printed; differenceSe = differencePp / sqrt(our SE^2 + printed SE^2), null where that is 0 or
 * one is missing. Ours is the total one, over new examples and refits, where it is known; a printed one is over splits
 * of one data set, so that at least our total one stands in its place. Neither holds uncertainty about model files,
 * quantisation or prompts. Macro rows are means over the targets that both have, so `targets` may be fewer than the
 * table prints.
 */
export function comparePublished(
  { title, file, tables, diagnostics: printed }: Published,
  { summary }: Pick<Results, 'summary'>,
  ours: Parameters<typeof comparePrintedDiagnostics>[1],
): PublishedComparison | null {
  const datasets = new Set(summary.map((row) => row.dataset));
  const compared = tables
    .filter((table) => datasets.has(table.dataset))
    .map((table) => {
      const rows = rowsOf(table, summary);
      return { name: table.name, dataset: table.dataset, rows, macro: macroOf(rows) };
    });
  const here = printed.filter(({ dataset }) => datasets.has(dataset));
  const diagnostics = comparePrintedDiagnostics({ diagnostics: here }, ours);
  return compared.length + diagnostics.length === 0 ? null : { title, file, tables: compared, diagnostics };
}

function rowsOf(table: PublishedTable, summary: Results['summary']): Row[] {
  return Object.entries(table.rows).flatMap(([target, cells]) =>
    cells.flatMap((cell, c): Row[] => {
      if (cell === null) return [];
      const [method, size] = (table.columns[c] ?? '').split(' ') as [string, string?];
      const combinationSize = size === undefined ? null : Number(size);
      const ours = summary.find(
        (row) =>
          row.dataset === table.dataset &&
          row.target === target &&
          row.method === method &&
          row.combinationSize === combinationSize,
      );
      const [printedMeanPp, printedSePp] = cell;
      const of = { target, method, combinationSize, printedMeanPp, printedSePp };
      return [{ ...of, ...differenceOf(ours ?? NONE, cell) }];
    }),
  );
}

type Ours = Pick<Results['summary'][number], 'eceMeanPp' | 'eceSePp' | 'eceTotalSePp'>;

const NONE: Ours = { eceMeanPp: null, eceSePp: null, eceTotalSePp: null };

/** Nobody printed a total standard error: theirs is taken to be at least as large as ours, on as many examples. */
function differenceOf({ eceMeanPp, eceSePp, eceTotalSePp }: Ours, [mean, se]: readonly [number, number]) {
  const differencePp = eceMeanPp === null ? null : eceMeanPp - mean;
  const own = eceTotalSePp ?? eceSePp;
  const error = own === null ? 0 : Math.hypot(own, eceTotalSePp === null ? se : Math.max(se, eceTotalSePp));
  return {
    eceMeanPp,
    eceSePp,
    eceTotalSePp,
    differencePp,
    differenceSe: differencePp === null || error === 0 ? null : differencePp / error,
  };
}

function macroOf(rows: readonly Row[]): PublishedComparison['tables'][number]['macro'] {
  const columns = new Map(rows.map((row) => [`${row.method} ${row.combinationSize}`, row]));
  return [...columns.values()].map(({ method, combinationSize }) => {
    const both = rows.filter(
      (row) => row.method === method && row.combinationSize === combinationSize && row.eceMeanPp !== null,
    );
    return {
      method,
      combinationSize,
      targets: both.length,
      eceMeanPp: mean(both.flatMap((row) => row.eceMeanPp ?? [])),
      printedMeanPp: mean(both.map((row) => row.printedMeanPp)),
      differencePp: mean(both.flatMap((row) => row.differencePp ?? [])),
    };
  });
}
