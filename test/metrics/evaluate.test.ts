import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evaluate, evaluator } from '../../src/metrics/evaluate.js';
import { raggedRows } from '../../src/numeric/ragged-rows.js';
import { Scratch } from '../../src/numeric/scratch.js';

const repeat = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
const all = (count: number) => Int32Array.from({ length: count }, (_, n) => n);

test('K comes from the options: four equal logits have confidence 0.25 and prediction A', () => {
  const labels = Int32Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? 1 : 3));
  const got = evaluate({ logits: raggedRows(repeat(40, [1, 1, 1, 1])), indexes: all(40), labels }, 1)!;
  expect([got.meanConfidence, got.accuracy, got.ece]).toEqual([0.25, 0, 0.25]);
});

test('a confidence on an edge is in the bin on its left where bins own their right edges', () => {
  // Confidences of 0.5, right, and 0.55, wrong: one bin of two, or two of one.
  const logits = raggedRows([
    [1, 1],
    [Math.log(0.55), Math.log(0.45)],
  ]);
  const ece = (edgeRule: 'left-owned' | 'right-owned') =>
    evaluator({ logits, indexes: all(2), labels: Int32Array.of(0, 1) }, { edgeRule })(1)!.ece;
  expect([ece('left-owned'), ece('right-owned')]).toEqual([0.025, 0.525].map((value) => expect.closeTo(value, 12)));
});

test('calibration that makes ECE worse is reported as worse', () => {
  const logits = raggedRows(repeat(10, [Math.log(1.5), 0]));
  const labels = Int32Array.from({ length: 10 }, (_, n) => (n < 6 ? 0 : 1));
  expect(evaluate({ logits, indexes: all(10), labels }, 1)!.ece).toBeCloseTo(0, 12);
  expect(evaluate({ logits, indexes: all(10), labels }, Math.log(9) / Math.log(1.5))!.ece).toBeCloseTo(0.3, 12);
});

test('an infinite temperature gives 1/K and keeps the prediction', () => {
  const got = evaluate(
    {
      logits: raggedRows([
        [0, 5],
        [0, 0, 7, 1],
      ]),
      indexes: all(2),
      labels: Int32Array.of(1, 2),
    },
    0,
  )!;
  expect([got.accuracy, got.meanConfidence]).toEqual([1, (1 / 2 + 1 / 4) / 2]);
});

test('no temperature changes accuracy, though confidences underflow to ties', () => {
  const logits = raggedRows([
    [1e4, 0, 1],
    [-900, 3, 440],
    [0.1, 0.1, 0],
  ]);
  const at = (beta: number) => evaluate({ logits, indexes: all(3), labels: Int32Array.of(0, 2, 1) }, beta)!.accuracy;
  expect([0, 1e-320, 1e-3, 1, 1e300].map(at)).toEqual(repeat(5, 2 / 3));
});

test('a sure and right prediction keeps its loss, a sure and wrong one stays finite', () => {
  const logits = raggedRows([[40, 0]]);
  expect(evaluate({ logits, indexes: all(1), labels: Int32Array.of(0) }, 1)!.nll).toBeCloseTo(Math.exp(-40), 30);
  expect(evaluate({ logits: raggedRows([[1e4, 0]]), indexes: all(1), labels: Int32Array.of(1) }, 1)!.nll).toBe(1e4);
});

test('unlabelled examples are left out; none left is null', () => {
  const logits = raggedRows([
    [1, 0],
    [0, 1],
    [2, 0],
  ]);
  expect(evaluate({ logits, indexes: all(3), labels: Int32Array.of(0, -1, 0) }, 1)!.count).toBe(2);
  expect(evaluate({ logits, indexes: all(3), labels: Int32Array.of(-1, -1, -1) }, 1)).toBeNull();
  expect(evaluate({ logits, indexes: Int32Array.of(), labels: Int32Array.of(0, 0, 0) }, 1)).toBeNull();
});

test('a label that is no option is refused with its row', () => {
  expect(() => evaluate({ logits: raggedRows([[1, 0]]), indexes: all(1), labels: Int32Array.of(2) }, 1)).toThrow(
    /row 1.*from 0 to 1/,
  );
});

test('the same logits in another option order are the same confidence to the last bit, so they tie in AUROC', () => {
  const row = fc.array(fc.double({ min: -20, max: 20, noNaN: true }), { minLength: 3, maxLength: 12 });
  fc.assert(
    fc.property(row, fc.infiniteStream(fc.nat()), (logits, draws) => {
      const shuffled = [...logits].sort(() => (Number(draws.next().value) % 2 === 0 ? 1 : -1));
      const right = shuffled.indexOf(Math.max(...shuffled));
      const labels = Int32Array.of(logits.indexOf(Math.max(...logits)), (right + 1) % shuffled.length);
      expect(evaluate({ logits: raggedRows([logits, shuffled]), indexes: all(2), labels }, 1)!.auroc).toBe(0.5);
    }),
    { seed: 7, numRuns: 500 },
  );
});

test('an evaluation stays as it is when another temperature is evaluated, unless its arrays are shared', () => {
  const rows = {
    logits: raggedRows([
      [2, 0],
      [0, 1],
    ]),
    indexes: Int32Array.of(0, 1),
    labels: Int32Array.of(0, 0),
  };
  const own = evaluator(rows);
  const first = own(1)!;
  const confidences = [...first.confidences];
  own(0.5);
  expect([...first.confidences]).toEqual(confidences);
  const shared = evaluator(rows, {}, new Scratch());
  expect(shared(1)!.confidences.buffer).toBe(shared(0.5)!.confidences.buffer);
});

test('at an infinite temperature an impossible option has 1/K too', () => {
  const logits = raggedRows([
    [3, Number.NEGATIVE_INFINITY],
    [0, Number.NEGATIVE_INFINITY, 1, 2],
  ]);
  const found = evaluate({ logits, indexes: Int32Array.of(0, 1), labels: Int32Array.of(0, 1) }, 0)!;
  expect([...found.confidences]).toEqual([0.5, 0.25]);
  expect(found.nll).toBeCloseTo((Math.log(2) + Math.log(4)) / 2, 14);
});
