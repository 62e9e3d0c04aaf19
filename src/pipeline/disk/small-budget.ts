import { type DiskTurn, leastBudget } from './disk-schedule.js';

/**
 * What is said of a budget that cannot work: the least that does, and what makes it so much; null: it works.
 *
 * @param needed models that another suite still has to score, with its name
 */
export function smallBudget(
  suite: string,
  turns: readonly DiskTurn[],
  { budget, needed }: { readonly budget: number; readonly needed: ReadonlyMap<string, string> },
): string | null {
  const least = leastBudget(turns);
  if (least <= budget) return null;
  const message = `--disk ${sizeText(budget, Math.floor)} is too little for suite "${suite}"; the least that works is --disk ${sizeText(least, Math.ceil)}`;
  const counts = new Map<string, number>();
  for (const model of turns.flatMap(({ models }) => models)) {
    const other = needed.get(model);
    if (other !== undefined) counts.set(other, (counts.get(other) ?? 0) + 1);
  }
  if (counts.size === 0) return message;
  const without = leastBudget(turns.map((turn) => ({ ...turn, keeps: 0 })));
  const suites = [...counts]
    .map(([name, count]) => `${count} ${count === 1 ? 'model' : 'models'} for suite ${name}`)
    .join(', ');
  return (
    `${message}, since files that other suites have still to score stay (${suites}). ` +
    `Name the suites whose files shall stay with --keep-for; with --keep-for none, ${sizeText(without, Math.ceil)} would do`
  );
}

/** In gigabytes to three digits, or in bytes below one of them. */
function sizeText(bytes: number, round: (x: number) => number): string {
  return bytes < 1e9 ? `${bytes}B` : `${round(bytes / 1e6) / 1e3}GB`;
}
