import { expect, test } from 'vitest';
import type { SuitePlan, TargetPlan } from '../../../src/config/plan-suite.js';
import { referenceWarnings } from '../../../src/pipeline/calibrate/reference-warnings.js';

const target = { target: { id: 'chat', bucket: 'small' } } as TargetPlan;
const reference = { id: 'r', logits: { rowCount: 0, offsets: new Int32Array(1), values: new Float64Array(0) } };

function warnings(methods: readonly string[], sizes: readonly number[], references: number): string[] {
  const combinationMethods = methods.filter((name) => name === 'supportcal');
  const plan: Partial<SuitePlan> = { methods, ownMethods: [], combinationMethods, combinationSizes: () => sizes };
  const aligned = { references: Array.from({ length: references }, () => reference) };
  return referenceWarnings(plan as SuitePlan, 'quiz', target, aligned);
}

test('with an empty pool, every method that asks references is named, with the bucket that has no other base', () => {
  const nobody = 'no other base of bucket "small" has scores that can be a reference';
  expect(warnings(['daca', 'supportcal', 'accuracy-matched', 'confidence-matched'], [], 0)).toEqual([
    `quiz, chat: supportcal left out, ${nobody}`,
    `quiz, chat: accuracy-matched has no temperature, ${nobody}`,
  ]);
});

test('a size above the references that have scores is left out by name; what is not asked is not warned of', () => {
  expect(warnings(['supportcal', 'accuracy-matched'], [1, 2], 1)).toEqual([
    'quiz, chat: supportcal with M = 2 left out, only 1 references have scores',
  ]);
  expect(warnings(['daca'], [2], 0)).toEqual([]);
});
