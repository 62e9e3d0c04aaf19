import type { ShownExample } from '../../../results/examples/examples-schema.js';

/** What of the questions is shown: all of them, those of one outcome, or those that the weights are about. */
interface ExampleView {
  readonly name: 'all' | 'wrong' | 'right' | 'unlabelled' | ShownExample['kind'];
  readonly title: string;
  readonly about: string;
}

export const EXAMPLE_VIEWS: readonly ExampleView[] = [
  { name: 'all', title: 'all', about: '' },
  {
    name: 'wrong',
    title: 'wrong answers',
    about: 'Sorted by what is claimed, the most over-confident errors come first.',
  },
  { name: 'right', title: 'right answers', about: '' },
  { name: 'unlabelled', title: 'without a label', about: 'Nothing says whether these are right.' },
  {
    name: 'largest-weight',
    title: 'largest weight',
    about: 'Disagreements that count most in the fit: own base and references find the answer plausible.',
  },
  { name: 'smallest-weight', title: 'smallest weight', about: 'Disagreements that the fit all but leaves out.' },
  {
    name: 'strongest-contradiction',
    title: 'strongest contradiction',
    about: 'Disagreements in which the own base gives the answer the least relative support.',
  },
  {
    name: 'overconfident-error',
    title: 'most over-confident errors',
    about: 'Wrong answers of the highest confidence on the evaluation split, with what own base and references say.',
  },
];
