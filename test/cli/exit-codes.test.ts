import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Writable } from 'node:stream';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifyEntries } from '../../src/cache/list-entries.js';
import { runCli } from '../../src/cli/run-cli.js';
import { builtCommandLine } from '../built-modules.js';
import { wordProblems } from '../pipeline/demo-workspace.js';
import { quizWorkspace } from '../pipeline/quiz-workspace.js';
import { mountSmallDisk } from '../small-disk.js';
import { run } from './fake-io.js';
import { type ImportedSuite, importAll, importedSuite, rowsOf } from './imported-suite.js';

const root = path.resolve(import.meta.dirname, '../..');
let suite: ImportedSuite;
const argv = (command: string, out: string) => [command, '--suite', 's', '--out', out, ...suite.flags];

/** The tool as a process of its own, with another module loaded first. */
function spawned(module: string | null, args: readonly string[], env: Record<string, string> = {}, limit = 1024) {
  const preload = module === null ? [] : ['--import', module];
  const node = [process.execPath, ...preload, builtCommandLine(), ...args];
  const shell = ['-c', `ulimit -n ${limit}; exec "$@"`, 'sh', ...node];
  return spawnSync('sh', shell, { cwd: root, encoding: 'utf8', env: { ...process.env, ...env } });
}

/** A small file system of its own, or null where only root of a machine may mount one. */
function smallDisk(name: string): string | null {
  const folder = suite.file(name);
  mkdirSync(folder);
  return mountSmallDisk(folder, '64k') ? folder : null;
}

beforeAll(async () => {
  suite = importedSuite();
  await importAll(suite);
});

describe('a full disk behind standard output', () => {
  it.skipIf(!existsSync('/dev/full'))('is said, and is no fault of ours', () => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [builtCommandLine(), '--help'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', full, 'pipe'],
    });
    closeSync(full);
    expect([status, stderr]).toEqual([3, expect.stringMatching(/^error: standard output: .* the disk is full/)]);
  });
});

describe('exit code 1', () => {
  it('is for an error that nobody foresaw: the message says that it is ours and where to look, and shows no token', () => {
    const code = `const watch = setInterval(() => {
      if (process.listenerCount('SIGINT') === 0) return;
      clearInterval(watch);
      throw new TypeError('injected hf_CAN' + 'ARY123456'.padEnd(31, '7'));
    }, 0)`;
    const { status, stderr } = spawned(`data:text/javascript,${encodeURIComponent(code)}`, argv('calibrate', 'unused'));
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^error: internal fault of supportcal \d\S*, not of your files: TypeError: injected hf_\*+\nerror: please report it with the lines below and run\.log/m,
    );
    expect(stderr).not.toContain('CANARY');
  });

  it('is for a process that ends before its work is done, which Node calls success', () => {
    for (const code of ['await new Promise(() => {}); export default 1;', 'process.exit(0);']) {
      writeFileSync(suite.file('ends.mjs'), code);
      const { status, stdout, stderr } = spawned(null, [
        ...argv('calibrate', 'unused'),
        '--method-file',
        suite.file('ends.mjs'),
      ]);
      expect([status, stdout, stderr]).toEqual([
        1,
        '',
        expect.stringMatching(/^error: ended before its work was done: /m),
      ]);
    }
  });

  it('is for one inside a command too; with --json stdout is one document with the same status', async () => {
    const [out, err]: [string[], string[]] = [[], []];
    let writes = 0;
    const stdout = new Writable({
      write(chunk, _encoding, done) {
        out.push(String(chunk));
        done();
      },
    });
    const io = {
      stdout: Object.assign(stdout, {
        write: new Proxy(stdout.write, {
          apply(write, self, args) {
            if (writes++ === 0) throw new TypeError('injected');
            return Reflect.apply(write, self, args);
          },
        }),
      }),
      stderr: new Writable({
        write(chunk, _encoding, done) {
          err.push(String(chunk));
          done();
        },
      }),
      env: {},
      onSignal: () => () => undefined,
    };
    expect(await runCli(['ls', ...suite.flags, '--json'], io)).toBe(1);
    expect(err.join('')).toMatch(/internal fault of supportcal \d\S*, not of your files: TypeError: injected/);
    expect(JSON.parse(out.join(''))).toMatchObject({ status: 'failed', error: { code: 'internal' } });
  });
});

describe('a partial run', () => {
  it('ends with 4 and says so at the top of stdout, report.md, report.html and in results.json', async () => {
    const partial = importedSuite();
    await importAll(partial);
    await partial.import('ref-b', [...rowsOf(1, 2).slice(1), { id: 'q0', logits: [null, 1, 2] }]);
    const out = partial.file('out');
    const { code, stdout } = await run(['pipeline', '--suite', 's', '--out', out, ...partial.flags]);
    expect(code).toBe(4);
    expect(stdout).toMatch(/^PARTIAL RUN: 1 example score missing\. /);
    const text = (name: string) => readFileSync(path.join(out, name), 'utf8');
    expect(text('report.md').split('\n').slice(0, 4).join('\n')).toContain('**Partial run: 1 example score missing.**');
    if (readdirSync(out).includes('report.html')) {
      const visible = text('report.html').replace(/^[\s\S]*<body/, '');
      expect(visible.indexOf('Partial run.')).toBeGreaterThan(0);
      expect(visible.indexOf('Partial run.')).toBeLessThan(visible.indexOf('<table'));
    }
    expect(JSON.parse(text('results.json')).status).toBe('partial');
    const again = await run(['report', '--suite', 's', '--out', out]);
    expect([again.code, again.stdout.slice(0, 12)]).toEqual([4, 'PARTIAL RUN:']);
  });
});

describe('supportcal score', () => {
  const score = async (from: ImportedSuite) => {
    const { code, stdout } = await run(['score', '--suite', 's', '--json', '--out', from.file('out'), ...from.flags]);
    return [code, JSON.parse(stdout).status];
  };

  it('ends with 0, 4 or 3 when all, some or none of the entries can be used; stdout has the same status', async () => {
    expect(await score(suite)).toEqual([0, 'complete']);
    const poor = importedSuite();
    expect(await score(poor)).toEqual([3, 'failed']);
    const failed = rowsOf(1, 0).map((row) => ({ ...row, logits: [null, 1, 2] }));
    await poor.import('base', failed);
    expect(await score(poor)).toEqual([3, 'failed']);
    await poor.import('chat', rowsOf(5, 0.4));
    expect(await score(poor)).toEqual([4, 'partial']);
  });

  it('and pipeline end with 3 alike where nothing can be used', async () => {
    const poor = importedSuite();
    const { code, stdout } = await run([
      'pipeline',
      '--suite',
      's',
      '--json',
      '--out',
      poor.file('out'),
      ...poor.flags,
    ]);
    expect([code, JSON.parse(stdout).status]).toEqual([3, 'failed']);
  });
});

describe('an output folder that cannot be written', () => {
  it('because the disk is full costs only what does not fit: exit code 3, every file whole', async (context) => {
    const disk = smallDisk('small');
    if (disk === null) return context.skip('mounting a small tmpfs needs root');
    const { code, stderr } = await run(argv('pipeline', disk));
    expect([code, stderr]).toEqual([3, expect.stringMatching(/cannot be written: the disk is full; free some space/)]);
    const names = (readdirSync(disk, { recursive: true }) as string[]).filter((name) => !name.endsWith('run.log'));
    expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([]);
    for (const name of names.filter((each) => each.endsWith('.json'))) {
      expect(() => JSON.parse(readFileSync(path.join(disk, name), 'utf8')), name).not.toThrow();
    }
  });

  it('because it is read-only is named, before anything is computed', async (context) => {
    const disk = smallDisk('fixed');
    if (disk === null) return context.skip('mounting a small tmpfs needs root');
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    const { code, stderr } = await run(argv('pipeline', path.join(disk, 'out')));
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/fixed.*cannot be written: the file system is read-only/),
    ]);
    expect(readdirSync(disk)).toEqual([]);
  });
});

describe('a limit on open files', () => {
  it.each([
    [0, /models\.yaml: cannot be read: too many files are open; raise the limit \(ulimit -n\)/],
    [1, null],
    [4, null],
  ])('that leaves %i ends in a result, or in code 3 with the file and what to do', (free, message) => {
    const env = { FREE_DESCRIPTORS: String(free) };
    const args = argv('calibrate', suite.file(`out-${free}`));
    const { status, stderr } = spawned('./test/cli/few-descriptors.mjs', args, env, 200);
    if (message !== null) expect([status, stderr]).toEqual([3, expect.stringMatching(message)]);
    else if (status !== 0) expect([status, stderr]).toEqual([3, expect.stringMatching(/\/\S+: .*ulimit -n/)]);
  });

  it('that is too low for the workers of `score` is named, leaves no lock, and the same command goes on without it', async () => {
    const workspace = quizWorkspace(wordProblems(12));
    const { models, datasets, cache, out } = workspace.options;
    const args = [
      '--suite',
      's',
      '--models',
      models,
      '--datasets',
      datasets,
      '--cache',
      cache,
      '--out',
      out,
      '--gpu',
      'off',
    ];
    const few = spawned('./test/cli/few-descriptors.mjs', ['score', ...args], { FREE_DESCRIPTORS: '3' }, 200);
    expect([few.status, few.stdout]).toEqual([3, expect.stringMatching(/failed: .*ulimit -n/)]);
    const entries = readdirSync(cache).filter((name) => name.includes('quiz'));
    expect(entries.filter((name) => !name.endsWith('.parts'))).toEqual([]);
    expect((await verifyEntries(cache)).flatMap(({ damaged }) => damaged)).toEqual([]);
    expect((await run(['score', ...args])).code).toBe(0);
  });
});
