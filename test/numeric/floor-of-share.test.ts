import { expect, test } from 'vitest';
import { floorOfShare } from '../../src/numeric/floor-of-share.js';

test('the share is of the decimal that was written, not of its float64', () => {
  expect([floorOfShare(0.29, 100), floorOfShare(0.57, 100), floorOfShare(0.3, 10)]).toEqual([29, 57, 3]);
});

test('thirds, tiny and large numbers', () => {
  expect([floorOfShare(1 / 3, 9), floorOfShare(1e-7, 1e7), floorOfShare(0.3, 4183), floorOfShare(0.3, 0)]).toEqual([
    2, 1, 1254, 0,
  ]);
  expect([floorOfShare(1, 7), floorOfShare(30, 2), floorOfShare(1.5, 3), floorOfShare(0, 9)]).toEqual([7, 60, 4, 0]);
});
