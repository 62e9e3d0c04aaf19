import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ownVersions } from '../../src/pipeline/workspace/own-versions.js';
import { wordProblems } from '../pipeline/demo-workspace.js';
import { QUIZ, quizWorkspace } from '../pipeline/quiz-workspace.js';
import { connect, freePort, serverBinary, startServer, type TestServer, WITH_SERVER } from '../queue/queue-server.js';
import { startWorker as startStub } from '../queue/stub-suite.js';
import { run } from './fake-io.js';

const root = path.resolve(import.meta.dirname, '../..');
const demo = path.join(root, 'models/demo');

/** A worker as the npm scripts start it; `stderr` grows while it runs. */
function startWorker(env: Record<string, string>, cache: string, name: string) {
  const flags = ['--models-dir', demo, '--cache', cache, '--gpu', 'off', '--name', name, '--log-level', 'info'];
  const child = spawn(process.execPath, ['scripts/supportcal.mjs', 'worker', ...flags], {
    cwd: root,
    env: { ...process.env, ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = { stderr: '' };
  child.stderr.on('data', (data) => {
    output.stderr += data;
  });
  const end = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, output, end };
}

const until = (what: () => unknown) => vi.waitFor(() => expect(what()).toBeTruthy(), { timeout: 200_000, interval: 5 });

/** Bytes of every table of scores, by name. */
function tables(cache: string): Record<string, string> {
  const names = readdirSync(cache).filter((name) => name.endsWith('.arrow'));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(path.join(cache, name), 'base64')]));
}

describe.skipIf(serverBinary === null)(`dispatch and worker (${WITH_SERVER})`, () => {
  let server: TestServer;
  const env = () => ({ SUPPORTCAL_QUEUE: server.url.replace('//', '//default:hush-hush-secret@') });
  beforeAll(async () => {
    server = await startServer(['--requirepass', 'hush-hush-secret']);
  });
  afterAll(() => server.stop());

  it('give the bytes of a local run from three worker processes, of which one is killed and one stopped', async () => {
    const [local, remote] = [0, 1].map(() => quizWorkspace(wordProblems(150), QUIZ)) as [
      ReturnType<typeof quizWorkspace>,
      ReturnType<typeof quizWorkspace>,
    ];
    const { models, datasets, cache, out } = remote.options;
    const start = (name: string) => startWorker(env(), remote.file(`cache-${name}`), name);
    const [killed, stopped] = [start('killed'), start('stopped')];
    const strike = (worker: typeof killed, signal: NodeJS.Signals) =>
      until(() => worker.output.stderr.includes('taking ranges')).then(() => void worker.child.kill(signal));
    const flags = ['--suite', 's', '--models', models, '--datasets', datasets, '--cache', cache, '--out', out];
    const dispatching = run(['dispatch', ...flags, '--device', 'cpu', '--hold', '2'], { env: env() });
    await Promise.all([strike(killed, 'SIGKILL'), strike(stopped, 'SIGSTOP')]);
    // It begins when both were struck: on a busy machine it could else take every range before they are awake.
    const last = start('last');
    const dispatched = await dispatching;
    expect(dispatched.stderr).not.toContain('hush');
    expect([dispatched.code, dispatched.stderr]).toEqual([0, expect.any(String)]);
    expect((await local.run('pipeline')).code).toBe(0);
    expect(Object.keys(tables(cache)).length).toBe(3);
    expect(tables(cache)).toEqual(tables(local.options.cache));
    const results = (folder: string) => {
      const { runs, summary } = JSON.parse(readFileSync(path.join(folder, 'results.json'), 'utf8'));
      return { runs, summary };
    };
    expect(results(out)).toEqual(results(local.options.out));
    last.child.kill('SIGTERM');
    expect(await last.end).toBe(0);
    expect([killed, stopped, last].map(({ output }) => output.stderr).join('')).not.toContain('hush');
    stopped.child.kill('SIGKILL');
  });

  it('end with 4 when ranges are set aside, with the rows, the worker and the reason; the others are kept', async () => {
    const problems = wordProblems(150).map((row) => ({ ...row, options: ['1', '2', '3'], answer: 'A' }));
    const { options } = quizWorkspace(problems, QUIZ);
    const queue = await connect(env().SUPPORTCAL_QUEUE);
    const worker = startStub(queue, 'stub', {
      versions: ownVersions('cpu'),
      // Scores of two options, where the quiz has three, are no answer to any of the target's ranges.
      habits: { row: (row, model) => (model === 'target' ? { ...row, logits: Array.from(row.logits).slice(1) } : row) },
    });
    const { models, datasets, cache, out } = options;
    const flags = ['--suite', 's', '--models', models, '--datasets', datasets, '--cache', cache, '--out', out];
    const { code, stderr } = await run(['dispatch', ...flags, '--device', 'cpu', '--score-only'], { env: env() });
    await worker.stop();
    expect(code).toBe(4);
    expect(stderr).toMatch(/target: quiz, rows w000 to w063 \(64 rows\): set aside: worker stub sent .*w000/);
    expect(Object.keys(tables(cache)).map((name) => name.split('--')[0])).toEqual(['base', 'reference']);
  });

  it('say what is wrong with the address, and never a password', async () => {
    const ask = (argv: string[], environment = {}) => run(['worker', '--gpu', 'off', ...argv], { env: environment });
    expect(await ask([])).toMatchObject({ code: 2, stderr: expect.stringContaining('no queue is named') });
    expect(await ask(['--queue', 'http://x'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('expected redis://'),
    });
    const shown = await ask(['--queue', `redis://me:open-to-all@127.0.0.1:${server.port}`]);
    expect(shown).toMatchObject({ code: 2, stderr: expect.stringContaining('put the address into SUPPORTCAL_QUEUE') });
    const wrong = await ask(['--queue-env', 'Q'], { Q: `redis://me:not-this-one@127.0.0.1:${server.port}` });
    expect(wrong).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/127\.0\.0\.1:\d+\/0 cannot be used: WRONGPASS/),
    });
    const nobody = await ask(['--queue', 'redis://127.0.0.1:1']);
    expect(nobody).toMatchObject({ code: 3, stderr: expect.stringContaining('ECONNREFUSED') });
    for (const { stderr, stdout } of [shown, wrong]) expect(stderr + stdout).not.toMatch(/open-to-all|not-this-one/);
  });
});

const opensslIsHere = spawnSync('openssl', ['version'], { stdio: 'ignore' }).status === 0;
const withTls = serverBinary !== null && opensslIsHere;

describe.skipIf(!withTls)(
  `a queue behind TLS (${withTls ? WITH_SERVER : `SKIPPED: needs openssl and a server`})`,
  () => {
    it('is used with the authority that NODE_EXTRA_CA_CERTS names, and refused without it, with the reason', async () => {
      const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-tls-'));
      const [key, cert] = ['key.pem', 'cert.pem'].map((name) => path.join(folder, name)) as [string, string];
      const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
      const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert];
      expect(spawnSync('openssl', [...made, ...subject]).status).toBe(0);
      const port = await freePort();
      const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', cert];
      const flags = [
        '--tls-port',
        String(port),
        ...files,
        '--tls-auth-clients',
        'no',
        '--requirepass',
        'hush-hush-secret',
      ];
      const server = await startServer(flags);
      onTestFinished(() => server.stop());
      const worker = async (ca: Record<string, string>) => {
        const env = { ...process.env, SUPPORTCAL_QUEUE: `rediss://default:hush-hush-secret@localhost:${port}`, ...ca };
        const argv = ['scripts/supportcal.mjs', 'worker', '--models-dir', demo, '--cache', folder, '--gpu', 'off'];
        const child = spawn(process.execPath, [...argv, '--idle-exit', '0.01'], { cwd: root, env });
        let stderr = '';
        child.stderr.on('data', (data) => {
          stderr += data;
        });
        const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
        return { code, stderr };
      };
      const [known, unknown] = await Promise.all([worker({ NODE_EXTRA_CA_CERTS: cert }), worker({})]);
      expect([known.code, known.stderr]).toEqual([0, expect.any(String)]);
      expect(unknown).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(/cannot be used: self.signed certificate/),
      });
      expect(unknown.stderr).toContain('NODE_EXTRA_CA_CERTS');
      expect(known.stderr + unknown.stderr).not.toContain('hush');
    });
  },
);
