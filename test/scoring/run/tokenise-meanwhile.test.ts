import { expect, it } from 'vitest';
import type { Device } from '../../../src/contract/device.js';
import { tokeniseMeanwhile } from '../../../src/scoring/run/tokenise-meanwhile.js';
import { PLAN } from '../../engine/stub-task.js';

it('prompts are tokenised while weights come where both take long, and never on a CPU', () => {
  const worth = (device: Device, bytes: number, counts: readonly number[]) => {
    const prompt = { id: 'q', text: '', mode: 'letter', continuations: [], answerPrefix: null } as const;
    const jobs = counts.map((length) => ({
      dataset: 'quiz',
      prompts: Array.from({ length }, () => prompt),
      onRows: async () => {},
    }));
    return tokeniseMeanwhile({ jobs, place: { kind: 'gguf', path: '', bytes } }, { ...PLAN, device });
  };
  expect(worth('cuda', 2 ** 31, [3000, 1000])).toBe(true);
  expect(worth('vulkan', 2 ** 33, [4000])).toBe(true);
  expect(worth('cuda', 2 ** 31 - 1, [4000])).toBe(false);
  expect(worth('cuda', 2 ** 31, [3000, 999])).toBe(false);
  expect(worth('cpu', 2 ** 35, [40_000])).toBe(false);
});
