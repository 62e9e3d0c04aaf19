import { Writable } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { Progress } from '../../../src/cli/terminal/progress.js';

afterEach(() => {
  vi.useRealTimers();
});

/** The progress of a run whose output is a file, with the lines that it writes, by a clock that the test moves. */
function plainProgress() {
  vi.useFakeTimers();
  const lines: string[] = [];
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk).trim());
      done();
    },
  });
  const progress = new Progress({ stdout: stderr, stderr, env: {}, onSignal: () => () => undefined }, false);
  return { progress, lines };
}

it('tells rate and time left since the first rows came: the loading of models before them says nothing of it', () => {
  const { progress, lines } = plainProgress();
  progress.start({ toScore: 3016, cached: 0, costs: new Map() });
  vi.advanceTimersByTime(60_000);
  progress.events.onRows('m', 'd', 16, 0);
  vi.advanceTimersByTime(20_000);
  progress.events.onRows('m', 'd', 1000, 0);
  expect(lines).toEqual([
    'scoring 3016 rows',
    'scored 16 of 3016 rows',
    'scored 1016 of 3016 rows, 50 rows/s, 40s left',
  ]);
});

it('takes the time left from what rows cost, of a model and of all: the rows of a large one are not those of a small one', () => {
  const { progress, lines } = plainProgress();
  const costs = new Map([
    ['small', 200],
    ['large', 9900],
  ]);
  progress.start({ toScore: 300, cached: 7, costs });
  const { onCost, onRows } = progress.events;
  onCost('small', 100);
  onRows('small', 'd', 100, 0);
  vi.advanceTimersByTime(20_000);
  onCost('small', 100);
  onRows('small', 'd', 100, 0);
  vi.advanceTimersByTime(20_000);
  // After 100 of 10,000 units in 20 s 9,900 are left; then 99 more come in as much time.
  onCost('large', 99);
  onRows('large', 'd', 1, 0);
  progress.sumUp();
  expect(lines).toEqual([
    'scoring 300 rows (7 more are in the cache)',
    'scored 200 of 300 rows, 5 rows/s, 33m00s left',
    expect.stringMatching(/^scored 201 of 300 rows, 3 rows\/s, 32m\d\ds left$/),
    'done in 40s: 201 rows scored, 7 from the cache',
  ]);
});
