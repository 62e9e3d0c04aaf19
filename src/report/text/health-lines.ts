import type { Results } from '../../results/results-schema.js';

/** What makes the numbers of a model mean little, one line each; of one data set where it is named. */
export function healthLines(
  { health = [] }: Pick<Results, 'health'>,
  shown: (text: string) => string,
  dataset?: string,
): string[] {
  return health
    .filter((each) => dataset === undefined || each.dataset === dataset)
    .map(({ dataset: where, model, what }) => `${shown(where)}, ${shown(model)}: ${shown(what)}`);
}
