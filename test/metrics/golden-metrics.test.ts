import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { evaluate } from '../../src/metrics/evaluate.js';
import { raggedRows } from '../../src/numeric/ragged-rows.js';

interface Case {
  name: string;
  target: number[][];
  labels: number[];
  beta: number;
  bins: number;
  expected: Record<string, number | null>;
}

const cases = JSON.parse(
  readFileSync(new URL('../fixtures/calibration/metrics.json', import.meta.url), 'utf8'),
) as Case[];
const EXACT = 'count accuracy meanConfidence ece mce adaptiveEce classwiseEce smoothEce brier nll auroc'.split(' ');

describe('metrics equal those of numpy, netcal, relplot and mpmath', () => {
  test.each(cases)('$name', ({ target, labels, beta, bins, expected }) => {
    const got = evaluate(
      { logits: raggedRows(target), indexes: Int32Array.from(labels.keys()), labels: Int32Array.from(labels) },
      beta,
      { bins },
    )!;
    for (const name of EXACT) {
      const value = got[name as 'ece'];
      // Groups of equal mass have no single answer where confidences are tied.
      if (name === 'adaptiveEce' && expected[name] === null) continue;
      if (expected[name] === null) expect(value, name).toBeNull();
      else expect(Math.abs(value - expected[name]!), name).toBeLessThan(1e-12 * Math.max(1, Math.abs(value)));
    }
  });
});
