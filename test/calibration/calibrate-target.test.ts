import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { calibrateTarget } from '../../src/calibration/calibrate-target.js';
import type { UnlabelledSplit } from '../../src/calibration/calibration-method.js';
import type { TemperatureOutcome } from '../../src/calibration/fit/temperature-outcome.js';
import { klDivergences } from '../../src/calibration/fit/weighted-kl.js';
import { CALIBRATION_METHODS } from '../../src/calibration/methods.js';
import { SupportCalError } from '../../src/errors/supportcal-error.js';
import { raggedRows } from '../../src/numeric/ragged-rows.js';
import { inputOf, type RandomTarget, randomTarget, SEEDED } from './random-target.js';

const KL = ['daca', 'full-kl', 'relative-only', 'supportcal'];

function fitAll(given: RandomTarget, methods = KL, order?: number[]): TemperatureOutcome[] {
  const indexes = Int32Array.from(order ?? given.target.keys());
  return calibrateTarget(inputOf(given, methods))
    .fit(indexes)
    .outcomes.map(({ outcome }) => outcome);
}

function expectSame(got: TemperatureOutcome[], want: TemperatureOutcome[], scale = 1): void {
  got.forEach((outcome, i) => {
    const other = want[i]!;
    // Inside the rounding of M_w the sign, and with it the kind, is anyone's.
    if (Math.abs(other.weightedBoundaryMargin ?? 1) < 1e-9) return;
    expect(outcome.kind).toBe(other.kind);
    if (outcome.kind !== 'finite' || other.kind !== 'finite') return;
    expect(Math.abs(outcome.temperature / (scale * other.temperature) - 1)).toBeLessThan(1e-8);
  });
}

const map = (given: RandomTarget, change: (row: number[]) => number[]): RandomTarget => ({
  target: given.target.map(change),
  ownBase: given.ownBase.map(change),
  pool: given.pool.map((rows) => rows.map(change)),
});

describe('a change that means nothing changes nothing', () => {
  test('adding a constant to all logits of a row', () => {
    fc.assert(
      fc.property(randomTarget, fc.integer({ min: -50, max: 50 }), (given, shift) => {
        expectSame(fitAll(map(given, (row) => row.map((value) => value + shift))), fitAll(given));
      }),
      SEEDED,
    );
  });

  test('the order of the options, when no maximum is tied', () => {
    fc.assert(
      fc.property(randomTarget, (given) => {
        fc.pre([given.target, given.ownBase].every((rows) => rows.every((row) => new Set(row).size === row.length)));
        expectSame(fitAll(map(given, (row) => [...row].reverse())), fitAll(given));
      }),
      SEEDED,
    );
  });

  test('the order of the examples', () => {
    fc.assert(
      fc.property(randomTarget, (given) => {
        expectSame(fitAll(given, KL, [...given.target.keys()].reverse()), fitAll(given));
      }),
      SEEDED,
    );
  });
});

test.each([1e-3, 7, 1e3, 1e4])('target logits times %f give a temperature times the same', (scale) => {
  fc.assert(
    fc.property(randomTarget, (given) => {
      const scaled = { ...given, target: given.target.map((row) => row.map((value) => value * scale)) };
      expectSame(fitAll(scaled), fitAll(given), scale);
    }),
    { ...SEEDED, numRuns: 40 },
  );
});

test('a teacher of softmax(z / 2) gives the temperature 2', () => {
  fc.assert(
    fc.property(randomTarget, (given) => {
      const teacher = { ...given, ownBase: given.target.map((row) => row.map((value) => value / 2)) };
      fc.pre(teacher.target.some((row) => new Set(row).size > 1));
      for (const outcome of fitAll(teacher)) {
        expect(outcome.kind === 'finite' && Math.abs(outcome.temperature - 2) < 1e-8).toBe(true);
      }
    }),
    SEEDED,
  );
});

test('the temperature is infinite exactly when M_w is 0 or below', () => {
  fc.assert(
    fc.property(randomTarget, (given) => {
      for (const outcome of fitAll(given)) {
        if (outcome.kind === 'none') expect(outcome.reason).toMatch(/no-examples|constant-logits/);
        else expect(outcome.kind === 'infinite').toBe(outcome.weightedBoundaryMargin! <= 0);
      }
    }),
    SEEDED,
  );
});

test('weights are 1 on A and in (0, 1] on D, and DACA is SupportCal with weight 0 on D', () => {
  const zeroOnD = {
    name: 'zero-on-d',
    needs: 'references',
    weight: (s: { disagreement: Uint8Array }, n: number) => (s.disagreement[n] === 1 ? 0 : 1),
  } as const;
  const seen: [number, number][] = [];
  const watch = CALIBRATION_METHODS.flatMap((method) =>
    method.needs !== 'references'
      ? []
      : [
          {
            ...method,
            weight: (split: Parameters<typeof method.weight>[0], n: number) => {
              const weight = method.weight(split, n);
              seen.push([split.disagreement[n]!, weight]);
              return weight;
            },
          },
        ],
  );
  fc.assert(
    fc.property(randomTarget, (given) => {
      seen.length = 0;
      const input = inputOf(given, ['daca', 'zero-on-d', 'supportcal'], [1]);
      const table = [...CALIBRATION_METHODS.filter(({ name }) => name === 'daca'), zeroOnD, ...watch];
      const { outcomes } = calibrateTarget({ ...input, methodTable: table }).fit(Int32Array.from(given.target.keys()));
      expect(outcomes[1]!.outcome).toEqual(outcomes[0]!.outcome);
      expect(seen.length).toBe(given.target.length);
      for (const [inD, weight] of seen) expect(inD === 1 ? weight > 0 && weight <= 1 : weight === 1).toBe(true);
    }),
    SEEDED,
  );
});

describe('expected ends of a fit', () => {
  const rows = (row: number[], count = 4) => Array.from({ length: count }, () => row);
  const logitsOf = (p: number[]) => p.map(Math.log);
  const fitOn = (z: number[], p: number[]) =>
    fitAll({ target: rows(z), ownBase: rows(logitsOf(p)), pool: [0, 1, 2, 3].map(() => rows(z)) }, ['full-kl', 'daca']);

  test('z = [2, 0], p = [0.8, 0.2] has tau = 2 / ln 4, at any scale', () => {
    for (const scale of [1, 1e-3, 1e3]) {
      const [outcome] = fitOn([2 * scale, 0], [0.8, 0.2]);
      expect(outcome!.kind === 'finite' && outcome!.temperature / scale).toBeCloseTo(2 / Math.log(4), 8);
    }
  });

  test('a margin of -0.4 is infinite, and agreement alone has no examples', () => {
    const [full, daca] = fitOn([2, 0], [0.3, 0.7]);
    expect(full!.kind).toBe('infinite');
    expect(full!.weightedBoundaryMargin).toBeCloseTo(-0.4, 12);
    expect(daca).toEqual({ kind: 'none', reason: 'no-examples', weightedBoundaryMargin: null });
  });

  test('a uniform teacher over z = [1000, 0] is infinite with a margin of exactly 0', () => {
    expect(fitOn([1000, 0], [0.5, 0.5])[0]).toEqual({ kind: 'infinite', weightedBoundaryMargin: 0 });
  });

  test('margins that cancel but for rounding are a margin of exactly 0', () => {
    const given = {
      target: [...rows([2, 0], 3), ...rows([2, 0], 3)],
      ownBase: [...rows([0.7, 0], 3), ...rows([0, 0.7], 3)],
      pool: [0, 1, 2, 3].map(() => rows([1, 0], 6)),
    };
    expect(fitAll(given, ['full-kl'])[0]).toEqual({ kind: 'infinite', weightedBoundaryMargin: 0 });
  });

  test('constant logits and an empty split have no fit', () => {
    expect(fitOn([1, 1], [0.6, 0.4])[0]).toMatchObject({ kind: 'none', reason: 'constant-logits' });
    const given = { target: rows([2, 0]), ownBase: rows([1, 0]), pool: [0, 1, 2, 3].map(() => rows([1, 0])) };
    for (const outcome of fitAll(given, KL, [])) expect(outcome).toMatchObject({ kind: 'none', reason: 'no-examples' });
  });

  test('labels reach oracle-ts only: other labels, same label-free temperatures', () => {
    const given = {
      target: rows([2, 0, 1]),
      ownBase: rows([1, 0, 0.9]),
      pool: [0, 1, 2, 3].map(() => rows([1, 0, 0])),
    };
    const input = inputOf(given, [...KL, 'oracle-ts'], [1]);
    const at = (labels: number[]) =>
      calibrateTarget({ ...input, labels: Int32Array.from(labels) }).fit(Int32Array.of(0, 1, 2, 3)).outcomes;
    const [first, second] = [at([0, 0, 1, 2]), at([0, 0, 0, 2])];
    expect(second.slice(0, 4)).toEqual(first.slice(0, 4));
    expect(second[4]).not.toEqual(first[4]);
    expect(at([0, 0, 0, 0])[4]!.outcome).toMatchObject({ kind: 'none', reason: 'separable' });
    expect(at([-1, -1, -1, -1])[4]!.outcome).toMatchObject({ kind: 'none', reason: 'no-labels' });
  });

  test('D empty selects nothing, and SupportCal is DACA', () => {
    const given = { target: rows([2, 0]), ownBase: rows([1, 0]), pool: [0, 1, 2, 3].map(() => rows([1, 0])) };
    const { outcomes } = calibrateTarget(inputOf(given, ['daca', 'supportcal'])).fit(Int32Array.of(0, 1, 2, 3));
    expect(outcomes[1]).toMatchObject({ selectedReferences: null, disagreementSupport: null });
    expect(outcomes[1]!.outcome).toEqual(outcomes[0]!.outcome);
  });
});

describe('input that the mathematics is not made for is refused', () => {
  const ok = { target: [[1, 0]], ownBase: [[1, 0]], pool: [0, 1, 2, 3].map(() => [[1, 0]]) };
  const faultsOf = (work: () => unknown): readonly string[] => {
    try {
      work();
    } catch (error) {
      if (error instanceof SupportCalError) return error.faults.map(({ message }) => message);
      throw error;
    }
    return [];
  };

  test('M above the pool names the pool', () => {
    expect(faultsOf(() => calibrateTarget(inputOf(ok, ['supportcal'], [5])))[0]).toContain('a, b, c, d');
    expect(faultsOf(() => calibrateTarget(inputOf(ok, ['daca'], [5])))).toEqual([]);
  });

  test('NaN, infinite and missing logits, all rows at once', () => {
    const bad = { ...ok, target: [[Number.NaN, 1], [Number.NEGATIVE_INFINITY, 0], []], ownBase: [[1, 0], [1, 0], []] };
    const pool = [0, 1, 2, 3].map(() => [[1, 0], [1, 0], []]);
    expect(faultsOf(() => calibrateTarget(inputOf({ ...bad, pool }, ['daca']))).length).toBeGreaterThanOrEqual(3);
  });

  test('logits beyond 1e100, whose differences and squares overflow', () => {
    const rows = (size: number) => raggedRows([[size, -size]]);
    const given = { references: [], methods: ['full-kl'], combinationSizes: [] };
    const target = (size: number) => calibrateTarget({ ...given, targetLogits: rows(size), ownBaseLogits: rows(1) });
    expect(() => target(1e101)).toThrow(/at most 1e\+100 from the target/);
    expect(target(1e100).fit(Int32Array.of(0)).outcomes[0]!.outcome).toMatchObject({ kind: 'finite' });
    // The other end: a temperature that float64 cannot invert.
    expect(target(1e-310).fit(Int32Array.of(0)).outcomes[0]!.outcome).toMatchObject({ reason: 'constant-logits' });
  });

  test('rows that do not match, an unknown method, a label that is no option', () => {
    expect(faultsOf(() => calibrateTarget(inputOf({ ...ok, ownBase: [[1, 0, 0]] }, ['daca'])))[0]).toContain(
      'own base',
    );
    expect(faultsOf(() => calibrateTarget(inputOf(ok, ['dacca'])))[0]).toContain('daca');
    const labelled = { ...inputOf(ok, ['oracle-ts']), labels: Int32Array.of(2) };
    expect(faultsOf(() => calibrateTarget(labelled))[0]).toContain('from 0 to 1');
  });
});

test('a new method is one entry of the table', () => {
  const half = { name: 'half', needs: 'own-base', weight: () => 0.5 } as const;
  const given = { target: [[2, 0]], ownBase: [[1, 0]], pool: [] };
  const input = { ...inputOf(given, ['half'], []), methodTable: [half] };
  const [own] = calibrateTarget(input).fit(Int32Array.of(0)).outcomes;
  expect(own!.outcome.kind === 'finite' && own!.outcome.temperature).toBeCloseTo(2, 10);
});

test('a method may weigh by the logits of an example, which it gets as copies', () => {
  const entry = {
    name: 'first-alone',
    needs: 'own-base',
    weight: ({ targetLogits, ownBaseLogits }: UnlabelledSplit, n: number) => {
      const [target, ownBase] = [targetLogits(n), ownBaseLogits(n)];
      seen.push([...target, ...ownBase]);
      target.fill(9);
      ownBase.fill(9);
      return n === 0 ? 1 : 0;
    },
  } as const;
  const seen: number[][] = [];
  const given = {
    target: [
      [2, 0],
      [3, 8],
    ],
    ownBase: [
      [1, 0],
      [5, 6],
    ],
    pool: [],
  };
  const input = { ...inputOf(given, ['first-alone', 'full-kl'], []), methodTable: [entry, ...CALIBRATION_METHODS] };
  const [own, full] = calibrateTarget(input).fit(Int32Array.of(0, 1)).outcomes;
  expect(seen).toEqual([
    [0, -2, 1, 0],
    [-5, 0, 5, 6],
  ]);
  expect(own!.outcome).toMatchObject({ kind: 'finite', temperature: expect.closeTo(2, 10) });
  expect(full!.outcome.kind === 'finite' && full!.outcome.temperature).toBeGreaterThan(2.5);
});

test('a row that a model is certain of takes part in no fit, whichever model it is', () => {
  const rows = (seed: number) => Array.from({ length: 12 }, (_, n) => [Math.sin(seed + n), Math.cos(seed * n), n / 9]);
  const given = { target: rows(1), ownBase: rows(2), pool: [3, 4, 5, 6].map(rows) };
  const others = [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11];
  for (const certain of [given.target, given.ownBase, given.pool[3]!]) {
    const kept = certain[7]!;
    certain[7] = [0, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const target = calibrateTarget(inputOf(given, KL));
    const all = target.fit(Int32Array.from(given.target.keys()));
    expect(all.calibrationCount).toBe(11);
    expect(all).toEqual(target.fit(Int32Array.from(others)));
    expect(target.open(Int32Array.of(6, 7, 8)).count).toBe(2);
    certain[7] = kept;
  }
  expect(calibrateTarget(inputOf(given, KL)).fit(Int32Array.from(given.target.keys())).calibrationCount).toBe(12);
});

describe('methods that are not of the paper', () => {
  const rows = (seed: number) => Array.from({ length: 8 }, (_, n) => [Math.sin(seed + n), Math.cos(seed * n), n / 9]);
  const given = { target: rows(1), ownBase: rows(2), pool: [3, 4, 5, 6].map(rows) };
  const all = Int32Array.from(given.target.keys());
  const own = (weight: (split: UnlabelledSplit, n: number) => number) => {
    const method = { name: 'mine', needs: 'own-base' as const, weight };
    return calibrateTarget({ ...inputOf(given, ['mine']), methodTable: [method] }).fit(all).outcomes[0]!;
  };

  test('a temperature that is set is that temperature, without references', () => {
    expect(calibrateTarget(inputOf(given, ['vanilla'])).fit(all).outcomes).toMatchObject([
      {
        method: 'vanilla',
        combinationSize: null,
        outcome: { kind: 'finite', temperature: 1 },
        selectedReferences: null,
      },
    ]);
  });

  test('what a weight writes to the logits that it is given changes no fit', () => {
    const quiet = own((split, n) => split.ownBaseLogits(n)[0]! ** 2);
    const noisy = own((split, n) => {
      const value = split.ownBaseLogits(n)[0]! ** 2;
      split.ownBaseLogits(n).fill(9);
      split.targetLogits(n).fill(9);
      split.disagreement.fill(1);
      split.ownBaseSupport.fill(9);
      return value;
    });
    expect(noisy).toEqual(quiet);
  });

  test.each<[unknown, string]>([
    [Promise.resolve(1), 'a promise'],
    [{}, 'an object'],
    [null, 'null'],
    [undefined, 'undefined'],
    ['x'.repeat(99), JSON.stringify('x'.repeat(60))],
    [-1, '-1'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
  ])('a weight of %j is refused as what it is', (value, shown) => {
    expect(() => own(() => value as number)).toThrow(
      `the method "mine" gave ${shown} for an example; expected a weight of 0 or more, a finite number`,
    );
  });
});

test('a row of logits that no softmax has is named by its number, counted from 1', () => {
  const good = [
    [1, 0],
    [2, 0],
    [3, 0],
  ];
  const input = {
    targetLogits: raggedRows(good),
    ownBaseLogits: raggedRows([
      [1, 0],
      [2, 0],
      [Number.NaN, 0],
    ]),
    references: [],
    methods: ['daca'],
    combinationSizes: [],
  };
  expect(() => calibrateTarget(input)).toThrow(
    expect.objectContaining({ faults: [expect.objectContaining({ row: '3' })] }),
  );
});

test('the divergences of an opened split are those of Eq. (ell), at every temperature', () => {
  fc.assert(
    fc.property(randomTarget, fc.double({ min: 0.01, max: 3, noNaN: true }), (given, beta) => {
      const [target, ownBase] = [raggedRows(given.target), raggedRows(given.ownBase)];
      const input = {
        targetLogits: target,
        ownBaseLogits: ownBase,
        references: [],
        methods: ['daca'],
        combinationSizes: [],
      };
      const { divergences } = calibrateTarget(input).open(Int32Array.from(given.target.keys()));
      for (const [n, value] of klDivergences(target, ownBase, beta).entries())
        expect(divergences(beta)[n]).toBeCloseTo(value, 8);
    }),
    SEEDED,
  );
});
