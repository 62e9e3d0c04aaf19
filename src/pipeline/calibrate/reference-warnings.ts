import { CALIBRATION_METHODS } from '../../calibration/methods.js';
import type { SuitePlan, TargetPlan } from '../../config/plan-suite.js';
import type { AlignedTarget } from '../join/align-target.js';

/** What a target lacks references for, one line each: sizes M that cannot be filled, methods that ask an empty pool. */
export function referenceWarnings(
  suite: SuitePlan,
  dataset: string,
  { target }: TargetPlan,
  { references }: Pick<AlignedTarget, 'references'>,
): string[] {
  const where = `${dataset}, ${target.id}`;
  const nobody = `no other base of bucket "${target.bucket}" has scores that can be a reference`;
  return [
    ...impossibleSizes(suite, dataset, references.length, nobody),
    ...(references.length > 0 ? [] : poolMethods(suite).map((name) => `${name} has no temperature, ${nobody}`)),
  ].map((line) => `${where}: ${line}`);
}

function impossibleSizes(suite: SuitePlan, dataset: string, available: number, nobody: string): string[] {
  if (suite.combinationMethods.length === 0) return [];
  const sizes = suite.combinationSizes(dataset);
  const methods = suite.combinationMethods.join(', ');
  if (sizes.length === 0) return [`${methods} left out, ${nobody}`];
  return sizes
    .filter((size) => size > available)
    .map((size) => `${methods} with M = ${size} left out, only ${available} references have scores`);
}

function poolMethods({ methods, ownMethods }: SuitePlan): string[] {
  return [...CALIBRATION_METHODS, ...ownMethods]
    .filter((method) => method.needs === 'pool' && method.poolOptional !== true && methods.includes(method.name))
    .map(({ name }) => name);
}
