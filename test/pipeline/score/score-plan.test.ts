import { expect, it } from 'vitest';
import { scoreStage } from '../../../src/pipeline/score-stage.js';
import type { RunOverview } from '../../../src/pipeline/workspace/pipeline-events.js';
import { wordProblems } from '../demo-workspace.js';
import { quizWorkspace } from '../quiz-workspace.js';
import { pacedScorer } from './shared-runs.js';

const never = new AbortController().signal;

it('asks no base whose targets cannot be had, and says so; nothing is scored before that', async () => {
  const { options, file, writeModels } = quizWorkspace(wordProblems(6));
  writeModels({ target: file('gone.gguf') });
  const { scorer, rows } = pacedScorer({ batch: 6, pause: async () => undefined });
  const overviews: RunOverview[] = [];
  const { status, entries } = await scoreStage(options, { onOverview: (each) => overviews.push(each) }, never, scorer);
  expect([rows(), status, overviews]).toEqual([0, 'failed', []]);
  const reasons = Object.fromEntries(entries.map(({ model, reason }) => [model, reason]));
  expect(reasons.base).toBe('not asked: no target that needs it can be had (target)');
  expect(reasons.reference).toBe(reasons.base);
  expect(reasons.target).toContain('gone.gguf');
});

it('tells before the first row what will be done, where and how long', async () => {
  const { options } = quizWorkspace(wordProblems(6));
  const heard: string[] = [];
  const overviews: RunOverview[] = [];
  const { scorer } = pacedScorer({ batch: 6, pause: async () => undefined });
  const onOverview = (each: RunOverview) => {
    heard.push('overview');
    overviews.push(each);
  };
  await scoreStage(options, { onOverview, onRows: () => heard.push('rows') }, never, scorer);
  expect(heard).toEqual(['overview', 'rows', 'rows', 'rows']);
  expect(overviews[0]).toMatchObject({ models: 3, datasets: ['quiz'], device: 'cpu', out: options.out, timed: false });
  expect(overviews[0]?.hours).toBeGreaterThan(0);
  const again: RunOverview[] = [];
  await scoreStage(options, { onOverview: (each) => again.push(each) }, never, scorer);
  expect(again).toEqual([]);
});
