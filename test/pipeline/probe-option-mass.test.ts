import { expect, it } from 'vitest';
import type { ScoredRow } from '../../src/contract/scored-row.js';
import type { ModelFacts, Scorer } from '../../src/contract/scorer.js';
import { probeOptionMass } from '../../src/pipeline/probe-option-mass.js';
import { wordProblems } from './demo-workspace.js';
import { quizWorkspace } from './quiz-workspace.js';

it('scores five rows of each data set with every model, keeps nothing, and names models that answer with no option', async () => {
  const { options } = quizWorkspace(wordProblems(12));
  const asked: string[] = [];
  const scorer: Scorer = async (jobs) => {
    for (const { model, jobs: ofModel } of jobs) {
      for (const { dataset, prompts, onRows } of ofModel) {
        asked.push(`${model.id} ${dataset} ${prompts.length}`);
        const rows = prompts.map(({ id }, n): ScoredRow => {
          if (model.id === 'base' && n < 5) return { status: 'failed', id, reason: 'decode failed', promptTokens: 4 };
          const optionMass = model.id === 'target' ? 1e-5 : 0.75;
          return { status: 'ok', id, logits: Float32Array.of(1, 2), logZ: 3, optionMass, promptTokens: 4 };
        });
        await onRows(rows, {} as ModelFacts);
      }
    }
    return jobs.map(({ model }) => ({ kind: 'done', model: model.id, facts: {} as ModelFacts, seconds: 1, tokens: 1 }));
  };
  const probed = await probeOptionMass({ ...options, gpu: 'off' }, {}, new AbortController().signal, scorer);
  expect(asked.length).toBe(probed.length);
  expect(asked.every((line) => line.endsWith(' 5'))).toBe(true);
  const of = (id: string) => probed.find(({ model }) => model === id);
  expect(of('target')).toMatchObject({
    rows: 5,
    asked: 5,
    medianOptionMass: 1e-5,
    problem: expect.stringMatching(/median option mass is 0\.000010, under 0\.001/),
  });
  expect(of('base')).toMatchObject({ rows: 0, medianOptionMass: null, problem: 'decode failed' });
  const others = probed.filter(({ model }) => model !== 'target' && model !== 'base');
  expect(others.every(({ problem, medianOptionMass }) => problem === null && medianOptionMass === 0.75)).toBe(true);
});
