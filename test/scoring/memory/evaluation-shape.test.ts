import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { ModelSpec } from '../../../src/config/models-schema.js';
import { DEVICES, type Device } from '../../../src/contract/device.js';
import type { ExamplePrompt } from '../../../src/contract/prompt.js';
import { evaluationShape } from '../../../src/scoring/memory/evaluation-shape.js';
import { planSlots } from '../../../src/scoring/memory/plan-slots.js';
import { workerPlan } from '../../../src/scoring/memory/worker-plan.js';

const MIB = 2 ** 20;
const SIZES = [2, 64, 65, 400, 512, 513, 8_000].map((mebibytes) => mebibytes * MIB);
const MACHINES = [1, 2, 4, 8, 64].flatMap((cores) =>
  [1, 2, 4, 16, 64, 512].map((gibibytes) => ({ cores, memoryBytes: gibibytes * 1024 * MIB })),
);

/** What a model gets on a machine, among other models: all that moves a logit and is not in the key of its entries. */
function shapeOn(machine: (typeof MACHINES)[number], device: Device, bytes: number, others: number) {
  const models = [
    { id: 'm', bytes },
    ...Array.from({ length: others }, (_, n) => ({ id: `other ${n}`, bytes: 2 * MIB })),
  ];
  const stage = planSlots(models, { ...machine, device }).find((each) => each.models.includes('m'));
  if (stage === undefined) throw new Error('no stage has the model');
  const model = { id: 'm', role: 'base', bucket: 'b', prompt: 'raw' } as const;
  const plan = workerPlan({ model, place: { kind: 'gguf', path: '/m.gguf', bytes: bytes } }, stage, device);
  const { sequences, cells, contexts, batchSize, contextSize, flashAttention, company } = plan;
  // On a CPU the contexts of a model are as many as cores: each evaluates prompt after prompt, and no number changes.
  const ofDevice = device === 'cpu' ? {} : { contexts };
  return JSON.stringify({ sequences, cells, ...ofDevice, batchSize, contextSize, flashAttention, company });
}

describe('evaluationShape', () => {
  it.each(DEVICES)('is the same for one file on every machine and beside every other model, on %s', (device) => {
    for (const bytes of SIZES) {
      const shapes = MACHINES.flatMap((machine) => [0, 1, 12].map((others) => shapeOn(machine, device, bytes, others)));
      expect([bytes, new Set(shapes).size]).toEqual([bytes, 1]);
    }
  });

  it('gives every prompt a pass of its own on a CPU, but for tiny files whose weights are exact in company', () => {
    const tiny = { sequences: 16, contexts: 1, batchSize: 2048, company: 'if-exact' };
    expect(evaluationShape(64 * MIB, 'cpu')).toEqual(tiny);
    const small = { sequences: 4, contexts: 1, batchSize: 512, company: 'never' };
    expect(evaluationShape(64 * MIB + 1, 'cpu')).toEqual(small);
    expect(evaluationShape(512 * MIB + 1, 'cpu')).toEqual({ ...small, sequences: 2 });
  });

  it('gives each core a context of its own there and one waits its turn; groups of threads have theirs alone', () => {
    const model = { id: 'm', role: 'base', bucket: 'b', prompt: 'raw' } as const;
    const place = { kind: 'gguf', path: '/m.gguf', bytes: 400 * MIB } as const;
    expect(workerPlan({ model, place }, { threads: 8 }, 'cpu')).toMatchObject({ contexts: 9, atOnce: 8, threads: 1 });
    const alone = { ...model, scoring: { threads: 1 } };
    expect(workerPlan({ model: alone, place }, { threads: 1 }, 'cpu')).toMatchObject({ contexts: 2, atOnce: 1 });
    const grouped = { ...model, scoring: { threads: 3 } };
    const inGroups = workerPlan({ model: grouped, place }, { threads: 8 }, 'cpu');
    expect(inGroups).toMatchObject({ contexts: 2, threads: 3 });
    expect(inGroups).not.toHaveProperty('atOnce');
  });

  it('gives a context on a card a quarter of the cores, which draw its free text; all of them where layers stay off it', () => {
    const model = { id: 'm', role: 'base', bucket: 'b', prompt: 'raw' } as const;
    const place = { kind: 'gguf', path: '/m.gguf', bytes: 8e9 } as const;
    const threads = (cores: number, scoring: ModelSpec['scoring'] = {}) =>
      workerPlan({ model: { ...model, scoring }, place }, { threads: cores }, 'cuda').threads;
    expect([1, 2, 4, 16, 18, 128].map((cores) => threads(cores))).toEqual([1, 1, 1, 4, 5, 32]);
    expect(threads(16, { gpuLayers: 20 })).toBe(16);
    expect(threads(16, { threads: 2 })).toBe(2);
  });

  it('starts no more threads than there are cores, whatever models.yaml asks for', () => {
    const place = { kind: 'gguf', path: '/m.gguf', bytes: 40 * MIB } as const;
    const model = { id: 'm', role: 'base', bucket: 'b', prompt: 'raw', scoring: { threads: 100_000 } } as const;
    const cores = Math.max(1, availableParallelism());
    expect(workerPlan({ model, place }, { threads: 1 }, 'cpu').threads).toBe(cores);
    expect(workerPlan({ model, place }, { threads: cores + 1 }, 'cpu').threads).toBe(cores + 1);
  });

  it('has four contexts on a card where much is read: whole texts and free replies', () => {
    const model = { id: 'm', role: 'base', bucket: 'b', prompt: 'raw' } as const;
    const place = { kind: 'gguf', path: '/m.gguf', bytes: 8_000 * MIB } as const;
    const contextsFor = (device: Device, asked: object) =>
      workerPlan({ model, place, jobs: [{ prompts: [asked as ExamplePrompt] }] }, { threads: 8 }, device).contexts;
    expect(contextsFor('cuda', { mode: 'text' })).toBe(4);
    expect(contextsFor('cuda', { mode: 'reply', reply: { form: null } })).toBe(4);
    expect(contextsFor('cuda', { mode: 'reply', reply: { form: {} } })).toBe(2);
    expect(contextsFor('cuda', { mode: 'letter' })).toBe(2);
    expect(contextsFor('vulkan', { mode: 'text' })).toBe(1);
  });

  it('has two contexts on a GPU, one on Vulkan, whatever the size', () => {
    const shape = { sequences: 64, cells: 65_536, batchSize: 2048, company: 'always' };
    for (const bytes of SIZES) {
      expect(evaluationShape(bytes, 'cuda')).toEqual({ ...shape, contexts: 2 });
      expect(evaluationShape(bytes, 'metal')).toEqual({ ...shape, contexts: 2 });
      expect(evaluationShape(bytes, 'vulkan')).toEqual({ ...shape, contexts: 1 });
    }
  });
});
