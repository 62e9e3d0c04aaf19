import { copyFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { verifyEntries } from '../../../src/cache/list-entries.js';
import type { Scorer } from '../../../src/contract/scorer.js';
import { scoreStage } from '../../../src/pipeline/score-stage.js';
import { wordProblems } from '../demo-workspace.js';
import { quizWorkspace } from '../quiz-workspace.js';
import { stubScorer } from '../stub-scorer.js';

const never = new AbortController().signal;

/** A project whose reference is the file of the base once more. */
function twinWorkspace() {
  const workspace = quizWorkspace(wordProblems(8));
  const copy = workspace.file('copy.gguf');
  copyFileSync(workspace.demoModel('base'), copy);
  workspace.writeModels({ reference: copy });
  const labels = new Map(wordProblems(8).map(({ id }, n) => [id, n % 4]));
  const scorer = stubScorer({ labels, options: 4, bases: ['base', 'reference'] });
  const asked: string[] = [];
  const noting: Scorer = (jobs, settings, events) => {
    asked.push(
      ...jobs.flatMap(({ model, jobs: parts }) => parts.map(({ prompts }) => `${model.id} ${prompts.length}`)),
    );
    return scorer(jobs, settings, events);
  };
  const score = (using = noting) => scoreStage(workspace.options, {}, never, using);
  const sums = async () => {
    const entries = await verifyEntries(workspace.options.cache);
    return new Map(entries.map(({ name, manifest }) => [name.replace(/-[0-9a-f]{12}$/, ''), manifest?.checksum]));
  };
  return { ...workspace, asked, scorer, score, sums };
}

it('a file under two ids is asked once; each id has an entry with the same rows, also when the first one was there', async () => {
  const { asked, score, sums, writeModels, file } = twinWorkspace();
  const first = await score();
  expect([first.status, asked]).toEqual(['complete', ['base 8', 'target 8']]);
  const entries = await sums();
  expect(entries.get('reference--quiz')).toBe(entries.get('base--quiz'));
  expect(new Set(entries.values()).size).toBe(2);
  // The target becomes the same file too: its scores are in the cache already.
  writeModels({ reference: file('copy.gguf'), target: file('copy.gguf') });
  asked.length = 0;
  const again = await score();
  expect([again.status, asked]).toEqual(['complete', []]);
});

it('when the model that is asked fails, its twin has failed for the same reason; the next run goes on for both', async () => {
  const { asked, scorer, score, sums } = twinWorkspace();
  const failing: Scorer = async (jobs, settings, events) => {
    const part = jobs.map((job) => ({
      ...job,
      jobs: job.jobs.map((each) => ({ ...each, prompts: each.prompts.slice(0, 3) })),
    }));
    await scorer(part, settings, events);
    return jobs.map(({ model }) => ({ kind: 'failed', model: model.id, reason: `no more of ${model.id}` }) as const);
  };
  const { entries } = await score(failing);
  expect(entries.map(({ model, state, reason }) => [model, state, reason])).toEqual([
    ['base', 'failed', 'no more of base'],
    ['reference', 'failed', 'no more of base'],
    ['target', 'failed', 'no more of target'],
  ]);
  expect((await score()).status).toBe('complete');
  expect(asked).toEqual(['base 5', 'target 5']);
  const after = await sums();
  expect(after.get('reference--quiz')).toBe(after.get('base--quiz'));
});
