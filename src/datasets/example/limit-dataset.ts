import { datasetHash } from './content-hash.js';
import type { Dataset } from './example.js';

/** The first examples in id order. Its hash differs from that of the whole: scores of one are not the other's. */
export function limitDataset(dataset: Dataset, limit: number): Dataset {
  if (limit >= dataset.examples.length) return dataset;
  const examples = dataset.examples.slice(0, limit);
  return { ...dataset, examples, hash: datasetHash(examples, dataset.rules) };
}
