import { describe, expect, it } from 'vitest';
import { DEVICES, type Device } from '../../../src/contract/device.js';
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
  const { sequences, cells, contexts, batchSize, contextSize, flashAttention } = plan;
  return JSON.stringify({ sequences, cells, contexts, batchSize, contextSize, flashAttention });
}

describe('evaluationShape', () => {
  it.each(DEVICES)('is the same for one file on every machine and beside every other model, on %s', (device) => {
    for (const bytes of SIZES) {
      const shapes = MACHINES.flatMap((machine) => [0, 1, 12].map((others) => shapeOn(machine, device, bytes, others)));
      expect([bytes, new Set(shapes).size]).toEqual([bytes, 1]);
    }
  });

  it('is that of small models for 400 MiB, with 4 GiB of memory as with 16', () => {
    for (const gibibytes of [4, 16]) {
      const shape = JSON.parse(shapeOn({ cores: 4, memoryBytes: gibibytes * 1024 * MIB }, 'cpu', 400 * MIB, 0));
      expect(shape).toMatchObject({ sequences: 16, batchSize: 2048, contexts: 1 });
    }
  });

  it('has fewer sequences and shorter batches for a large model on a CPU', () => {
    expect(evaluationShape(512 * MIB, 'cpu')).toEqual({ sequences: 16, contexts: 1, batchSize: 2048 });
    expect(evaluationShape(512 * MIB + 1, 'cpu')).toEqual({ sequences: 8, contexts: 1, batchSize: 1024 });
  });

  it('has two contexts on a GPU, one on Vulkan, whatever the size', () => {
    const shape = { sequences: 64, cells: 65_536, batchSize: 2048 };
    for (const bytes of SIZES) {
      expect(evaluationShape(bytes, 'cuda')).toEqual({ ...shape, contexts: 2 });
      expect(evaluationShape(bytes, 'metal')).toEqual({ ...shape, contexts: 2 });
      expect(evaluationShape(bytes, 'vulkan')).toEqual({ ...shape, contexts: 1 });
    }
  });
});
