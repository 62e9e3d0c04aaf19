import { SupportCalError } from '../errors/supportcal-error.js';
import { shuffle } from '../numeric/shuffle.js';
import type { DatasetSpec } from './dataset-spec.js';
import type { Example } from './example.js';

/**
 * The rows that `source.sample` draws: the first `count` of the shuffled ids (`SHUFFLE_GENERATOR`), back in id order. The
 * draw depends on ids and seed, never on the order of a file.
 *
 * @param examples in id order
 * @throws SupportCalError bad-input: fewer rows than `count`
 */
export function sampleExamples(examples: readonly Example[], spec: DatasetSpec): Example[] {
  const { source } = spec.yaml;
  const sample = typeof source === 'object' ? source.sample : undefined;
  if (sample === undefined) return [...examples];
  const { count, seed } = sample;
  if (count > examples.length) {
    const at = ['source', 'sample', 'count'];
    const message = `a sample of ${count} rows is asked for, but there are ${examples.length}; lower the count or leave \`sample\` out`;
    throw new SupportCalError('bad-input', { file: spec.file, ...spec.locate(at), field: at.join('.'), message });
  }
  const drawn = shuffle(examples.length, seed).subarray(0, count).sort();
  return Array.from(drawn, (n) => examples[n]!);
}
