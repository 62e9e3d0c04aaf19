import { formatSigned } from '../format-number.js';
import { methodLabel } from '../method-label.js';
import type { Results } from '../results-schema.js';

/** One line for the console: our mean ECE less the printed one, per method of a data set; null without printed numbers. */
export function publishedNote(dataset: string, { published }: Pick<Results, 'published'>): string | null {
  const differences = (published?.tables ?? [])
    .filter((table) => table.dataset === dataset)
    .flatMap(({ macro }) => macro)
    .flatMap(({ method, combinationSize, differencePp, targets }) =>
      differencePp === null
        ? []
        : [`${methodLabel(method, combinationSize)} ${formatSigned(differencePp, 2)} pp (${targets} targets)`],
    );
  if (differences.length === 0) return null;
  return `Ours less ${published!.title}, mean ECE: ${differences.join(', ')}; per target in report.md.`;
}
