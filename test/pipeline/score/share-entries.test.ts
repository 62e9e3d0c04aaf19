import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { OtherRun } from '../../../src/cache/runs-at-work.js';
import type { Scorer } from '../../../src/contract/scorer.js';
import { SupportCalError } from '../../../src/errors/supportcal-error.js';
import { wordProblems } from '../demo-workspace.js';
import { quizWorkspace } from '../quiz-workspace.js';
import { arrowFiles, pacedScorer, sharedRun } from './shared-runs.js';

const ROWS = 700;
const workspace = quizWorkspace(wordProblems(ROWS));
const options = (cache: string) => ({ ...workspace.options, cache: workspace.file(cache) });
const names = (cache: string) => readdirSync(workspace.file(cache)).filter((name) => name !== 'speeds.json');

let alone: Record<string, string>;
beforeAll(async () => {
  const { scorer, rows } = pacedScorer({ batch: 16, pause: async () => {} });
  expect(await sharedRun(options('alone'), scorer)).toEqual(new Map());
  expect(rows()).toBe(3 * ROWS);
  alone = arrowFiles(workspace.file('alone'));
  expect(names('alone').filter((name) => !/\.(arrow|json|rows)$/.test(name))).toEqual([]);
});

describe('runs on one cache', () => {
  it('divide the rows of a suite, each row scored once, to the bytes of one run', async () => {
    const scorers = [0, 1, 2].map(() => pacedScorer({ batch: 8, pause: () => sleep(4) }));
    const ends = await Promise.all(scorers.map(({ scorer }) => sharedRun(options('three'), scorer)));
    expect(ends).toEqual([new Map(), new Map(), new Map()]);
    const counts = scorers.map(({ rows }) => rows());
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3 * ROWS);
    for (const count of counts) expect(count).toBeGreaterThan(ROWS / 2);
    expect(arrowFiles(workspace.file('three'))).toEqual(alone);
    expect(names('three').sort()).toEqual(names('alone').sort());
  });

  it('tell each other what they hold; one that waits takes part as soon as the other gives back', async () => {
    const seen: string[] = [];
    let begun: () => void = () => {};
    const working = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const first = pacedScorer({
      batch: 8,
      pause: async (rows) => {
        if (rows === 80) begun();
        await sleep(4);
      },
    });
    const one = sharedRun(options('late'), first.scorer);
    await working;
    const second = pacedScorer({ batch: 8, pause: () => sleep(4) });
    const onOtherRuns = (runs: readonly OtherRun[], models: number) =>
      void seen.push(...runs.flatMap((run) => (run.holds.length > 0 ? [`${run.models.length} of ${models}`] : [])));
    await Promise.all([one, sharedRun(options('late'), second.scorer, { events: { onOtherRuns } })]);
    expect(seen.length).toBeGreaterThan(0);
    for (const line of seen) expect(line).toMatch(/^[123] of 3$/);
    expect(second.rows()).toBeGreaterThan(ROWS / 2);
    expect(first.rows() + second.rows()).toBe(3 * ROWS);
    expect(arrowFiles(workspace.file('late'))).toEqual(alone);
  });

  it('go on when one of them ends because its disk is full, and score what it held', async () => {
    const full = pacedScorer({
      batch: 8,
      pause: async (rows) => {
        await sleep(2);
        if (rows >= 200) throw new SupportCalError('write-failed', 'the disk is full');
      },
    });
    const other = pacedScorer({ batch: 8, pause: () => sleep(2) });
    const ends = await Promise.allSettled([
      sharedRun(options('full'), full.scorer),
      sharedRun(options('full'), other.scorer),
    ]);
    expect(ends).toMatchObject([
      { status: 'rejected', reason: { code: 'write-failed' } },
      { status: 'fulfilled', value: new Map() },
    ]);
    expect(full.rows() + other.rows()).toBe(3 * ROWS);
    expect(arrowFiles(workspace.file('full'))).toEqual(alone);
    expect(names('full').sort()).toEqual(names('alone').sort());
  });

  it('a model that fails here is not waited for once nobody else holds it', async () => {
    const { scorer } = pacedScorer({ batch: 64, pause: async () => {} });
    const failing: Scorer = async (jobs, settings, events) => {
      const [bad, good] = [
        jobs.filter(({ model }) => model.id === 'target'),
        jobs.filter(({ model }) => model.id !== 'target'),
      ];
      const failed = bad.map(({ model }) => ({ kind: 'failed', model: model.id, reason: 'no memory' }) as const);
      return [...failed, ...(await scorer(good, settings, events))];
    };
    expect(await sharedRun(options('bad'), failing)).toEqual(new Map([['target', 'no memory']]));
    expect(Object.keys(arrowFiles(workspace.file('bad')))).toHaveLength(2);
  });
});
