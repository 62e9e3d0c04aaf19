import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { calibrateStage } from '../../../src/pipeline/calibrate-stage.js';
import { doctor } from '../../../src/pipeline/doctor.js';
import { scoreStage } from '../../../src/pipeline/score-stage.js';
import { wordProblems } from '../../pipeline/demo-workspace.js';
import { quizWorkspace } from '../../pipeline/quiz-workspace.js';
import { type StubServer, stubServer } from '../endpoint/stub-server.js';

const never = new AbortController().signal;

/** A suite whose base and target are behind one server. */
function servedWorkspace(stub: StubServer, endpoint = '') {
  const workspace = quizWorkspace(wordProblems(60));
  const at = `endpoint: { url: "${stub.url}", model: served, api: vllm${endpoint} }`;
  writeFileSync(
    workspace.options.models,
    `models:
  - { id: base, role: base, bucket: b, ${at} }
  - { id: target, role: post-trained, base: base, bucket: b, ${at} }
suites:
  s: { datasets: [quiz], methods: [vanilla, daca], bootstrap: 0 }
`,
  );
  return workspace;
}

const states = async (options: Parameters<typeof scoreStage>[0]) =>
  (await scoreStage(options, {}, never)).entries.map(({ state }) => state);

describe('a model behind a server', () => {
  it('is scored into the cache, found again without a connection, and calibrated', async () => {
    const stub = await stubServer();
    const { options } = servedWorkspace(stub);
    expect(await states(options)).toEqual(['scored', 'scored']);
    stub.disturb = (_, response) => response.destroy();
    const asked = stub.requests.length;
    expect(await states({ ...options, offline: true })).toEqual(['cached', 'cached']);
    const { results } = await calibrateStage({ ...options, offline: true }, {});
    expect(results.runs.length).toBeGreaterThan(0);
    expect(stub.requests).toHaveLength(asked);
    const manifest = JSON.parse(readFileSync(`${options.out}/manifest.json`, 'utf8'));
    expect(manifest.models[0].file).toBe(`served on ${stub.url} (vllm)`);
  });

  it('has scores of its own when another one answers under its name', async () => {
    const stub = await stubServer();
    const { options } = servedWorkspace(stub);
    await states(options);
    expect(await states(options)).toEqual(['cached', 'cached']);
    stub.model = 2;
    expect(await states(options)).toEqual(['scored', 'scored']);
    stub.model = 1;
    expect(await states(options)).toEqual(['cached', 'cached']);
  });

  it('goes on with the rows that are left after an interruption', async () => {
    const stub = await stubServer();
    const { options } = servedWorkspace(stub);
    const stop = new AbortController();
    const before = stub.requests.length;
    stub.disturb = () => {
      if (stub.requests.length - before > 60) stop.abort();
    };
    await expect(scoreStage(options, {}, stop.signal)).rejects.toMatchObject({ code: 'interrupted' });
    stub.disturb = null;
    expect(await states(options)).toEqual(['scored', 'scored']);
  });

  it('is not asked when its rows would cost more than allowed; doctor says the same price before', async () => {
    const stub = await stubServer();
    const { options } = servedWorkspace(stub, ', pricePerMillionTokens: 1000');
    const { entries } = await scoreStage({ ...options, maxCost: 0.5 }, {}, never);
    expect(entries[0]).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(/would cost about \d+\.\d\d, above --max-cost 0\.5/),
    });
    const { estimate } = await doctor(options, {});
    // Base and target are one served model here, which is asked once.
    expect(entries[0]!.reason).toContain(`about ${estimate!.models[0]!.cost!.toFixed(2)},`);
    expect(stub.requests.filter(({ body }) => JSON.stringify(body).includes('pears'))).toEqual([]);
  });

  it('never leaves its key in a file of the run', async () => {
    const stub = await stubServer();
    process.env.STUB_SERVER_KEY = 'sk-a-secret-of-the-stub';
    try {
      const { options } = servedWorkspace(stub, ', key: { env: STUB_SERVER_KEY }');
      expect(await states(options)).toEqual(['scored', 'scored']);
      await calibrateStage(options, {});
      expect(stub.requests.every(({ authorization }) => authorization === 'Bearer sk-a-secret-of-the-stub')).toBe(true);
      const written = textsUnder(options.cache, options.out);
      expect(written.length).toBeGreaterThan(5);
      expect(written.filter((text) => text.includes('sk-a-secret'))).toEqual([]);
    } finally {
      delete process.env.STUB_SERVER_KEY;
    }
  });
});

function textsUnder(...folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? [readFileSync(path.join(entry.parentPath, entry.name), 'latin1')] : [],
    ),
  );
}
