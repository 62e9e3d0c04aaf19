import { describe, expect, it } from 'vitest';
import { startEarly, takeEarly } from '../../../src/scoring/process/early-worker.js';
import { workerSlot } from '../../../src/scoring/process/worker-slot.js';
import { startedModule } from '../../built-modules.js';
import { workerProcesses } from '../worker-processes.js';

const backendModule = startedModule('engine/stub-backend').href;
const CHILD = 'stub-backend';

describe('a child that is started early', () => {
  it('is the one that the next slot takes, and is left to it', async () => {
    const drop = startEarly(backendModule, 1);
    const [started] = workerProcesses(CHILD);
    const slot = workerSlot(backendModule, false, () => {});
    const worker = slot.take();
    await worker.ready;
    expect(worker.child.pid).toBe(started);
    expect(workerProcesses(CHILD)).toEqual([started]);
    drop();
    await slot.end();
    expect(await worker.gone).toBe('exit code 0');
  });

  it('is none for a slot of a card, of other variables or of another backend', async () => {
    const drop = startEarly(backendModule, 1);
    const others = [
      workerSlot(backendModule, true, () => {}),
      workerSlot(backendModule, false, () => {}, { CUDA_VISIBLE_DEVICES: '1' }),
    ];
    for (const slot of others) {
      await slot.take().ready;
      await slot.end();
    }
    expect(takeEarly('file:///other.js', () => {})).toBeUndefined();
    const worker = takeEarly(backendModule, () => {});
    expect(worker?.child.connected).toBe(true);
    worker?.child.kill('SIGKILL');
    await worker?.gone;
    drop();
  });

  it('ends where nobody takes it, and is not taken then', async () => {
    const drop = startEarly(backendModule, 1);
    expect(workerProcesses(CHILD)).toHaveLength(1);
    drop();
    expect(takeEarly(backendModule, () => {})).toBeUndefined();
    await expect.poll(() => workerProcesses(CHILD)).toEqual([]);
  });
});
