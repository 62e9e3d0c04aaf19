import { selectionText } from '../../datasets/example/row-selection.js';
import type { Protocol } from '../../results/protocol-schema.js';
import type { Results } from '../../results/results-schema.js';
import { formatCount } from './format-number.js';

const MOST_NAMES = 10;

/**
 * What a partial run lacks, in one clause such as `1 model failed (m), 3 example scores missing`; null for a whole run.
 */
export function whatIsMissing(results: Results, shown: (text: string) => string): string | null {
  if (results.status === 'complete') return null;
  return missingParts(results, shown).join(', ') || 'something was left out';
}

/** `1 model failed (m)` and `3 example scores missing`, as far as they hold. */
export function missingParts(
  { skipped, summary = [] }: Pick<Results, 'skipped'> & Partial<Pick<Results, 'summary'>>,
  shown: (text: string) => string,
): string[] {
  const left = new Map<string, Set<string>>();
  for (const { model, dataset, example } of skipped)
    if (example === null) left.set(model, new Set([...(left.get(model) ?? []), dataset]));
  const datasets = new Set([...summary, ...skipped].map(({ dataset }) => dataset));
  // A model that the data sets of the run have scores of elsewhere has not failed.
  const partly = [...left].filter(([, of]) => of.size < datasets.size);
  const failed = [...left].filter(([, of]) => of.size >= datasets.size).map(([model]) => shown(model));
  const examples = skipped.filter((row) => row.example !== null).length;
  const where = partly.map(([model, of]) => `${shown(model)} on ${[...of].map(shown).join(', ')}`);
  return [
    failed.length > 0 ? `${count(failed.length, 'model')} failed (${firstOf(failed, ', ')})` : null,
    where.length > 0 ? `${count(where.length, 'model')} left out on some data sets (${firstOf(where, '; ')})` : null,
    examples > 0 ? `${count(examples, 'example score')} missing` : null,
  ].filter((part) => part !== null);
}

function firstOf(names: readonly string[], separator: string): string {
  return names.slice(0, MOST_NAMES).join(separator) + (names.length > MOST_NAMES ? ', …' : '');
}

export function count(amount: number, noun: string): string {
  return `${formatCount(amount)} ${noun}${amount === 1 ? '' : 's'}`;
}

/** The data sets that the suite leaves methods out on, and which. */
export function fewerMethods({ methods, methodsByDataset }: Protocol) {
  return Object.entries(methodsByDataset).flatMap(([dataset, list]) => {
    const left = methods.filter((method) => !list.includes(method));
    return left.length === 0 ? [] : [{ dataset, left }];
  });
}

/** `quiz: 2,816 of 4,183 rows kept by source.filter`, one line for each step that chose among the rows of a source. */
export function chosenRows({ selection = [] }: Pick<Results, 'selection'>): string[] {
  return selection.map((step) => `${step.dataset}: ${selectionText(step)}`);
}
