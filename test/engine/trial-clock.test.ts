import { describe, expect, it } from 'vitest';
import { TrialClock } from '../../src/engine/trial-clock.js';

const ids = (batch: number, rows: number) => Array.from({ length: rows }, (_, n) => `${batch}-${n}`);

/** So many contexts that take batches in turn, each of which takes `ms` however many others are under way. */
function trial(contexts: number, batches: number, { rows, ms }: { readonly rows: number; readonly ms: number }) {
  const clock = new TrialClock(0);
  clock.begin(ids(-1, rows), 0);
  clock.restart(1000);
  const events: { readonly at: number; readonly act: () => void }[] = [];
  for (let n = 0; n < batches; n++) {
    // Contexts do not begin in step.
    const from = 1000 + Math.floor(n / contexts) * ms + (n < contexts ? 0 : ((n % contexts) * ms) / (2 * contexts));
    const to = 1000 + (Math.floor(n / contexts) + 1) * ms + ((n % contexts) * ms) / (2 * contexts);
    events.push({ at: from, act: () => clock.begin(ids(n, rows), from) });
    events.push({ at: to, act: () => clock.end(ids(n, rows), to) });
  }
  for (const { act } of events.sort((a, b) => a.at - b.at)) act();
  const last = Math.max(...events.map(({ at }) => at));
  return clock.pace(last);
}

describe('TrialClock', () => {
  it.each([2, 4, 8])(
    'comes to the pace of a long run with %i contexts, which the time of the whole does not',
    (contexts) => {
      const { rows, seconds, batches } = trial(contexts, 4 * contexts + 1, { rows: 64, ms: 500 });
      const long = (contexts * 64) / 0.5;
      expect(batches).toBe(4 * contexts + 1);
      expect(rows / seconds / long).toBeGreaterThan(0.9);
      expect(rows / seconds / long).toBeLessThan(1.06);
      expect(rows).toBeLessThan(64 * batches);
    },
  );

  it('counts no batch that began before the clock started anew, and of one under way what comes after', () => {
    const clock = new TrialClock(0);
    clock.begin(['a', 'b'], 0);
    clock.begin(['c', 'd'], 0);
    clock.restart(1000);
    clock.end(['c', 'd'], 2000);
    clock.begin(['e'], 2000);
    expect(clock.pace(3000)).toEqual({ rows: 2, seconds: 1, batches: 1 });
  });

  it('takes the whole where all batches begin at once', () => {
    const clock = new TrialClock(0);
    clock.begin(['a'], 0);
    clock.begin(['b'], 0);
    clock.end(['a'], 1500);
    clock.end(['b'], 2000);
    expect(clock.pace(2000)).toEqual({ rows: 2, seconds: 2, batches: 2 });
  });
});
