import { expect, it } from 'vitest';
import { placeShares } from '../../../src/calibration/answers/place-shares.js';
import { raggedRows } from '../../../src/numeric/ragged-rows.js';

/** K x K logits of one example in which the answer of rotation r is `chosen(r)`, an option in the original order. */
const example = (options: number, chosen: (r: number) => number) =>
  Array.from({ length: options ** 2 }, (_, i) => Number(i % options === chosen(Math.floor(i / options)) % options));
/** The answer stands at one place, whatever option is there: rotation r shows option (place + r) mod K at it. */
const atPlace = (options: number, place: number) => example(options, (r) => place + r);

it('tells answers that follow an option from those that follow a place', () => {
  const follows = placeShares(raggedRows([example(4, () => 2), example(4, () => 0)]), [0, 1]);
  const quarters = [0.25, 0.25, 0.25, 0.25];
  expect(follows).toEqual({ examples: 2, answers: 8, shares: quarters, expected: quarters, kept: 1 });
  const stuck = placeShares(raggedRows([atPlace(4, 3), atPlace(4, 3)]), [0, 1]);
  expect(stuck).toEqual({ examples: 2, answers: 8, shares: [0, 0, 0, 1], expected: quarters, kept: 0 });
});

it('counts places of examples of different numbers of options, of the rows that are asked for', () => {
  const rotations = raggedRows([atPlace(2, 1), atPlace(3, 2), example(3, () => 1), atPlace(2, 0)]);
  // 2 + 3 + 3 answers: twice place 1, three times place 2, and each of three places once.
  expect(placeShares(rotations, [0, 1, 2])).toEqual({
    examples: 3,
    answers: 8,
    shares: [1 / 8, 3 / 8, 4 / 8],
    expected: [3 / 8, 3 / 8, 2 / 8],
    kept: 1 / 3,
  });
  expect(placeShares(rotations, [])).toBe(null);
});
