import { expect, test } from 'vitest';
import type { TargetPlan } from '../../../src/config/plan-suite.js';
import { raggedRows } from '../../../src/numeric/ragged-rows.js';
import { twinWarnings } from '../../../src/pipeline/calibrate/twin-warnings.js';

const plan = { target: { id: 'chat' }, ownBase: { id: 'base' } } as TargetPlan;
const logits = (first: number) =>
  raggedRows([
    [first, 0],
    [1, 2, 3],
  ]);
const warnings = (target: number, ownBase: number, references: readonly number[]) =>
  twinWarnings('quiz', plan, {
    targetLogits: logits(target),
    ownBaseLogits: logits(ownBase),
    references: references.map((first, n) => ({ id: `r${n}`, logits: logits(first) })),
  });

test('the own base under a second id in the reference pool is warned of', () => {
  expect(warnings(1, 2, [3, 2])).toEqual([
    'quiz, chat: reference "r1" has the scores of the own base "base", number for number: the same file under another ' +
      'id. It corroborates the own base with itself; take it out of the bucket',
  ]);
});

test('so are one reference twice, and a target that is its own base; models that differ in one number are not', () => {
  expect(warnings(1, 2, [3, 4, 3])).toEqual([
    'quiz, chat: references "r0" and "r2" have the same scores, number for number: they count twice',
  ]);
  expect(warnings(1, 1, [3])).toEqual([
    'quiz, chat: its scores are those of its own base "base", number for number: one file under two ids?',
  ]);
  expect(warnings(1, 2, [3, 4])).toEqual([]);
  expect(twinWarnings('quiz', plan, { targetLogits: logits(1), ownBaseLogits: logits(2), references: [] })).toEqual([]);
});
