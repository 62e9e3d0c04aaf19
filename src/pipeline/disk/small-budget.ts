import { leastBudget } from './disk-schedule.js';
import type { FileTurn } from './disk-turns.js';

/** What is said of a budget that cannot work: the least that does, and what makes it so much; null: it works. */
export function smallBudget(
  suite: string,
  turns: ReadonlyArray<Pick<FileTurn, 'models' | 'onDisk' | 'toFetch' | 'keeps' | 'finished' | 'files'>>,
  budget: number,
): string | null {
  const least = leastBudget(turns);
  if (least <= budget) return null;
  const staying = turns.flatMap(({ files }) =>
    files.flatMap(({ file, stays }) => (stays === null ? [] : [`${file.shown}: ${stays}`])),
  );
  const why = staying.length === 0 ? '' : `. These stay after scoring: ${staying.slice(0, 5).join('; ')}`;
  const more = staying.length > 5 ? `; and ${staying.length - 5} more` : '';
  return (
    `--disk ${gigabytes(budget, Math.floor)} is too little for suite "${suite}"; ` +
    `the least that works is --disk ${gigabytes(least, Math.ceil)}${why}${more}`
  );
}

/** In gigabytes to three digits, or in bytes below one of them. */
function gigabytes(bytes: number, round: (x: number) => number): string {
  return bytes < 1e9 ? `${bytes}B` : `${round(bytes / 1e6) / 1e3}GB`;
}
