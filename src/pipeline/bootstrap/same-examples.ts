import type { NestedResamples } from '../../inference/nested-bootstrap.js';
import type { SignedErrors } from '../../inference/signed-errors.js';
import { isLabelFree } from '../../results/method-label.js';
import type { MeasuredMethod } from './bootstrap-pool.js';

/** A method with all that a test of it needs. */
export type TestedMethod = MeasuredMethod & { readonly nested: NestedResamples; readonly signed: SignedErrors };

/** Whether two methods were measured on the same seeds and, within each, on the same examples. */
export function sameExamples(a: MeasuredMethod, b: MeasuredMethod): boolean {
  if (a.seeds.join() !== b.seeds.join()) return false;
  return a.examples.every((examples, s) => {
    const others = b.examples[s];
    if (examples === others) return true;
    return examples.length === others?.length && examples.every((each, i) => each === others[i]);
  });
}

/**
 * The label-free methods of one target that can be tested against each other: resampled, and measured on the same
 * examples as the one that has most. One that gave no answer to some is left out: what is missing may be the hard part.
 */
export function competingMethods(methods: readonly MeasuredMethod[]): TestedMethod[] {
  const tested = methods.filter(isTested).filter(({ method }) => isLabelFree(method));
  const sizeOf = ({ examples }: MeasuredMethod) => examples.reduce((sum, { length }) => sum + length, 0);
  const [most] = tested.toSorted((a, b) => sizeOf(b) - sizeOf(a));
  return most === undefined ? [] : tested.filter((each) => sameExamples(each, most));
}

export function isTested(method: MeasuredMethod): method is TestedMethod {
  return method.nested !== null && method.signed !== null;
}
