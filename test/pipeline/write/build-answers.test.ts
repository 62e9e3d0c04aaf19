import { expect, test } from 'vitest';
import { raggedRows } from '../../../src/numeric/ragged-rows.js';
import type { AskedDataset } from '../../../src/pipeline/asking/way-of-asking.js';
import { buildAnswers } from '../../../src/pipeline/write/build-answers.js';

/** What the document is made of, for questions q0, q1 ... with one target. */
function asked(count: number, logits: readonly (readonly number[])[]): AskedDataset {
  const numbers = Array.from({ length: count }, (_, n) => n);
  return {
    spec: { yaml: { prompt: { template: '{question}\n{options}' } } },
    examples: numbers.map((n) => ({ fields: { question: `Q${n}` }, options: ['yes', 'no'] })),
    scores: {
      dataset: 'd',
      ids: numbers.map((n) => `q${n}`),
      labels: Int32Array.from(numbers, (n) => (n === 1 ? -1 : 0)),
      models: new Map([['t', { logits: raggedRows(logits) }]]),
    },
    asked: [],
  } as unknown as AskedDataset;
}

test('every question has its text, options, label, and what each target says of the options below its favourite', () => {
  const document = buildAnswers([{ asked: asked(3, [[-1, 1.5], [], [0, -Infinity]]), targets: ['t'] }]);
  expect(document.datasets).toEqual([
    {
      dataset: 'd',
      of: 3,
      ids: ['q0', 'q1', 'q2'],
      fields: ['question'],
      texts: [['Q0'], ['Q1'], ['Q2']],
      options: Array(3).fill(['yes', 'no']),
      labels: [0, null, 0],
      // Thousandths of a nat; no usable scores; an option of probability 0.
      targets: [{ target: 't', scores: [[2500, 0], null, [0, 1e9]] }],
    },
  ]);
});

test('beyond 20,000 questions evenly spaced ones are kept, and how many there are is said', () => {
  const rows = Array.from({ length: 30_000 }, () => [1, 0]);
  const [answers] = buildAnswers([{ asked: asked(30_000, rows), targets: ['t'] }]).datasets;
  expect(answers).toMatchObject({ of: 30_000 });
  expect(answers!.ids).toHaveLength(20_000);
  expect(answers!.ids.slice(0, 4)).toEqual(['q0', 'q1', 'q3', 'q4']);
});
