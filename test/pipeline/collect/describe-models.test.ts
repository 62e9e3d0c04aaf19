import { expect, test } from 'vitest';
import { scoreTable } from '../../../src/cache/table/score-table.js';
import { describeModels, roundWidth } from '../../../src/pipeline/collect/describe-models.js';
import { joinScores } from '../../../src/pipeline/join/dataset-scores.js';

const binning = { bins: 10, binEdges: 'equal-width', edgeRule: 'left-owned' } as const;
const row = (id: string, optionMass: number, promptTokens: number) => ({
  id,
  status: 'ok' as const,
  logits: [1, 0],
  logZ: 2,
  optionMass,
  promptTokens,
});

function describe(optionsShown: boolean) {
  const tables = new Map([
    ['a', scoreTable([row('1', 0, 3), row('2', 0.05, 4), row('3', 1, 4)], Int32Array.of(0, 0, 1))],
    [
      'b',
      scoreTable([
        row('1', 0.97, 10),
        row('2', 0.94, 12),
        { id: '3', status: 'failed', reason: 'too long', promptTokens: 99 },
      ]),
    ],
  ]);
  return describeModels(joinScores('quiz', null, tables), binning, optionsShown);
}

test('option mass is counted in twenty bins that own their left edge, 1 in the last; failed rows are in none', () => {
  const [a, b] = describe(true);
  const counts = (filled: Record<number, number>) => Array.from({ length: 20 }, (_, i) => filled[i] ?? 0);
  expect(a!.optionMassHistogram).toEqual({ start: 0, width: 0.05, counts: counts({ 0: 1, 1: 1, 19: 1 }) });
  expect(b!.optionMassHistogram).toEqual({ start: 0, width: 0.05, counts: counts({ 18: 1, 19: 1 }) });
});

test('prompt lengths of all models share bins of one round width between whole numbers', () => {
  const [a, b] = describe(true);
  expect(a!.promptTokensHistogram).toEqual({ start: 2.5, width: 1, counts: [1, 2, 0, 0, 0, 0, 0, 0, 0, 0] });
  expect(b!.promptTokensHistogram).toEqual({ start: 2.5, width: 1, counts: [0, 0, 0, 0, 0, 0, 0, 1, 0, 1] });
  expect([a!.medianPromptTokens, b!.medianPromptTokens]).toEqual([4, 11]);
  expect([0.3, 1, 1.1, 4, 7, 30].map(roundWidth)).toEqual([0.5, 1, 2, 5, 10, 50]);
});

test('in text mode the mass of the options says nothing and is left out; prompts are counted all the same', () => {
  for (const model of describe(false)) {
    expect(model).toMatchObject({ optionMassHistogram: null, medianOptionMass: null });
    expect(model.promptTokensHistogram).not.toBeNull();
  }
});
