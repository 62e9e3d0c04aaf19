import { describe, expect, it, vi } from 'vitest';
import { inspectModels } from '../../src/scoring/inspect-models.js';
import { cpuTime } from '../../src/scoring/process/cpu-time.js';
import { scoreModels } from '../../src/scoring/score-models.js';
import { startedModule } from '../built-modules.js';
import { workerProcesses } from './worker-processes.js';

const backendModule = startedModule('engine/stub-backend').href;
const model = { id: 'm', role: 'post-trained', base: 'b', bucket: 'd', prompt: 'chat' } as const;
const place = { kind: 'gguf', path: '/looping-template.gguf', bytes: 1000 } as const;
const prompt = { id: 'r1', text: 'plain', mode: 'letter', continuations: ['A', 'B'], answerPrefix: null } as const;
/** A child needs far less of the processor before it comes to the template, and the template ten seconds. */
const IN_THE_TEMPLATE_MS = 1500;

/** Aborts when the child is inside the template; returns the result, and the child's time on the processor then. */
async function abortInside<Result>(start: (signal: AbortSignal) => Promise<Result>) {
  const abort = new AbortController();
  let ended = false;
  const run = start(abort.signal).finally(() => {
    ended = true;
  });
  let used = 0;
  await vi.waitFor(
    () => {
      used = Math.max(0, ...workerProcesses('stub-backend').map((pid) => cpuTime(pid) ?? 0));
      expect(used > IN_THE_TEMPLATE_MS || ended).toBe(true);
    },
    { timeout: 200_000, interval: 20 },
  );
  expect(ended).toBe(false);
  const started = performance.now();
  abort.abort();
  const result = await run;
  return { result, milliseconds: performance.now() - started, left: workerProcesses('stub-backend') };
}

describe.skipIf(process.platform !== 'linux')('an interruption while a chat template loops', () => {
  it('ends a look into the files without waiting for the template, and leaves no process', async () => {
    const job = { model, place, jobs: [{ dataset: 'd', prompts: [prompt] }] };
    const { result, milliseconds, left } = await abortInside((signal) =>
      inspectModels([job, job], { device: 'cpu' }, { detail: 'nothing', backendModule, signal }),
    );
    expect(result).toEqual([]);
    expect(left).toEqual([]);
    expect(milliseconds).toBeLessThan(8000);
  });

  it('ends a scoring run without waiting for the template, and leaves no process', async () => {
    const job = { model, place, jobs: [{ dataset: 'd', prompts: [prompt], onRows: async () => {} }] };
    const { result, milliseconds, left } = await abortInside((signal) =>
      scoreModels(
        [job],
        { device: 'cpu', cores: 1, signal },
        {},
        { backendModule, batchSeconds: 120, freeMemory: async () => 2 ** 40 },
      ),
    );
    expect(result).toMatchObject([{ kind: 'failed', reason: 'interrupted; the rows scored so far are kept' }]);
    expect(left).toEqual([]);
    expect(milliseconds).toBeLessThan(8000);
  });
});
