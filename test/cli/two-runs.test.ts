import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtCommandLine } from '../built-modules.js';
import { evaluatedRows } from '../durability/demo-run.js';
import { wordProblems } from '../pipeline/demo-workspace.js';
import { quizWorkspace } from '../pipeline/quiz-workspace.js';
import { importAll, importedSuite, rowsOf } from './imported-suite.js';

const root = path.resolve(import.meta.dirname, '../..');

/** The tool as a process of its own; writes down what its workers evaluate (see kill-at-step.mjs). */
function tool(args: readonly string[], env: Record<string, string> = {}) {
  const preloads = ['--import', './test/durability/kill-at-step.mjs'];
  const child = spawn(process.execPath, [...preloads, builtCommandLine(), ...args], {
    cwd: root,
    env: { ...process.env, ...env },
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (data) => {
      output[name] += data;
    });
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, ...output })),
  );
}

function scoringArguments({ options }: ReturnType<typeof quizWorkspace>, out: string): string[] {
  const { models, datasets, cache } = options;
  const places = ['--models', models, '--datasets', datasets, '--cache', cache, '--out', out];
  return ['score', '--suite', 's', '--gpu', 'off', '--json', ...places];
}

describe('two processes of the whole tool at once on one cache', () => {
  it('score every row once between them, both end with 0, and nothing of locks stays', async () => {
    const workspace = quizWorkspace(wordProblems(40));
    const { cache } = workspace.options;
    const rowsFile = workspace.file('rows');
    const env = { KILL_CACHE: cache, KILL_ROWS: rowsFile };
    const ends = await Promise.all(
      ['a', 'b'].map((name) => tool(scoringArguments(workspace, workspace.file(`out-${name}`)), env)),
    );
    expect(ends.map(({ code, stderr }) => (code === 0 ? 0 : stderr))).toEqual([0, 0]);
    const states = ends.map(({ stdout }) =>
      JSON.parse(stdout).entries.map((entry: { state: string; rows: number }) => [entry.state, entry.rows]),
    );
    for (const entries of states) {
      expect(entries).toHaveLength(3);
      for (const [state, rows] of entries) expect([['cached', 'scored'].includes(state), rows]).toEqual([true, 40]);
    }
    expect(Object.fromEntries(evaluatedRows(rowsFile))).toEqual({ base: 40, reference: 40, target: 40 });
    const entries = readdirSync(cache).filter((name) => name.includes('quiz'));
    expect(entries.filter((name) => !/-[0-9a-f]{12}\.(arrow|json|rows)$/.test(name))).toEqual([]);
    expect(entries).toHaveLength(9);
  });

  it('import and calibrate with equal results', async () => {
    const suite = importedSuite();
    await importAll(suite);
    const run = (name: string) => tool(['pipeline', '--suite', 's', '--out', suite.file(name), ...suite.flags]);
    const again = suite.import('base', rowsOf(1, 0));
    const ends = await Promise.all([run('a'), run('b'), again]);
    expect(ends.map(({ code, stderr }) => (code === 0 ? 0 : stderr))).toEqual([0, 0, 0]);
    const results = ['a', 'b'].map((name) => {
      const { createdAt: _, ...rest } = JSON.parse(readFileSync(suite.file(`${name}/results.json`), 'utf8'));
      return rest;
    });
    expect(results[0]).toEqual(results[1]);
  });
});
