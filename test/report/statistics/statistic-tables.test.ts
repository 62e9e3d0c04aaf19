import { describe, expect, test } from 'vitest';
import { midranks, rankCorrelation } from '../../../src/report/statistics/rank-correlation.js';
import { statisticTables } from '../../../src/report/statistics/statistic-tables.js';
import { buildPaperTable } from '../../../src/report/table/paper-table.js';
import type { Results } from '../../../src/results/results-schema.js';
import { exampleDiagnostics, exampleResults } from '../example-results.js';

const DATASET = 'demo-facts';

function tablesOf(results: Results, diagnostics = exampleDiagnostics({ datasets: [DATASET] })) {
  const tables = statisticTables(buildPaperTable(results, DATASET), results, diagnostics);
  return (title: string) => tables.find((table) => table.title.startsWith(title));
}

describe('ranks', () => {
  test('equal values share the middle of their ranks, and nothing is made up for what is missing', () => {
    expect(midranks([3, 1, null, 3, 2])).toEqual([3.5, 1, null, 3.5, 2]);
  });

  test('tau-b is that of Kendall', () => {
    // scipy.stats.kendalltau([1, 2, 3, 4, 5], [2, 1, 3, 5, 4]) = 0.6; with ties ([1, 2, 2, 3], [1, 3, 2, 3]) 0.8.
    expect(rankCorrelation([1, 2, 3, 4, 5], [2, 1, 3, 5, 4])).toBeCloseTo(0.6, 12);
    expect(rankCorrelation([1, 2, 2, 3], [1, 3, 2, 3])).toBeCloseTo(0.8, 12);
    expect(rankCorrelation([1, 1, 1], [1, 2, 3])).toBeNull();
  });

  test('an order that another measure turns round is said, with who is first then', () => {
    const results = exampleResults({ datasets: [DATASET] }, (run) => ({
      ...run,
      ece15: run.ece,
      ece20: run.ece,
      adaptiveEce: run.ece,
      smoothEce: run.ece,
      debiasedEce: run.ece,
      brier: run.ece,
      nll: run.ece === null ? null : 1 - run.ece,
    }));
    const ranks = tablesOf(results)('Does the order');
    const last = ranks?.rows.at(-1);
    expect(last).toEqual(["Kendall's τ with ECE", '', ...Array(6).fill('1.00'), '-1.00']);
    expect(ranks?.note).toMatch(
      /^Lowest by ECE: (.*); not by NLL \(Vanilla\)\. The whole order is that of ECE in 6 of 7/,
    );
    const [vanilla] = ranks?.rows ?? [];
    expect(vanilla?.[0]).toBe('Vanilla');
    expect(vanilla?.[1]).toMatch(/^6 \(/);
    expect(vanilla?.[8]).toMatch(/^1 \(/);
  });
});

test('power is 2.80 total standard errors for one comparison, and more where a level is shared', () => {
  const results = exampleResults({ datasets: [DATASET], targets: ['a', 'b'] });
  const compared = {
    dataset: DATASET,
    methodA: 'supportcal',
    combinationSizeA: 1,
    methodB: 'daca',
    combinationSizeB: null,
  };
  const tested = {
    differencePp: 1,
    signedDifferencePp: 1,
    lowPp: 0,
    highPp: 2,
    pValue: 0.2,
    pValueHolm: 0.4,
    resamples: 100,
  };
  const comparisons = [
    { ...compared, ...tested, target: 'a', targets: 1, standardErrorPp: 1 },
    { ...compared, ...tested, target: 'b', targets: 1, standardErrorPp: 2 },
    { ...compared, ...tested, target: null, targets: 2, standardErrorPp: 0.5 },
  ];
  const power = tablesOf({ ...results, comparisons })('Power');
  const at = power?.head.indexOf('SupportCal (1)') ?? -1;
  // (1.959964 + 0.841621) and, for two pairs, (2.241403 + 0.841621) standard errors.
  expect(power?.rows.map((row) => row[at])).toEqual(['2.80 (3.08)', '5.60 (6.17)', '1.40 (1.40)']);
  expect(power?.note).toContain('With 560 labelled examples a split');
  expect(power?.note).toContain('about 4.20 pp, of the mean over these targets 1.40 pp');
});

test('a run without comparisons, regret and curves has the ranks alone', () => {
  const results = exampleResults({ datasets: [DATASET] });
  const tables = statisticTables(
    buildPaperTable(results, DATASET),
    results,
    exampleDiagnostics({ datasets: [DATASET] }),
  );
  expect(tables.map(({ title }) => title)).toEqual(['Does the order of the methods survive another measure?']);
});

test('regret and risk stand in the columns of their methods, what is infinite is counted', () => {
  const results = exampleResults({ datasets: [DATASET], targets: ['a'] });
  const of = { dataset: DATASET, target: 'a', method: 'daca', combinationSize: null };
  const regret = [
    {
      ...of,
      fits: 5,
      eceRegretPp: 1.234,
      nllRegret: 0.01,
      eceTemperatureRatio: 1.5,
      nllTemperatureRatio: null,
      infinite: 2,
    },
  ];
  const points = [0.2, 0.5, 0.8, 1].map((coverage) => ({ coverage, count: 10, risk: 0.1, low: 0.05, high: 0.2 }));
  const ten = Array.from(
    { length: 10 },
    (_, i) => points.find(({ coverage }) => Math.round(10 * coverage) === i + 1) ?? points[0]!,
  );
  const riskCoverage = [{ ...of, seed: 1, examples: 560, points: ten }];
  const table = tablesOf(results, { ...exampleDiagnostics({ datasets: [DATASET] }), regret, riskCoverage });
  expect(table('Regret')?.rows).toEqual([['a', '1.23 (× 1.50 ∞ 2/5); 0.0100 (n/a)']]);
  expect(table('Selective')?.rows).toEqual([['a, DACA', '560', ...Array(4).fill('10.0 [5.0, 20.0]')]]);
});
