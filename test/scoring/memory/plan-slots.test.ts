import { describe, expect, it } from 'vitest';
import { planSlots } from '../../../src/scoring/memory/plan-slots.js';

const GIB = 2 ** 30;
const tiny = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `tiny-${n}`, bytes: 2_000_000 }));
const cpu = { device: 'cpu' as const, cores: 2, memoryBytes: 8 * GIB };

describe('planSlots', () => {
  it('gives small models on a CPU one child per core with one thread each', () => {
    expect(planSlots(tiny(12), cpu)).toMatchObject([{ slots: 2, threads: 1 }]);
    expect(planSlots(tiny(12), { ...cpu, cores: 8 })).toMatchObject([{ slots: 8, threads: 1 }]);
  });

  it('gives one model after the other all cores where they are not tiny, so that none idles at the end', () => {
    const small = (count: number) => tiny(count).map((model) => ({ ...model, bytes: GIB / 8 }));
    expect(planSlots(small(1), { ...cpu, cores: 8 })).toMatchObject([{ slots: 1, threads: 8 }]);
    expect(planSlots(small(3), { ...cpu, cores: 8 })).toMatchObject([{ slots: 1, threads: 8 }]);
  });

  it('never gives a tiny model a second thread, so its numbers do not depend on what else runs', () => {
    expect(planSlots(tiny(1), { ...cpu, cores: 8 })).toMatchObject([{ slots: 1, threads: 1 }]);
  });

  it('gives a large model all cores, after the small ones', () => {
    const stages = planSlots([{ id: 'big', bytes: 4 * GIB }, ...tiny(2)], { ...cpu, cores: 4 });
    expect(stages).toMatchObject([
      { models: ['tiny-0', 'tiny-1'], slots: 2, threads: 1 },
      { models: ['big'], slots: 1, threads: 4 },
    ]);
  });

  it('gives a tiny model all cores, too, where one per core would take over a quarter of memory', () => {
    const models = [
      { id: 'a', bytes: 0.05 * GIB },
      { id: 'b', bytes: 0.05 * GIB },
    ];
    expect(planSlots(models, { ...cpu, memoryBytes: GIB / 4 })).toMatchObject([{ slots: 1, threads: 2 }]);
    expect(planSlots(models, { ...cpu, memoryBytes: 4 * GIB })).toMatchObject([{ slots: 2, threads: 1 }]);
  });

  it('uses one child on a GPU', () => {
    for (const device of ['cuda', 'vulkan', 'metal'] as const)
      expect(planSlots(tiny(3), { ...cpu, device })).toMatchObject([{ slots: 1, threads: 2 }]);
  });

  it('starts the largest model of a stage first', () => {
    const models = [
      { id: 'a', bytes: 1 },
      { id: 'b', bytes: 3 },
      { id: 'c', bytes: 2 },
    ];
    expect(planSlots(models, cpu)).toMatchObject([{ models: ['b', 'c', 'a'] }]);
  });

  it('has no stage without models', () => {
    expect(planSlots([], cpu)).toEqual([]);
  });
});
