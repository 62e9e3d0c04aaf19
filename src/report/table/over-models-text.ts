import { type OverModels, overModels } from '../../inference/over-models.js';
import type { RunResult } from '../../results/run-schema.js';
import { formatFixed, formatSigned } from '../text/format-number.js';
import { eceDifference } from './ece-difference.js';
import type { PaperTable } from './paper-table.js';

/** Differences up to this many pp count as a tie. */
const EQUIVALENCE_PP = 0.5;

/**
 * What the targets of a table say about models that are not in it: a sentence on the population that is meant, and one
 * per label-free method against DACA. Nothing for a table of one target.
 */
export function overModelsLines(table: PaperTable, runs: readonly RunResult[]): string[] {
  const daca = table.columns.find(({ method }) => method === 'daca');
  if (daca === undefined || table.rows.length < 2) return [];
  const bases = new Map(runs.map(({ target, ownBase }) => [target, ownBase]));
  const found = table.columns.flatMap((column) => {
    if (!column.labelFree || column === daca) return [];
    const differences = table.rows.flatMap(({ target }) => {
      const difference = eceDifference(table, target, column, daca);
      return difference === null ? [] : [{ base: bases.get(target) ?? target, difference: difference.differencePp }];
    });
    return differences.length < 2 ? [] : [{ label: column.label, ...overModels(differences, EQUIVALENCE_PP) }];
  });
  const [first] = found;
  if (first === undefined) return [];
  return [population(first), `Less DACA, mean over bases in pp: ${found.map(sentence).join('; ')}.`];
}

function population({ population: of, bases, targets }: OverModels): string {
  if (of === 'none')
    return `Over models: all ${targets} targets have one base, so nothing is said about other bases; tests and errors of means are about new examples for these targets.`;
  return (
    `Over models: tests and errors of the macro average are about new examples for these ${targets} targets. About targets of other bases, drawn like the ${bases} here, ` +
    `say what follows: a base counts once, its targets are one cluster; interval by Student's t over bases, exact signed-rank test, wins / ties / losses by target, a tie within ${EQUIVALENCE_PP} pp.`
  );
}

function sentence({ label, mean, interval, signedRank, wins, ties, losses }: OverModels & { label: string }): string {
  const range = interval === null ? '' : ` [${formatFixed(interval.low)}, ${formatFixed(interval.high)}]`;
  const rank = `signed rank p = ${formatFixed(signedRank.pValue, 3)} (at best ${formatFixed(signedRank.leastP, 3)})`;
  return `${label} ${formatSigned(mean, 2)}${range}, ${rank}, ${wins} / ${ties} / ${losses}`;
}
