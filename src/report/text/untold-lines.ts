import { groupBy } from '../../contract/group-by.js';
import { methodLabel } from '../../results/method-label.js';
import type { Results } from '../../results/results-schema.js';
import type { Untold } from '../../results/untold-schema.js';
import { formatFixed } from './format-number.js';

/**
 * What the options that a server did not tell leave open, a sentence for each target: the temperature and the ECE of
 * each method as intervals. None where every option was told.
 */
export function untoldLines(
  { untold = [] }: Pick<Results, 'untold'>,
  shown: (text: string) => string,
  dataset?: string,
): string[] {
  const chosen = untold.filter((each) => dataset === undefined || each.dataset === dataset);
  return [...groupBy(chosen, (each) => `${each.dataset} ${each.target}`).values()].map((own) => sentence(own, shown));
}

function sentence(own: readonly Untold[], shown: (text: string) => string): string {
  const [first] = own;
  const known = own.flatMap((each) => (each.range === null ? [] : [methodText(each, each.range)]));
  const unknown = own.filter(({ range }) => range === null).map(({ method }) => methodLabel(method, null));
  const without = unknown.length === 0 ? '' : ` No interval for ${[...new Set(unknown)].join(', ')}.`;
  const where = `${shown(first?.dataset ?? '')}, ${shown(first?.target ?? '')}`;
  return (
    `${where}: ${first?.untold} of ${first?.examples} questions have an option that a server did not tell; the numbers ` +
    `take each at the most that it can have. Whatever they have, ${known.join('; ')}.${without}`
  );
}

function methodText({ method }: Untold, range: NonNullable<Untold['range']>): string {
  const { temperatureLow: low, temperatureHigh: high, exact, ece } = range;
  const about = exact ? '' : ' at most';
  const temperature =
    high === null
      ? `temperature ${formatFixed(low)} and above`
      : `temperature ${formatFixed(low)} to ${formatFixed(high)}${about}`;
  const error = ece === null ? '' : `, ECE within ${formatFixed(ece.lowPp)} to ${formatFixed(ece.highPp)} pp`;
  return `${methodLabel(method, null)}: ${temperature}${error}`;
}
