import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { describeEstimate } from '../../src/cli/describe/describe-estimate.js';
import type { GgufPlace } from '../../src/contract/model-place.js';
import { doctor } from '../../src/pipeline/doctor.js';
import { fetchModels } from '../../src/pipeline/score/fetch-models.js';
import { openForScoring } from '../../src/pipeline/score/open-for-scoring.js';
import { plainEntries, planScores } from '../../src/pipeline/score/score-plan.js';
import { startedModule } from '../built-modules.js';
import { HubServer } from '../hub/hub-server.js';
import { wordProblems } from '../pipeline/demo-workspace.js';
import { quizWorkspace } from '../pipeline/quiz-workspace.js';

const COMMIT = 'e'.repeat(40);
const STUB = startedModule('engine/stub-backend').href;
const adapter = readFileSync(path.resolve(import.meta.dirname, '../fixtures/lora/tern-q.gguf'));
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const server = new HubServer();
let work: ReturnType<typeof quizWorkspace>;

beforeAll(async () => {
  await server.start();
  vi.stubEnv('HF_ENDPOINT', server.endpoint);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await server.stop();
});
beforeEach(() => {
  work = quizWorkspace(wordProblems(4));
  const target = readFileSync(work.demoModel('target'));
  server.repositories.set('o/target', {
    revisions: { main: COMMIT },
    commits: { [COMMIT]: { 'sub/target-Q8_0.gguf': target } },
  });
  server.repositories.set('o/adapter', {
    revisions: { main: COMMIT },
    commits: { [COMMIT]: { 'tern-{quant}.gguf': adapter } },
  });
  work.writeModels({ target: 'hf:o/target/sub/target-{quant}.gguf' });
});

const examine = (more: object = {}) =>
  doctor({ ...work.options, ...more }, { backendModule: STUB, probe: async () => ({ ok: true, device: 'a CPU' }) });
const plansOf = async (more: object = {}) => {
  const workspace = await openForScoring({ ...work.options, ...more }, {}, new AbortController().signal);
  return { workspace, plans: await planScores(workspace, 'cpu') };
};
const targetOf = ({ plans }: Awaited<ReturnType<typeof plansOf>>) => plans.find(({ model }) => model.id === 'target')!;

function adaptTarget(lora: string) {
  const yaml = readFileSync(work.file('models.yaml'), 'utf8');
  writeFileSync(work.file('models.yaml'), yaml.replace('id: target,', `id: target, lora: ${JSON.stringify(lora)},`));
}

it('a LoRA adapter of the hub is fetched with its model, is in the key by its hash, and takes no quantisation', async () => {
  adaptTarget('hf:o/adapter/tern-{quant}.gguf');
  // The model's size follows from nothing here, the adapter's neither, before the hub was asked.
  expect((await examine()).estimate!.download).toEqual({ files: 2, bytes: 0, kept: 0, unknown: 2 });

  const before = await plansOf();
  const { found } = targetOf(before);
  expect(found!.missing).toEqual(['sub/target-Q8_0.gguf', 'tern-{quant}.gguf']);
  expect(found!.lora).toEqual([{ path: expect.any(String), scale: 1, sha256: sha256(adapter) }]);
  const bytes = readFileSync(work.demoModel('target')).length + adapter.length;
  expect((await examine()).estimate!.download).toEqual({ files: 2, bytes, kept: 0, unknown: 0 });

  // A download that broke off needs only the rest, on the disk too.
  const partial = `${(found!.place as GgufPlace).path}.partial`;
  mkdirSync(path.dirname(partial), { recursive: true });
  writeFileSync(partial, readFileSync(work.demoModel('target')).subarray(0, 1000));
  const { estimate } = await examine();
  expect(estimate!.download).toEqual({ files: 2, bytes: bytes - 1000, kept: 1000, unknown: 0 });
  expect(describeEstimate(estimate!).join('\n')).toMatch(/2 model files, ~0\.\d+ GB; 0\.000 GB more of them are here/);

  expect(await fetchModels(before.plans)).toEqual(new Map());
  const after = targetOf(await plansOf({ offline: true }));
  expect([after.found!.missing, readFileSync(after.found!.lora[0]!.path)]).toEqual([[], adapter]);
  // What the hub listed and what lies here make one key.
  expect(after.entries).toEqual(targetOf(before).entries);
  expect((await examine()).estimate!.download.files).toBe(0);

  // One of them gone: it alone is fetched again.
  rmSync(after.found!.lora[0]!.path);
  expect(targetOf(await plansOf({ offline: true })).found!.missing).toEqual(['tern-{quant}.gguf']);
});

it('an adapter that the hub lacks, or a reference that is none, takes its model out with the reason', async () => {
  adaptTarget('hf:o/adapter/tern.gguf');
  const { workspace, plans } = await plansOf();
  const reason = expect.stringContaining('o/adapter: no file tern.gguf at main; it has tern-{quant}.gguf');
  expect(workspace.unfound).toEqual(new Map([['target', reason]]));
  expect([...plainEntries(targetOf({ workspace, plans })).values()]).toEqual([{ kind: 'unavailable', reason }]);
  work.writeModels({});
  adaptTarget('hf:tern.gguf');
  await expect(plansOf()).rejects.toThrow(/models\.\d\.lora: expected `hf:owner\/repo\/file\.gguf`/);
});

it('a name that the hub lacks says what there is and how to name another file, and doctor knows it from then on', async () => {
  const wrong = { quant: 'Q4_K_M' };
  const expected =
    /o\/target: no file sub\/target-Q4_K_M\.gguf at main; it has sub\/target-Q8_0\.gguf.*models\.local\.yaml.*\{ id: target, file: /;
  expect((await examine(wrong)).problems).toEqual([]);
  expect((await plansOf(wrong)).workspace.unfound!.get('target')).toMatch(expected);
  expect((await examine(wrong)).problems).toEqual([expect.stringMatching(expected)]);

  // The advice, followed.
  const local = `models: [{ id: target, file: ${JSON.stringify(work.demoModel('target'))} }]\n`;
  writeFileSync(work.file('models.local.yaml'), local);
  expect(await examine(wrong)).toMatchObject({ problems: [], estimate: { missing: [], download: { files: 0 } } });
});

it.each([
  ['/adapter/revision/main', 401, /o\/adapter at main: no such repository, or a private one/],
  [`/adapter/tree/${COMMIT}`, 403, /o\/adapter at main: access is refused/],
  ['/tern-{quant}.gguf', 404, /o\/adapter tern-\{quant\}\.gguf: not found/],
  ['/tern-{quant}.gguf', 451, /o\/adapter tern-\{quant\}\.gguf: the hub refuses the request/],
])('an adapter for which %s answers %i takes its model out, and no other', async (at, status, reason) => {
  adaptTarget('hf:o/adapter/tern-{quant}.gguf');
  server.mischief.set(at, [{ status }]);
  const { workspace, plans } = await plansOf();
  const reasons = new Map([...workspace.unfound!, ...(await fetchModels(plans))]);
  expect([...reasons]).toEqual([['target', expect.stringMatching(reason)]]);
  server.mischief.clear();
  const again = await plansOf();
  expect(await fetchModels(again.plans)).toEqual(new Map());
});

it.each([401, 404])(
  'a model file that answers %i says how to name another one; its adapter is not fetched',
  async (status) => {
    adaptTarget('hf:o/adapter/tern-{quant}.gguf');
    server.mischief.set('target-Q8_0.gguf', [{ status }]);
    const { plans } = await plansOf();
    server.seen.length = 0;
    expect([...(await fetchModels(plans))]).toEqual([
      [
        'target',
        expect.stringMatching(new RegExp(`\\(${status}\\); .*models\\.local\\.yaml.*\\{ id: target, file: PATH`)),
      ],
    ]);
    expect(server.seen).toHaveLength(1);
  },
);
