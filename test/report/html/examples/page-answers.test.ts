import { expect, test } from 'vitest';
import { exampleSection } from '../../../../src/report/html/examples/example-section.js';
import { pageAnswers } from '../../../../src/report/html/examples/page-answers.js';
import { PAGE_BUDGET } from '../../../../src/report/html/page/page-budget.js';
import type { Answers } from '../../../../src/results/examples/answers-schema.js';
import { exampleInput } from '../../example-report.js';

function answersOf(questions: number, targets: number): Answers {
  const places = Array.from({ length: questions }, (_, n) => n);
  return {
    schemaVersion: 1,
    textLimit: 600,
    datasets: ['a', 'b'].map((dataset) => ({
      dataset,
      of: 2 * questions,
      ids: places.map((n) => `q-${n}`),
      fields: ['question'],
      texts: places.map((n) => [`Question ${n}`]),
      options: places.map(() => ['yes', 'no']),
      labels: places.map(() => null),
      targets: Array.from({ length: targets }, (_, t) => ({
        target: `t-${t}`,
        scores: places.map((n) => [0, 1000 + n]),
      })),
    })),
  };
}

test('of very many answers those of evenly spaced questions stand in the page, with all targets, and the page says so', () => {
  const answers = answersOf(4000, 200);
  const sets = pageAnswers(answers, []);
  expect(JSON.stringify(sets).length).toBeLessThan(1.02 * PAGE_BUDGET.answers);
  expect(JSON.stringify(sets).length).toBeGreaterThan(0.8 * PAGE_BUDGET.answers);
  for (const { rows, targets } of sets) {
    expect(targets).toHaveLength(200);
    const places = rows.map(([id]) => Number(id.slice(2)));
    const steps = places.slice(1).map((place, i) => place - places[i]!);
    expect(Math.max(...steps) - Math.min(...steps)).toBeLessThanOrEqual(1);
    expect(targets[7]!.scores).toEqual(places.map((n) => [0, 1000 + n]));
  }
  const section = exampleSection({ ...exampleInput(), answers, examples: null }, [])!.text;
  expect(section).toContain(`of a the page holds ${sets[0]!.rows.length} of 8,000 questions, evenly spaced`);
});

test('few answers are all there, and what no verdict calibrates is left as it is', () => {
  const [set] = pageAnswers(answersOf(3, 1), []);
  expect(set!.rows).toHaveLength(3);
  expect(set!.targets[0]).toMatchObject({ label: null, tau: 1 });
});
