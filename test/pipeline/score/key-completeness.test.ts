import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { datasetSchema } from '../../../src/config/dataset-schema.js';
import { modelSchema, suiteSchema } from '../../../src/config/models-schema.js';
import type { Device } from '../../../src/contract/device.js';
import type { GgufPlace } from '../../../src/contract/model-place.js';
import { contentHash } from '../../../src/files/content-hash.js';
import { plainEntries, planScores } from '../../../src/pipeline/score/score-plan.js';
import { loadWorkspace, promptsFor } from '../../../src/pipeline/workspace/load-workspace.js';
import type { RunOptions } from '../../../src/pipeline/workspace/run-options.js';
import { workerPlan } from '../../../src/scoring/memory/worker-plan.js';
import { schemaFields } from '../schema-fields.js';
import { type Case, DATASET, MODEL, OPTIONS, PROMPT, PROMPT_CHANGES, SUITE, WORKER } from './key-cases.js';
import { type KeyPatches, merge, writeKeyProject } from './key-project.js';

interface Settings extends KeyPatches {
  readonly options?: Partial<RunOptions>;
  readonly backend?: Device;
}

const modelHashes = mkdtemp(path.join(tmpdir(), 'supportcal-keys-'));
afterAll(async () => rm(await modelHashes, { recursive: true }));

/** The key of the target's scores, the settings of its worker, and a hash of all that reaches the scorer. */
async function reached({ options, backend = 'cpu', ...patches }: Settings) {
  const folder = writeKeyProject(patches);
  // Nothing is written there but the hashes of the model files, which are read once for all cases.
  const cache = await modelHashes;
  const at = (name: string) => path.join(folder, name);
  const workspace = await loadWorkspace({
    suite: 's',
    models: at('models.yaml'),
    datasets: folder,
    cache,
    out: at('out'),
    gpu: 'off',
    refresh: false,
    ...options,
    ...(options?.cache !== undefined && { cache: path.join(cache, options.cache) }),
  });
  const { id } = merge({ id: 'target' }, patches.target);
  const scores = (await planScores(workspace, backend)).find(({ model }) => model.id === id)!;
  const { model, found } = scores;
  const [dataset, entry] = [...plainEntries(scores)][0]!;
  if (entry.kind !== 'open' || found === null) throw new Error(`nothing to score: ${JSON.stringify(entry)}`);
  const { spec, content } = workspace.datasets.find((each) => each.spec.id === dataset)!;
  const { prompts } = promptsFor(spec, content!, model);
  const plan = workerPlan({ model, place: { ...(found.place as GgufPlace), path: '' } }, { threads: 8 }, backend);
  const lora = found.lora.map(({ sha256, scale }) => ({ sha256, scale }));
  const worker = { ...plan, lora };
  // Says when to give a model up, not how to score a row.
  const { maxFailedShare: _, ...scoring } = worker;
  return { key: entry.key.hash, worker, input: contentHash({ worker: scoring, file: found.sha256, prompts, dataset }) };
}

/** What the settings before a change come to: most cases begin at the same ones. */
const before = new Map<string, ReturnType<typeof reached>>();

function reachedBefore(settings: Settings): ReturnType<typeof reached> {
  const name = JSON.stringify(settings, (_, value) => (value === undefined ? 'undefined' : value));
  const known = before.get(name) ?? reached(settings);
  before.set(name, known);
  return known;
}

/** The case before and after its field changes, as patches of one of the files. */
async function bothSides(of: keyof KeyPatches, { before = {}, after, backend = 'cpu' }: Case) {
  return [await reachedBefore({ [of]: [before], backend }), await reached({ [of]: [before, after], backend })] as const;
}

const TABLES = [
  ['target', 'a model', modelSchema, MODEL],
  ['dataset', 'a data set', datasetSchema, DATASET],
  ['suite', 'a suite', suiteSchema, SUITE],
] as const;

describe.each(TABLES)('the cache key and %s: %s', (of, _what, schema, cases) => {
  it('has a case below for every field of the schema', () => {
    expect(Object.keys(cases).sort()).toEqual(schemaFields(schema).sort());
  });

  it.each(Object.entries<Case>(cases))('%s', async (_field, each) => {
    if (each.untried !== undefined) return;
    const [before, after] = await bothSides(of, each);
    if (each.why === undefined) expect(after.key).not.toBe(before.key);
    // What leaves the key alone must leave alone all that the scorer gets, too.
    else expect([each.why, after.key, after.input]).toEqual([each.why, before.key, before.input]);
  });
});

describe('the cache key and the flags', () => {
  it.each(Object.entries(OPTIONS))('--%s', async (_name, { after, why }) => {
    const [plain, changed] = [await reachedBefore({}), await reached({ options: after })];
    expect(changed.key === plain.key).toBe(why !== undefined);
    if (why !== undefined) expect(changed.input).toBe(plain.input);
  });
});

describe('the cache key and what a worker gets', () => {
  it.each(Object.entries(WORKER))('%s', async (field, place) => {
    if ('why' in place) return expect(place.why).not.toBe('');
    // A field of models.yaml that changes the key changes it; so no two workers that differ in it share a key.
    const each = MODEL[place.by]!;
    const [before, after] = await bothSides('target', each);
    const name = field as keyof typeof before.worker;
    expect(after.worker[name]).not.toEqual(before.worker[name]);
    expect(after.key).not.toBe(before.key);
  });

  it.each(Object.entries(PROMPT_CHANGES))('%s of a prompt', (field, value) => {
    expect(contentHash([{ ...PROMPT, [field]: value }])).not.toBe(contentHash([PROMPT]));
  });
});

describe('the cache key', () => {
  it('stays the same when nothing changes', async () => {
    expect((await reached({})).key).toBe((await reached({})).key);
  });

  it('changes with the backend', async () => {
    expect((await reached({ backend: 'cuda' })).key).not.toBe((await reached({})).key);
  });

  it.each(['GGML_VK_DISABLE_F16', 'LLAMA_SET_ROWS', 'NVIDIA_TF32_OVERRIDE'])(
    'changes with %s in the environment, which the native library reads',
    async (name) => {
      const plain = await reached({});
      vi.stubEnv(name, '1');
      onTestFinished(() => void vi.unstubAllEnvs());
      expect((await reached({})).key).not.toBe(plain.key);
    },
  );

  it.each(['CUDA_VISIBLE_DEVICES', 'GGML_VK_VISIBLE_DEVICES', 'HF_TOKEN', 'LLAMA_ARG_CTX_SIZE', 'LLAMA_CACHE'])(
    'does not change with %s',
    async (name) => {
      const plain = await reached({});
      vi.stubEnv(name, '1');
      onTestFinished(() => void vi.unstubAllEnvs());
      expect((await reached({})).key).toBe(plain.key);
    },
  );
});
