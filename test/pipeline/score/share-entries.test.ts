import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
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
  expect(names('alone').filter((name) => !/\.(arrow|json)$/.test(name))).toEqual([]);
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
});
