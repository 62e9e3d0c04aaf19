import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { calibrateTarget } from '../../src/calibration/calibrate-target.js';
import { raggedRows } from '../../src/numeric/ragged-rows.js';

interface Expected {
  method: string;
  M: number | null;
  kind: string;
  temperature?: number;
  reason?: string;
  margin: number | null;
  selected?: string[] | null;
  ds?: number | null;
}

interface Case {
  name: string;
  target: number[][];
  ownBase: number[][];
  references: Record<string, number[][]>;
  labels: number[];
  calibration: number[];
  sizes: number[];
  expected: Expected[];
}

const cases = JSON.parse(
  readFileSync(new URL('../fixtures/calibration/cases.json', import.meta.url), 'utf8'),
) as Case[];

describe('kinds, temperatures, M_w, S* and DS equal those of 60-digit arithmetic', () => {
  test.each(cases)('$name', (given) => {
    const { outcomes } = calibrateTarget({
      targetLogits: raggedRows(given.target),
      ownBaseLogits: raggedRows(given.ownBase),
      references: Object.entries(given.references).map(([id, rows]) => ({ id, logits: raggedRows(rows) })),
      labels: Int32Array.from(given.labels),
      methods: ['daca', 'full-kl', 'relative-only', 'supportcal', 'oracle-ts'],
      combinationSizes: given.sizes,
    }).fit(Int32Array.from(given.calibration));

    expect(outcomes.map(({ method, combinationSize }) => [method, combinationSize])).toEqual(
      given.expected.map(({ method, M }) => [method, M]),
    );
    outcomes.forEach(({ outcome, selectedReferences, disagreementSupport }, i) => {
      const want = given.expected[i]!;
      const name = `${want.method} ${want.M ?? ''}`;
      expect([name, outcome.kind, outcome.kind === 'none' ? outcome.reason : undefined]).toEqual([
        name,
        want.kind,
        want.reason,
      ]);
      if (outcome.kind === 'finite') expect(outcome.temperature / want.temperature!, name).toBeCloseTo(1, 10);
      expectClose(outcome.weightedBoundaryMargin, want.margin);
      expect(selectedReferences).toEqual(want.selected ?? null);
      expectClose(disagreementSupport, want.ds ?? null);
    });
  });
});

function expectClose(got: number | null, want: number | null): void {
  if (got === null || want === null) expect(got).toBe(want);
  else expect(Math.abs(got - want)).toBeLessThanOrEqual(1e-12 * Math.max(Math.abs(want), 1e-3));
}
