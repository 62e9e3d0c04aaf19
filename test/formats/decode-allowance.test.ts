import { describe, expect, it } from 'vitest';
import { decodeAllowance } from '../../src/formats/decode-allowance.js';

/** A clock that a test sets. */
function handClock() {
  const now = { wall: 0, worked: 0 };
  return { now, clock: { wall: () => now.wall, worked: () => now.worked } };
}

describe('decodeAllowance', () => {
  it('counts work and not time, so that a busy machine makes no file a damaged one', () => {
    const { now, clock } = handClock();
    const step = decodeAllowance(1_000, clock);
    Object.assign(now, { wall: 15_000, worked: 400 });
    expect(step.left()).toBe(600);
    now.worked = 1_000;
    expect(step.left()).toBe(0);
  });

  it('does not count the work of other threads twice', () => {
    const { now, clock } = handClock();
    const step = decodeAllowance(1_000, clock);
    Object.assign(now, { wall: 300, worked: 4_800 });
    expect(step.left()).toBe(700);
  });

  it('ends at last where nothing works at all', () => {
    const { now, clock } = handClock();
    const step = decodeAllowance(1_000, clock);
    now.wall = 20_000;
    expect(step.left()).toBe(0);
  });

  it('follows cells and unpacked bytes up to ten minutes, whatever a damaged length promises', () => {
    const step = decodeAllowance(1_000, handClock().clock);
    step.extend({ cells: 2_000, bytes: 0 });
    step.extend({ cells: 0, bytes: 1_000_000 });
    expect(step.total()).toBe(1_000 + 100 + 500);
    step.extend({ cells: 2 ** 60, bytes: 0 });
    expect(step.total()).toBe(601_000);
  });
});
