import { GgmlType, type LlamaModel } from 'node-llama-cpp';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Device } from '../../../src/contract/device.js';
import { memoryNeeds } from '../../../src/engine/llama/memory-needs.js';
import { forgetBuild } from '../../../src/library/chosen-build.js';

const MEBIBYTE = 2 ** 20;
const VOCABULARY = 152_064;

interface Shape {
  readonly width: number;
  readonly feed: number;
  readonly type: GgmlType;
  /** MiB of the whole file, and of what a card holds of it. */
  readonly file: number;
  readonly onCard: number;
  /** MiB of one context as the library says them of a CPU: the dry run, and cache with logits. */
  readonly dryRun: number;
  readonly cache: number;
}

/** Files of bench/gpu/random-model.py, contexts of 64 sequences of 256 tokens. */
const SHAPES = {
  BF16: { width: 4096, feed: 14_336, type: GgmlType.BF16, file: 15_688, onCard: 14_501, dryRun: 3299, cache: 3236 },
  Q8_0: { width: 4096, feed: 14_336, type: GgmlType.Q8_0, file: 8335, onCard: 7704, dryRun: 3299, cache: 3236 },
  moe: { width: 2048, feed: 768, type: GgmlType.Q6_K, file: 17_691, onCard: 17_524, dryRun: 2755, cache: 2725 },
  '70b': { width: 8192, feed: 28_672, type: GgmlType.Q6_K, file: 40_762, onCard: 40_094, dryRun: 6435, cache: 6310 },
} satisfies Record<string, Shape>;

/** What the library says of a file, as a model that is loaded on a CPU without its weights. */
function model({ width, feed, type, file, onCard, dryRun, cache }: Shape): LlamaModel {
  const onCpu = (cpuRam: number) => ({ cpuRam: cpuRam * MEBIBYTE, gpuVram: 0 });
  const tensor = (name: string, ...dimensions: number[]) => ({ name, dimensions, ggmlType: type });
  return {
    llama: { gpu: false },
    fileInfo: {
      fullTensorInfo: [
        tensor('token_embd.weight', width, VOCABULARY),
        tensor('output.weight', width, VOCABULARY),
        tensor('blk.0.ffn_up.weight', width, feed),
        { name: 'blk.0.norm.weight', dimensions: [10 * width], ggmlType: GgmlType.F32 },
      ],
    },
    fileInsights: {
      totalLayers: 33,
      estimateModelResourceRequirements: () => ({
        cpuRam: (file - onCard) * MEBIBYTE,
        gpuVram: onCard * MEBIBYTE,
      }),
      estimateModelResourceRequirementsV2: async () => onCpu(file),
      estimateContextResourceRequirements: () => onCpu(cache),
      estimateContextResourceRequirementsV2: async () => onCpu(dryRun),
    },
  } as unknown as LlamaModel;
}

async function needed(shape: Shape, device: Device, places: number, more: object = {}): Promise<number> {
  const request = { contextSize: 256, sequences: 64, batchSize: 2048, threads: 1, contexts: 2, flashAttention: 'auto' };
  const { weights, kvCache, compute } = await memoryNeeds(model(shape), {
    ...(request as never as Parameters<typeof memoryNeeds>[1]),
    device,
    places,
    ...more,
  });
  return (weights + kvCache + compute) / MEBIBYTE;
}

beforeEach(() => {
  const cmake = { GGML_CUDA_FORCE_CUBLAS: 'ON' };
  vi.stubEnv('SUPPORTCAL_BUILD', JSON.stringify({ cmake, variables: {}, compiler: 'CUDA 13.0' }));
  forgetBuild();
});
afterEach(() => {
  vi.unstubAllEnvs();
  forgetBuild();
});

describe('memoryNeeds', () => {
  // What nvidia-smi said on an H200 with a build of setup-gpu, after passes that read so many places.
  it.each([
    ['BF16', 8, 21_939],
    ['BF16', 2048, 21_949],
    ['Q8_0', 8, 15_401],
    ['Q8_0', 51, 17_447],
    ['Q8_0', 2048, 17_681],
    ['moe', 8, 24_505],
    ['moe', 2048, 25_583],
    ['70b', 8, 54_813],
  ] as const)('%s on a card, %i places read in a pass: within 2 % of %i MiB', async (name, places, taken) => {
    const ratio = (await needed(SHAPES[name], 'cuda', places)) / taken;
    expect(ratio).toBeGreaterThan(0.98);
    expect(ratio).toBeLessThan(1.02);
  });

  it("counts no room for unpacked matrices where llama.cpp's own kernels multiply", async () => {
    const built = await needed(SHAPES.Q8_0, 'cuda', 2048);
    vi.stubEnv('SUPPORTCAL_BUILD', 'prebuilt');
    forgetBuild();
    expect(built - (await needed(SHAPES.Q8_0, 'cuda', 2048))).toBe((2 * 2 * 4096 * VOCABULARY) / MEBIBYTE);
    expect(await needed(SHAPES.Q8_0, 'cuda', 8)).toBe(await needed(SHAPES.Q8_0, 'cuda', 2048));
  });

  it('counts the whole file and the dry run alone for a CPU, Metal, and layers that are divided by hand', async () => {
    expect(await needed(SHAPES.Q8_0, 'cpu', 2048)).toBe(8335 + 2 * 3299);
    expect(await needed(SHAPES.Q8_0, 'metal', 2048)).toBe(8335 + 2 * 3299);
    expect(await needed(SHAPES.Q8_0, 'vulkan', 2048, { gpuLayers: 12 })).toBe(8335 + 2 * 3299);
    expect(await needed(SHAPES.Q8_0, 'vulkan', 2048)).toBe(7704 + 2 * 3299);
  });
});
