import type { Results } from './results-schema.js';

/** The data sets that the suite leaves methods out on, and which. */
export function fewerMethods({ methods, methodsByDataset }: Results['protocol']) {
  return Object.entries(methodsByDataset).flatMap(([dataset, list]) => {
    const left = methods.filter((method) => !list.includes(method));
    return left.length === 0 ? [] : [{ dataset, left }];
  });
}
