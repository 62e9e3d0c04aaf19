import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DiskTurn, diskSchedule, inDiskOrder, leastBudget } from '../../../src/pipeline/disk/disk-schedule.js';

const turn = (name: string, toFetch: number, more: Partial<DiskTurn> = {}): DiskTurn => ({
  models: [name],
  onDisk: 0,
  toFetch,
  keeps: 0,
  finished: false,
  ...more,
});
const names = (turns: readonly DiskTurn[]) => turns.flatMap(({ models }) => models).join(' ');
/** One byte a second, and so many seconds of scoring for each turn. */
const rates = (seconds: number) => ({ bytesPerSecond: 1, secondsOf: () => seconds });

describe('the order of models under a budget', () => {
  it('what is finished, what is here, what was begun, then the largest first, and last what stays', () => {
    const turns = [
      turn('small', 10),
      turn('stays', 50, { keeps: 50 }),
      turn('large', 40),
      turn('begun', 5, { onDisk: 2 }),
      turn('here', 0, { onDisk: 20 }),
      turn('done', 0, { onDisk: 30, finished: true }),
    ];
    expect(names(inDiskOrder(turns))).toBe('done here begun large small stays');
  });

  it('the least budget holds each file with what stayed before and what lies there of later ones', () => {
    expect(leastBudget([turn('a', 40), turn('b', 10)])).toBe(40);
    expect(leastBudget([turn('a', 40, { keeps: 40 }), turn('b', 10, { keeps: 10 })])).toBe(50);
    expect(leastBudget([turn('a', 40), turn('b', 10, { onDisk: 5 })])).toBe(45);
    // What is here already needs no room of its own.
    expect(leastBudget([turn('a', 0, { onDisk: 40 }), turn('b', 10)])).toBe(10);
  });
});

describe('how a run goes under a budget', () => {
  const turns = [turn('a', 40), turn('b', 30), turn('c', 20)];

  it('with room for all, fetches never wait; with room for one, each waits for the score before it', () => {
    const wide = diskSchedule(turns, { budget: 90, eager: false }, rates(100));
    expect(wide).toMatchObject({ peak: 90, seconds: 340 });
    expect(wide?.steps.map(({ fetchedAt }) => fetchedAt)).toEqual([40, 70, 90]);
    const narrow = diskSchedule(turns, { budget: 40, eager: false }, rates(100));
    expect(narrow).toMatchObject({ peak: 40, seconds: 390 });
    expect(narrow?.steps.map(({ fetchedAt, scoredAt }) => [fetchedAt, scoredAt])).toEqual([
      [40, 140],
      [170, 270],
      [290, 390],
    ]);
    expect(diskSchedule(turns, { budget: 39, eager: false }, rates(100))).toBeNull();
  });

  it('without a budget, a file that goes after scoring makes the peak as large as fetching is ahead', () => {
    const eager = { budget: Number.POSITIVE_INFINITY, eager: true };
    expect(diskSchedule(turns, eager, rates(1))?.peak).toBe(70);
    expect(diskSchedule(turns, eager, rates(1000))?.peak).toBe(90);
  });

  it('any budget from the least one on works and is kept; any below does not', () => {
    const anyTurn = fc
      .record({ toFetch: fc.nat(50), onDisk: fc.nat(50), stays: fc.boolean(), finished: fc.boolean() })
      .map(({ toFetch, onDisk, stays, finished }) => {
        const fetch = finished ? 0 : toFetch;
        return turn('m', fetch, { onDisk, keeps: stays ? onDisk + fetch : 0, finished });
      });
    fc.assert(
      fc.property(fc.array(anyTurn, { minLength: 1, maxLength: 8 }), fc.nat(60), fc.boolean(), (some, more, eager) => {
        const ordered = inDiskOrder(some);
        const least = leastBudget(ordered);
        const before = some.reduce((sum, { onDisk }) => sum + onDisk, 0);
        const schedule = diskSchedule(ordered, { budget: least + more, eager }, rates(7));
        expect(schedule).not.toBeNull();
        expect(schedule?.peak).toBeLessThanOrEqual(Math.max(before, least + more));
        if (least > 0) expect(diskSchedule(ordered, { budget: least - 1, eager }, rates(7))).toBeNull();
      }),
    );
  });
});
