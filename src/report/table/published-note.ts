import { methodLabel } from '../../results/method-label.js';
import type { Results } from '../../results/results-schema.js';
import { formatSigned } from '../text/format-number.js';

/**
 * One line for the console: our mean ECE less the printed one, per method of a data set; null without printed numbers.
 */
export function publishedNote(dataset: string, { published }: Pick<Results, 'published'>): string | null {
  const tables = (published?.tables ?? []).filter((table) => table.dataset === dataset);
  const parts = tables.flatMap(({ name, macro }) => {
    const differences = macro.flatMap(({ method, combinationSize, differencePp, targets }) =>
      differencePp === null
        ? []
        : [`${methodLabel(method, combinationSize)} ${formatSigned(differencePp, 2)} pp (${targets} targets)`],
    );
    if (differences.length === 0) return [];
    return [`${tables.length > 1 ? `${name}: ` : ''}${differences.join(', ')}`];
  });
  if (published === null || parts.length === 0) return null;
  return `Ours less ${published.title}, mean ECE: ${parts.join('; ')}; per target in report.md.`;
}
