import { describe, expect, it } from 'vitest';
import type { FromWorker, WorkerPlan } from '../../../src/engine/protocol/protocol.js';
import { workerSlot } from '../../../src/scoring/process/worker-slot.js';
import { startedModule } from '../../built-modules.js';

const backendModule = startedModule('engine/stub-backend').href;
const plan: WorkerPlan = {
  model: 'm',
  modelPath: '/stub.gguf',
  device: 'cpu',
  prompt: 'raw',
  bos: 'auto',
  contextSize: null,
  sequences: 1,
  contexts: 1,
  batchSize: 256,
  threads: 1,
  flashAttention: 'off',
};

describe('workerSlot', () => {
  it('keeps one child for one model after the other, and lets it end by itself', async () => {
    const slot = workerSlot(backendModule, false, () => {});
    const worker = slot.take();
    await worker.ready;
    expect(slot.take()).toBe(worker);
    await slot.end();
    expect(await worker.gone).toBe('exit code 0');
  });

  it('starts another child after a killed one', async () => {
    const slot = workerSlot(backendModule, false, () => {});
    const first = slot.take();
    await slot.kill();
    expect(await first.gone).toBe('signal SIGKILL');
    const second = slot.take();
    expect(second).not.toBe(first);
    await second.ready;
    await slot.end();
  });

  it('a child whose parent is gone in the middle of a batch ends at once, whatever hangs', async () => {
    const slot = workerSlot(backendModule, false, () => {});
    const worker = slot.take();
    await worker.ready;
    const inBatch = new Promise<void>((resolve) => {
      worker.child.on('message', (message: FromWorker) => {
        if (message.kind === 'batch') resolve();
      });
    });
    worker.send({ kind: 'load', plan });
    worker.send({
      kind: 'prompts',
      job: 0,
      prompts: [{ id: 'q', text: 'HANG', mode: 'letter', continuations: ['A', 'B'], answerPrefix: null }],
    });
    worker.send({ kind: 'start' });
    await inBatch;
    worker.child.disconnect();
    expect(await worker.gone).toMatch(/^signal SIGKILL/);
  });
});
