import { Writable } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { Progress } from '../../../src/cli/terminal/progress.js';

afterEach(() => {
  vi.useRealTimers();
});

it('tells rate and time left since the first rows came: the loading of models before them says nothing of it', () => {
  vi.useFakeTimers();
  const lines: string[] = [];
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk).trim());
      done();
    },
  });
  const progress = new Progress({ stdout: stderr, stderr, env: {}, onSignal: () => () => undefined }, false);
  progress.start(3016, 0);
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
