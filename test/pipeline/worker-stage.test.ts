import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { run } from '../cli/fake-io.js';
import { HubServer } from '../hub/hub-server.js';
import { connect, serverBinary, startServer, type TestServer, WITH_SERVER } from '../queue/queue-server.js';
import { wordProblems } from './demo-workspace.js';
import { quizWorkspace } from './quiz-workspace.js';

const COMMIT = 'e'.repeat(40);

describe.skipIf(serverBinary === null)(`supportcal worker with models of the hub (${WITH_SERVER})`, () => {
  const hub = new HubServer();
  const work = quizWorkspace(wordProblems(20));
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
    await hub.start();
    vi.stubEnv('HF_ENDPOINT', hub.endpoint);
    hub.repositories.set('o/target', {
      revisions: { main: COMMIT },
      commits: { [COMMIT]: { 'target-Q8_0.gguf': readFileSync(work.demoModel('target')) } },
    });
    work.writeModels({ target: 'hf:o/target/target-Q8_0.gguf' });
    mkdirSync(work.file('here'));
    for (const role of ['base', 'reference'] as const)
      cpSync(work.demoModel(role), path.join(work.file('here'), `of another name ${role}.gguf`));
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await hub.stop();
    await server.stop();
  });

  const ggufs = (cache: string) =>
    (readdirSync(work.file(cache), { recursive: true }) as string[]).filter((name) => name.endsWith('.gguf'));

  it('fetches the file that it lacks, once, and the dispatcher none; other files are found by their bytes', async () => {
    const env = { SUPPORTCAL_QUEUE: server.url };
    const nothing = work.file('nothing.yaml');
    writeFileSync(nothing, 'models: [{id: other, role: base, file: other.gguf}]\nsuites: {}\n');
    const start = (cache: string, ...more: string[]) =>
      run(['worker', '--models', nothing, '--cache', work.file(cache), '--gpu', 'off', ...more], { env });
    const flags = [
      '--models',
      work.file('models.yaml'),
      '--datasets',
      work.file('datasets'),
      '--score-only',
      '--patience',
      '10',
    ];
    const queued = ['--suite', 's', '--device', 'cpu', '--cache', work.file('cache'), '--out', work.file('out')];
    const dispatching = run(['dispatch', ...flags, ...queued], { env });
    const { client } = await connect(server.url);
    const offered = async () => {
      const [key] = await client.keys('supportcal:tickets:*');
      return key === undefined ? 0 : client.hlen(key);
    };
    await vi.waitFor(async () => expect(await offered()).toBe(3), { timeout: 200_000 });
    // It knows no folder with the files, and may not fetch: it takes nothing of any model.
    const nowhere = ['--models-dir', work.file('datasets'), '--offline', '--idle-exit', '0.1', '--name', 'offline'];
    const without = await start('cache-offline', ...nowhere);
    const worker = await start(
      'cache-worker',
      '--models-dir',
      work.file('here'),
      '--idle-exit',
      '2',
      '--name',
      'online',
    );
    const dispatched = await dispatching;
    expect([dispatched.code, dispatched.stderr]).toEqual([0, expect.any(String)]);
    expect([worker.code, without.code]).toEqual([0, 0]);
    expect(hub.requestsFor('.gguf').length).toBeGreaterThan(0);
    expect([ggufs('cache').length, ggufs('cache-worker').length, ggufs('cache-offline').length]).toEqual([0, 1, 0]);
    expect(`${worker.stdout}${worker.stderr}`).toMatch(/60 rows/);
    const tables = readdirSync(work.file('cache')).filter((name) => name.endsWith('.arrow'));
    expect(tables.map((name) => name.split('--')[0]).sort()).toEqual(['base', 'reference', 'target']);
  });
});
