import { expect, it } from 'vitest';
import { firstError } from '../../../src/scoring/device/probe-device.js';

it('names the error before the stack trace of an abort, with what to do about an old driver', () => {
  const output = [
    '[node-llama-cpp] sched_reserve: reserve took 1.71 ms',
    '[node-llama-cpp] CUDA error: the provided PTX was compiled with an unsupported toolchain.',
    '[node-llama-cpp]   current device: 0, in function ggml_cuda_kernel_can_use_pdl',
    '/somewhere/llama-addon.node(_ZN4Napi11AsyncWorker+0x32)[0x7f782451cc82]',
  ].join('\n');
  expect(firstError(output)).toBe(
    'CUDA error: the provided PTX was compiled with an unsupported toolchain; the GPU driver is older than the CUDA of the prebuilt binary: update the driver',
  );
});

it('has an error that is not known as it is, cut when it is long', () => {
  expect(firstError('ggml_vulkan: Error: something new')).toBe('ggml_vulkan: Error: something new');
  expect(firstError(`error ${'x'.repeat(500)}`)).toHaveLength(204);
});

it('is null when nothing in the output tells of an error', () => {
  expect(firstError('load: loaded 30 tensors\nnode[0x18a7b40]')).toBeNull();
  expect(firstError('')).toBeNull();
});
