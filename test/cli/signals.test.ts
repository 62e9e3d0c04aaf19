import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { verifyEntries } from '../../src/cache/list-entries.js';
import { wordProblems } from '../pipeline/demo-workspace.js';
import { quizWorkspace } from '../pipeline/quiz-workspace.js';

const root = path.resolve(import.meta.dirname, '../..');
const ROWS = 300;

/** A scoring run as the npm scripts start it, on real models; `stderr` grows while it runs. */
function startScoring({ options }: ReturnType<typeof quizWorkspace>) {
  const flags = ['--suite', 's', '--models', options.models, '--datasets', options.datasets];
  const places = ['--cache', options.cache, '--out', options.out, '--gpu', 'off'];
  const child = spawn(process.execPath, ['scripts/supportcal.mjs', 'score', ...flags, ...places], { cwd: root });
  const output = { stderr: '' };
  child.stderr.on('data', (data) => {
    output.stderr += data;
  });
  const end = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  );
  return { child, output, end };
}

const until = (what: () => unknown) => vi.waitFor(() => expect(what()).toBeTruthy(), { timeout: 200_000, interval: 5 });

/** Rows in the cache, complete or in parts; every byte of them verified. */
async function soundRows(cache: string): Promise<number> {
  const entries = await verifyEntries(cache);
  expect(entries.flatMap(({ damaged }) => damaged)).toEqual([]);
  return entries.reduce((sum, { rows }) => sum + rows, 0);
}

/** Starts a run, lets it save some rows of its own, then calls `stop` with it; returns how it ended. */
async function interrupted(
  workspace: ReturnType<typeof quizWorkspace>,
  stop: (child: ChildProcess, stderr: () => string) => unknown,
) {
  const parts = () => {
    const names = readdirSync(workspace.folder, { recursive: true }) as string[];
    return names.filter((name) => /\.parts.\d{6}-.*arrow$/.test(name)).length;
  };
  const before = parts();
  const { child, output, end } = startScoring(workspace);
  await until(() => parts() > before);
  await stop(child, () => output.stderr);
  return { ...(await end), stderr: output.stderr };
}

describe('a scoring run that gets', () => {
  it('SIGINT or SIGTERM saves what it has, says how to go on and ends with 130 or 143; twice ends at once; then it goes on', async () => {
    const workspace = quizWorkspace(wordProblems(ROWS));
    const { cache } = workspace.options;
    let saved = 0;
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const) {
      const end = await interrupted(workspace, (child) => child.kill(signal));
      expect([end.code, end.signal]).toEqual([code, null]);
      expect(end.stderr).toMatch(`${signal}: finishing the rows in hand; once more ends at once`);
      expect(end.stderr).toMatch('nothing that was scored is lost; run the same command again to go on');
      const rows = await soundRows(cache);
      expect(rows).toBeGreaterThan(saved);
      expect(readdirSync(cache).filter((name) => /lock|owner|tmp/.test(name))).toEqual([]);
      saved = rows;
    }
    const twice = await interrupted(workspace, async (child, stderr) => {
      child.kill('SIGINT');
      await until(() => stderr().includes('once more ends at once'));
      child.kill('SIGINT');
    });
    expect(twice.signal === 'SIGINT' || twice.code === 130).toBe(true);
    expect(await soundRows(cache)).toBeGreaterThanOrEqual(saved);
    const { end } = startScoring(workspace);
    expect(await end).toEqual({ code: 0, signal: null });
    expect((await verifyEntries(cache)).map(({ state, rows }) => [state, rows])).toEqual(
      Array(3).fill(['complete', ROWS]),
    );
  });
});
