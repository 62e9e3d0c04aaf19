import { readdirSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { rowRanges } from '../../../src/cache/parts/row-ranges.js';
import { type ModelPlan, planScores } from '../../../src/pipeline/score/score-plan.js';
import { type ShardRows, shardRows } from '../../../src/pipeline/score/shard-rows.js';
import { scoreStage } from '../../../src/pipeline/score-stage.js';
import { loadWorkspace } from '../../../src/pipeline/workspace/load-workspace.js';
import type { Workspace } from '../../../src/pipeline/workspace/workspace.js';
import { wordProblems } from '../demo-workspace.js';
import { quizWorkspace } from '../quiz-workspace.js';
import { arrowFiles, pacedScorer, sharedRun } from './shared-runs.js';

const ROWS = 400;
const project = quizWorkspace(wordProblems(ROWS));
const { signal } = new AbortController();
let workspace: Workspace;
let plans: ModelPlan[];
beforeAll(async () => {
  workspace = await loadWorkspace(project.options);
  plans = await planScores(workspace, 'cpu');
});

/** Rows of each entry in a shard. */
function sizes(shard: ShardRows): number {
  const ranges = rowRanges(ROWS);
  const size = (only: ReadonlySet<number> | undefined) =>
    ranges.filter(({ index }) => only?.has(index) !== false).reduce((sum, { from, to }) => sum + to - from, 0);
  return [...shard.values()].reduce((sum, only) => sum + size(only), 0);
}

describe('the shards of a suite', () => {
  it('hold every row once between them, and are of like cost', () => {
    for (const count of [1, 2, 3, 5, 30]) {
      const shards = Array.from({ length: count }, (_, index) => shardRows(workspace, plans, { index, count }));
      const held = shards.flatMap((shard) =>
        [...shard].flatMap(([name, only]) => [...(only ?? [])].map((range) => `${name} ${range}`)),
      );
      expect([held.length, new Set(held).size]).toEqual([3 * rowRanges(ROWS).length, 3 * rowRanges(ROWS).length]);
      const rows = shards.map(sizes);
      expect(rows.reduce((sum, size) => sum + size, 0)).toBe(3 * ROWS);
      if (count <= 5) expect(Math.max(...rows) - Math.min(...rows)).toBeLessThanOrEqual(2 * 16);
    }
  });

  it('are the same when some of the rows are in the cache, and become the bytes of one run', async () => {
    const options = { ...project.options, cache: project.file('shards') };
    const alone = { ...project.options, cache: project.file('alone') };
    await sharedRun(alone, pacedScorer({ batch: 16, pause: async () => {} }).scorer);
    const rows: number[] = [];
    for (const index of [2, 0, 1]) {
      const { scorer, rows: scored } = pacedScorer({ batch: 16, pause: async () => {} });
      const summary = await scoreStage({ ...options, shard: { index, count: 3 } }, {}, signal, scorer);
      expect(summary.status).toBe('complete');
      expect(summary.entries.some(({ state }) => state === 'elsewhere')).toBe(index !== 1);
      rows.push(scored());
    }
    expect(rows.reduce((sum, count) => sum + count, 0)).toBe(3 * ROWS);
    expect(arrowFiles(options.cache)).toEqual(arrowFiles(alone.cache));
    expect(readdirSync(options.cache).sort()).toEqual(readdirSync(alone.cache).sort());
  });

  it('leave rows that a dead shard did not score to the next run, which scores no others', async () => {
    const options = { ...project.options, cache: project.file('dead') };
    const { scorer } = pacedScorer({ batch: 16, pause: async () => {} });
    await scoreStage({ ...options, shard: { index: 1, count: 3 } }, {}, signal, scorer);
    const rest = pacedScorer({ batch: 16, pause: async () => {} });
    expect(await sharedRun(options, rest.scorer)).toEqual(new Map());
    const own = sizes(shardRows(workspace, plans, { index: 1, count: 3 }));
    expect(rest.rows()).toBe(3 * ROWS - own);
    expect(readdirSync(options.cache).filter((name) => name.endsWith('.parts'))).toEqual([]);
  });

  it('of one model: --model scores it and no other, and refuses a model that the suite lacks', async () => {
    const options = { ...project.options, cache: project.file('model'), modelIds: ['target'] };
    const { scorer, rows } = pacedScorer({ batch: 16, pause: async () => {} });
    const summary = await scoreStage(options, {}, signal, scorer);
    expect([summary.status, summary.entries.map(({ model }) => model), rows()]).toEqual(['complete', ['target'], ROWS]);
    await expect(scoreStage({ ...options, modelIds: ['targte'] }, {}, signal, scorer)).rejects.toThrow(
      'suite "s" has no model "targte"; its models are base, reference, target',
    );
  });
});
