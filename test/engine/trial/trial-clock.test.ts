import { describe, expect, it } from 'vitest';
import { type BegunBatch, TrialClock } from '../../../src/engine/trial/trial-clock.js';

/** So many contexts that take batches in turn, each of which takes `ms` however many others are under way. */
function trial(contexts: number, batches: number, { work, ms }: { readonly work: number; readonly ms: number }) {
  const clock = new TrialClock(1000);
  const events: { readonly at: number; readonly act: () => void }[] = [];
  const begun: BegunBatch[] = [];
  for (let n = 0; n < batches; n++) {
    // Contexts do not begin in step.
    const from = 1000 + Math.floor(n / contexts) * ms + (n < contexts ? 0 : ((n % contexts) * ms) / (2 * contexts));
    const to = 1000 + (Math.floor(n / contexts) + 1) * ms + ((n % contexts) * ms) / (2 * contexts);
    const begin = () => {
      begun[n] = clock.begin(work, from);
    };
    events.push({ at: from, act: begin });
    events.push({ at: to, act: () => clock.end(begun[n] as BegunBatch, to) });
    if (n + contexts >= batches) events.push({ at: to, act: () => clock.idle(to) });
  }
  for (const { act } of events.sort((a, b) => a.at - b.at)) act();
  return clock;
}

describe('TrialClock', () => {
  it.each([2, 4, 8])(
    'comes to the pace of a long run with %i contexts, which the time of the whole does not',
    (contexts) => {
      const clock = trial(contexts, 4 * contexts + 1, { work: 64, ms: 500 });
      const long = (contexts * 64) / 500;
      expect(clock.begun).toBe(4 * contexts + 1);
      expect(clock.pace(contexts) / long).toBeGreaterThan(0.9);
      expect(clock.pace(contexts) / long).toBeLessThan(1.06);
      // As if all had begun at once: the last batch is alone for most of its time.
      expect(clock.pace(clock.begun) / long).toBeLessThan(0.95);
      expect(clock.pace(clock.begun)).toBeLessThan(clock.pace(contexts));
    },
  );

  it('counts of a batch that is under way as the first context is idle the part before', () => {
    const clock = new TrialClock(1000);
    const [first, second] = [clock.begin(30, 1000), clock.begin(40, 1000)];
    clock.end(first, 2000);
    const third = clock.begin(30, 2000);
    clock.end(second, 3000);
    clock.idle(3000);
    clock.end(third, 4000);
    clock.idle(4000);
    expect(clock.pace(2)).toBe((30 + 40 + 15) / 2000);
  });

  it('counts all batches of a single context, which is idle after the last one alone', () => {
    const clock = new TrialClock(0);
    for (const [work, from, to] of [
      [10, 0, 1000],
      [50, 1000, 2000],
    ] as const)
      clock.end(clock.begin(work, from), to);
    clock.idle(2000);
    expect(clock.pace(1)).toBe(60 / 2000);
  });

  it('takes the whole where all batches begin at once, and has no pace where none has ended', () => {
    const clock = new TrialClock(0);
    const [first, second] = [clock.begin(1, 0), clock.begin(1, 0)];
    expect(clock.pace(2)).toBe(0);
    clock.end(first, 1500);
    clock.end(second, 2000);
    expect(clock.pace(2)).toBe(2 / 2000);
  });
});
