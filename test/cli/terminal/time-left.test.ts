import { expect, it } from 'vitest';
import { TimeLeft } from '../../../src/cli/terminal/time-left.js';

/** Two models that run one after the other, each with 10 seconds of start and 90 of rows. */
function run() {
  let at = 0;
  const each = { start: 10, rows: 90 };
  const left = new TimeLeft(
    new Map([
      ['a', each],
      ['b', each],
    ]),
    200,
    () => at * 1000,
  );
  const after = (seconds: number, model: string, share: number) => {
    at = seconds;
    left.note(model, share);
    return left.seconds() ?? Number.NaN;
  };
  const wait = (seconds: number) => {
    at = seconds;
    return left.seconds();
  };
  return { after, wait };
}

it('runs down by the clock until the first rows, and as expected while all goes as expected', () => {
  const { after, wait } = run();
  expect(wait(4)).toBe(196);
  expect(after(10, 'a', 0)).toBe(190);
  expect(after(55, 'a', 0.5)).toBe(145);
  expect(after(100, 'a', 1)).toBe(100);
  expect(after(110, 'b', 0)).toBe(90);
});

it('follows a run that is three times as slow: within a tenth from the first quarter of a model on', () => {
  const { after } = run();
  expect(after(30 + 3 * 22.5, 'a', 0.25) / (600 - 97.5)).toBeGreaterThan(0.9);
  expect(after(300, 'a', 1) / 300).toBeGreaterThan(0.95);
  expect(after(300, 'a', 1) / 300).toBeLessThan(1);
  expect(after(570, 'b', 0.9) / 27).toBeGreaterThan(0.9);
});

it('expects nothing of models that nobody knows', () => {
  expect(new TimeLeft(new Map(), 0).seconds()).toBeNull();
});
