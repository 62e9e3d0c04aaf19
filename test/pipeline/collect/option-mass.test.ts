import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { lowOptionMass } from '../../../src/pipeline/collect/option-mass.js';
import type { Results } from '../../../src/results/results-schema.js';
import { wordProblems } from '../demo-workspace.js';
import { QUIZ, quizWorkspace } from '../quiz-workspace.js';

const described = (medianOptionMass: number | null) => [
  {
    dataset: 'd',
    model: 'm',
    examples: 10,
    failed: 0,
    labelled: 10,
    accuracy: null,
    meanConfidence: null,
    ece: null,
    medianOptionMass,
  },
];

describe('lowOptionMass', () => {
  it.each([
    [0.001, undefined, []],
    [0.00099, undefined, ['m']],
    [null, undefined, []],
    [0.00099, { minimumOptionMass: 0 }, []],
    [0.4, { minimumOptionMass: 0.5 }, ['m']],
    [1e-9, { mode: 'hybrid' as const }, []],
    [1e-9, { mode: 'hybrid' as const, minimumOptionMass: 1e-8 }, ['m']],
  ])('of a median of %j under the settings %j is %j', (mass, scoring, models) => {
    expect([...lowOptionMass(scoring, described(mass), new Set()).keys()]).toEqual(models);
  });

  it('takes imported scores as they are', () => {
    expect(lowOptionMass(undefined, described(0.0001), new Set(['m'])).size).toBe(0);
  });
});

describe('a prompt that no model answers with an option', () => {
  const run = async (scoring: string) => {
    const asked = 'prompt: {template: "Anna has", optionLabels: ["%", "&", "@", "~"], answerPrefix: ""}\n';
    const workspace = quizWorkspace(wordProblems(20), QUIZ.replace(/prompt:.*\n/, asked) + scoring);
    const { code, stderr } = await workspace.run('pipeline');
    return {
      code,
      stderr,
      results: () => JSON.parse(readFileSync(workspace.file('out/results.json'), 'utf8')) as Results,
    };
  };

  it('is no data for the fit: every model is left out, with the mass and what to do', async () => {
    const { code, stderr } = await run('');
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/target on quiz: its median option mass is .*under 0\.001/),
    ]);
  });

  it('is taken where the data set says so, with a warning', async () => {
    const { code, results } = await run('scoring: {minimumOptionMass: 0}\n');
    expect(code).toBe(0);
    expect(results().skipped).toEqual([]);
    expect(results().warnings.join()).toMatch(/quiz, target: median option mass is 0\.0/);
  });
});
