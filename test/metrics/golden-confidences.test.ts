import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { riskCoverage } from '../../src/metrics/aurc.js';
import { auroc } from '../../src/metrics/auroc.js';
import { type BinErrors, binErrors, eceOfBins } from '../../src/metrics/bins/bin-errors.js';
import { equalMassBins } from '../../src/metrics/bins/equal-mass-bins.js';
import { rankedConfidences } from '../../src/metrics/bins/ranked-confidences.js';
import { reliabilityBins } from '../../src/metrics/bins/reliability-bins.js';
import { ece } from '../../src/metrics/ece.js';
import { evaluate } from '../../src/metrics/evaluate.js';
import { smoothEce } from '../../src/metrics/smooth-ece.js';
import { raggedRows } from '../../src/numeric/ragged-rows.js';

interface ConfidenceCase {
  name: string;
  confidences: number[];
  correct: number[];
  bins: number;
  left: BinErrors;
  right: BinErrors;
  adaptiveEce: number | null;
  smoothEce: number;
  auroc: number | null;
  aurc: number | null;
  bestAurc: number;
}

interface LogitCase {
  name: string;
  logits: number[][];
  labels: number[];
  beta: number;
  bins: number;
  brier: number;
  parts: Record<string, number>;
  nll: number;
  auroc: number | null;
}

const read = <T>(name: string) =>
  JSON.parse(readFileSync(new URL(`../fixtures/metrics/${name}`, import.meta.url), 'utf8')) as T[];

function close(got: number | null, want: number | null, what: string, tolerance = 1e-12): void {
  if (want === null) expect(got, what).toBeNull();
  else expect(Math.abs(got! - want), what).toBeLessThan(tolerance);
}

describe('metrics of confidences equal those of other programs', () => {
  const cases = read<ConfidenceCase>('confidences.json');
  const ERRORS = ['ece', 'mce', 'rmsCe', 'debiasedEce', 'debiasedRmsCe'] as const;

  test.each(cases)('$name: binned errors under both edge rules', ({ confidences, correct, bins, left, right }) => {
    for (const [edgeRule, want] of [['left-owned', left] as const, ['right-owned', right] as const]) {
      const got = binErrors(reliabilityBins(confidences, correct, { bins, edgeRule }));
      for (const field of ERRORS) close(got[field], want[field], `${edgeRule} ${field}`);
      close(ece(confidences, correct, { bins, edgeRule }), want.ece, edgeRule);
    }
  });

  test.each(cases)('$name: equal-mass, smooth, AUROC and AURC', (each) => {
    const ranked = rankedConfidences(each.confidences, each.correct);
    if (each.adaptiveEce !== null) {
      close(eceOfBins(equalMassBins(ranked, each.bins)), each.adaptiveEce, 'adaptiveEce');
    }
    close(smoothEce(ranked), each.smoothEce, 'smoothEce', 1e-9);
    close(auroc(ranked), each.auroc, 'auroc');
    const { aurc, excessAurc } = riskCoverage(ranked);
    if (each.aurc === null) return;
    close(aurc, each.aurc, 'aurc');
    close(excessAurc, each.aurc - each.bestAurc, 'excessAurc');
  });
});

describe('metrics of logits equal those of scikit-learn, the parts of the Brier score those of the raw rows', () => {
  test.each(read<LogitCase>('logits.json'))('$name', ({ logits, labels, beta, bins, ...want }) => {
    const got = evaluate(
      { logits: raggedRows(logits), indexes: Int32Array.from(labels.keys()), labels: Int32Array.from(labels) },
      beta,
      { bins },
    )!;
    close(got.brier, want.brier, 'brier');
    close(got.nll, want.nll, 'nll');
    close(got.auroc, want.auroc, 'auroc');
    for (const [part, value] of Object.entries(want.parts)) close(got.brierParts[part as 'resolution'], value, part);
  });
});
