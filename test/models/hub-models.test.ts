import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { run } from '../cli/fake-io.js';
import { HubServer } from '../hub/hub-server.js';
import { demoWorkspace, wordProblems } from '../pipeline/demo-workspace.js';

const COMMIT = 'd'.repeat(40);
const server = new HubServer();
const work = demoWorkspace();

beforeAll(async () => {
  await server.start();
  vi.stubEnv('HF_ENDPOINT', server.endpoint);
  vi.stubEnv('HF_TOKEN', 'hf_CANARY');
  server.repositories.set('o/target', {
    revisions: { main: COMMIT },
    commits: { [COMMIT]: { 'sub/target-Q8_0.gguf': readFileSync(work.demoModel('target')) } },
  });
  server.repositories.set('datasets/o/quiz', {
    revisions: { main: COMMIT },
    commits: {
      [COMMIT]: {
        'test.jsonl': Buffer.from(
          wordProblems(20)
            .map((row) => `${JSON.stringify(row)}\n`)
            .join(''),
        ),
      },
    },
  });
  const yaml = {
    source: { hub: 'o/quiz', split: 'test' },
    fields: { id: 'id', options: 'options', label: { field: 'answer', as: 'letter' } },
    prompt: { template: 'Question: {question}\n{options}\nAnswer:' },
  };
  writeFileSync(work.file('datasets/quiz.yaml'), JSON.stringify(yaml));
  work.writeModels({ target: 'hf:o/target/sub/target-Q8_0.gguf' });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await server.stop();
});

const hubFiles = () =>
  (readdirSync(work.file('cache/hub'), { recursive: true }) as string[]).filter((name) => name.endsWith('.gguf'));

it('validate and calibrate fetch data but no model; score fetches both and says so', async () => {
  const validated = await work.run('validate');
  expect([validated.code, validated.stdout]).toEqual([
    0,
    expect.stringMatching(/target +hf:o\/target\/.* not downloaded yet/),
  ]);
  const early = await work.run('calibrate');
  expect([early.code, early.stderr]).toEqual([
    3,
    expect.stringMatching(/hf:o\/target\/.*: is not looked up yet; `supportcal score`/),
  ]);
  expect(server.requestsFor('.gguf')).toEqual([]);

  const scored = await work.run('pipeline');
  expect([scored.code, scored.stderr]).toEqual([
    0,
    expect.stringMatching(/downloading o\/target sub\/target-Q8_0\.gguf: /),
  ]);
  expect(hubFiles()).toHaveLength(1);
  const manifest = JSON.parse(readFileSync(work.file('out/manifest.json'), 'utf8'));
  const target = manifest.models.find((each: { model: string }) => each.model === 'target');
  expect(target).toMatchObject({
    file: 'hf:o/target/sub/target-Q8_0.gguf',
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    origin: `hub o/target@${COMMIT} sub/target-Q8_0.gguf`,
  });
  expect(manifest.datasets[0].origin[0]).toMatch(new RegExp(`^hub o/quiz@${COMMIT} test.jsonl (git|sha256):`));
});

it('a model file that changed in place is found by its hash: offline it fails, else it is fetched again', async () => {
  const [name = ''] = hubFiles();
  const file = work.file(path.join('cache/hub', name));
  const sound = readFileSync(file);
  const rotten = Buffer.from(sound);
  rotten[rotten.length - 5] = (rotten[rotten.length - 5] ?? 0) ^ 1;
  writeFileSync(file, rotten);
  const verified = await run(['cache', 'verify', '--cache', work.file('cache')]);
  expect([verified.code, verified.stdout]).toEqual([3, expect.stringMatching(/its bytes are not those that the hub/)]);
  const forget = () => {
    for (const entry of readdirSync(work.file('cache')).filter((each) => each.startsWith('target')))
      rmSync(work.file(path.join('cache', entry)), { recursive: true });
  };
  forget();
  const offline = await work.run('score', '--offline', '--json');
  expect([offline.code, offline.stdout]).toEqual([4, expect.stringMatching(/was changed after its download/)]);
  const again = await work.run('score');
  expect([again.code, again.stderr]).toEqual([0, expect.stringMatching(/downloading o\/target sub\/target-Q8_0/)]);
  expect(readFileSync(file).equals(sound)).toBe(true);
});

it('everything goes on offline, and scores outlive the model file', async () => {
  const asked = server.seen.length;
  rmSync(work.file(path.join('cache/hub', hubFiles()[0]!)));
  const again = await work.run('pipeline', '--offline');
  expect([again.code, again.stderr]).toEqual([0, expect.not.stringContaining('downloading')]);
  expect(hubFiles()).toEqual([]);
  expect(server.seen).toHaveLength(asked);
});

it('a model that cannot be had fails alone, with the reason; the token is in no output', async () => {
  work.writeModels({ reference: 'hf:o/none/reference.gguf' });
  const { code, stdout, stderr } = await work.run('score', '--json');
  expect(code).toBe(4);
  const { entries } = JSON.parse(stdout);
  expect(entries.find((each: { model: string }) => each.model === 'reference')).toMatchObject({
    state: 'failed',
    reason: expect.stringMatching(/o\/none at main: no such repository, or a private one/),
  });
  const files = (readdirSync(work.folder, { recursive: true, withFileTypes: true }) as import('node:fs').Dirent[])
    .filter((each) => each.isFile())
    .map((each) => readFileSync(path.join(each.parentPath, each.name), 'latin1'));
  expect([stdout, stderr, ...files].filter((text) => text.includes('CANARY'))).toEqual([]);
});

it('an hf: reference that is none is a fault of its line', async () => {
  work.writeModels({ reference: 'hf:owner:Q4_K_M' });
  const { code, stderr } = await work.run('validate');
  expect([code, stderr]).toEqual([
    3,
    expect.stringMatching(/models\.yaml:3:\d+: models\.1\.file: expected `hf:owner\/repo\/file\.gguf`/),
  ]);
});
