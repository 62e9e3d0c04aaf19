import { expect, test } from 'vitest';
import { calibrateTarget } from '../../../src/calibration/calibrate-target.js';
import { raggedRows } from '../../../src/numeric/ragged-rows.js';
import { combinationRows } from '../../../src/pipeline/diagnostics/combination-rows.js';

test('a pool with too many combinations gives a warning with their number, other sizes are still listed', () => {
  const rows = (shift: number) =>
    raggedRows([0, 1, 2, 3].map((n) => [Math.sin(n + shift), Math.cos(3 * n + shift), 0]));
  const references = Array.from({ length: 24 }, (_, r) => ({ id: `r${r}`, logits: rows(r) }));
  const calibration = calibrateTarget({
    targetLogits: rows(0),
    ownBaseLogits: rows(2),
    references,
    methods: ['supportcal'],
    combinationSizes: [1, 12],
  });
  const all = Int32Array.of(0, 1, 2, 3);
  const split = { seed: 1, calibration: all, evaluation: all };
  const listed = combinationRows(calibration, [1, 12], [split]);
  expect(listed.rows).toHaveLength(24);
  expect(listed.warning).toContain('2,704,156 of size M = 12');
});
