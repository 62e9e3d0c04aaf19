import { describe, expect, it } from 'vitest';
import { inBlocks } from '../../src/numeric/in-blocks.js';
import { labelledOf } from '../../src/numeric/labelled-of.js';
import { areUsableLogits, isMeasurableRow } from '../../src/numeric/logit-limits.js';
import {
  longestRow,
  raggedRows,
  rowLength,
  rowOf,
  sameShape,
  sharedRows,
  takeRows,
} from '../../src/numeric/ragged-rows.js';
import { Scratch } from '../../src/numeric/scratch.js';
import { weightedMean } from '../../src/numeric/weighted-mean.js';

const rows = raggedRows([[1, 2], [3, 4, 5], [], [6]]);

describe('rows of different lengths', () => {
  it('lie one after the other, each found by its offsets', () => {
    expect(rows).toEqual({
      rowCount: 4,
      offsets: Int32Array.of(0, 2, 5, 5, 6),
      values: Float64Array.of(1, 2, 3, 4, 5, 6),
    });
    expect([0, 1, 2, 3].map((n) => [...rowOf(rows, n)])).toEqual([[1, 2], [3, 4, 5], [], [6]]);
    expect([rowLength(rows, 1), longestRow(rows), longestRow(raggedRows([]))]).toEqual([3, 3, 0]);
  });

  it('are taken in any order, more than once, also into arrays that were used before', () => {
    const scratch = new Scratch();
    takeRows(rows, [0, 1, 3], scratch, 'mine');
    for (const taken of [takeRows(rows, [3, 1, 1]), takeRows(rows, [3, 1, 1], scratch, 'mine')]) {
      expect(taken).toEqual(raggedRows([[6], [3, 4, 5], [3, 4, 5]]));
    }
    const [kept, other] = [takeRows(rows, [0], scratch, 'mine'), takeRows(rows, [3], scratch, 'yours')];
    expect([kept.values[0], other.values[0]]).toEqual([1, 6]);
  });

  it('have the same shape where every K is the same', () => {
    expect(sameShape(rows, raggedRows([[0, 0], [0, 0, 0], [], [0]]))).toBe(true);
    expect(sameShape(rows, rows)).toBe(true);
    expect(sameShape(rows, raggedRows([[0, 0], [0, 0, 0], [], [0], []]))).toBe(false);
    expect(sameShape(rows, raggedRows([[0], [0, 0, 0, 0], [], [0]]))).toBe(false);
    expect(sameShape(rows, raggedRows([[0, 0], [0, 0, 0], [], [0, 0]]))).toBe(false);
  });

  it('are copied into memory that threads share, once', () => {
    const shared = sharedRows(rows);
    expect(sharedRows(rows)).toBe(shared);
    expect(shared).toEqual(rows);
    expect(shared.values.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(sharedRows(shared).values).toBe(shared.values);
  });
});

describe('limits of logits', () => {
  it('leave out what is no number or too large to calculate with', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1.1e100, -1.1e100])
      expect([value, areUsableLogits(Float64Array.of(0, value))]).toEqual([value, false]);
    expect(areUsableLogits(Float64Array.of(1e100, -1e100, 0))).toBe(true);
  });

  it('let options be impossible as long as one is not', () => {
    const impossible = Number.NEGATIVE_INFINITY;
    const values = Float64Array.of(Number.NaN, 0, impossible, impossible, Number.POSITIVE_INFINITY);
    expect([isMeasurableRow(values, 1, 4), isMeasurableRow(values, 2, 4), isMeasurableRow(values, 1, 5)]).toEqual([
      ...[true, false, false],
    ]);
    expect([isMeasurableRow(values), isMeasurableRow(values.subarray(1, 3)), isMeasurableRow(values, 3, 9)]).toEqual([
      ...[false, true, false],
    ]);
  });
});

it('a list is walked in blocks that meet, to its end', () => {
  const walked = (count: number) => {
    const blocks: [number, number][] = [];
    inBlocks(count, (start, end) => blocks.push([start, end]));
    return blocks;
  };
  expect(walked(0)).toEqual([]);
  expect(walked(256)).toEqual([[0, 256]]);
  expect(walked(600)).toEqual([
    [0, 256],
    [256, 512],
    [512, 600],
  ]);
});

it('examples without a label are left out, the others keep their order', () => {
  const labels = Int32Array.of(-1, 0, 3, -1, 1);
  expect([...labelledOf(Int32Array.of(4, 0, 2, 3, 1), labels)]).toEqual([4, 2, 1]);
  const into = new Int32Array(5).fill(9);
  expect([labelledOf(Int32Array.of(2), labels, into).buffer === into.buffer, into[0], into[1]]).toEqual([true, 2, 9]);
});

it('a weighted mean reads no value of weight 0', () => {
  const values = Float64Array.of(1, Number.NaN, 4);
  expect(weightedMean(values, Float64Array.of(1, 0, 0.5), 1.5)).toBe(2);
});
