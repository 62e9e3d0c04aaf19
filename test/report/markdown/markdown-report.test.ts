import { expect, test } from 'vitest';
import { renderReliabilityFigures } from '../../../src/report/figure/reliability/reliability-figures.js';
import { escapeMarkdown } from '../../../src/report/markdown/escape-markdown.js';
import { renderMarkdownReport } from '../../../src/report/markdown/markdown-report.js';
import type { Diagnostics } from '../../../src/results/diagnostics-schema.js';
import type { Results } from '../../../src/results/results-schema.js';
import { type ExampleShape, exampleDiagnostics, exampleResults } from '../example-results.js';

function render(results: Results, diagnostics: Diagnostics = exampleDiagnostics()): string {
  return renderMarkdownReport(results, diagnostics, renderReliabilityFigures(diagnostics));
}

test('the first lines say what was calibrated, the macro ECE and how to read it', () => {
  const lines = render(exampleResults()).split('\n');
  const head = lines.slice(0, 25).join('\n');
  expect(lines[0]).toBe('# Calibration report: suite demo');
  expect(head).toContain('5 post-trained models on 3 data sets, 5 seeds (1, 2, 3, 4, 5)');
  expect(head).toContain('| Data set | Vanilla | DACA | Full KL |');
  expect(head).toContain('**How to read.**');
  expect(head).not.toContain('Partial');
});

test('experimental methods are marked and explained, where a run has one', () => {
  expect(render(exampleResults())).not.toContain('(exp.)');
  const renamed = exampleResults({}, (run) =>
    run.method === 'full-kl' ? { ...run, method: 'accuracy-matched' } : run,
  );
  const text = render(renamed);
  expect(text).toContain('| Acc.-matched (exp.) |');
  expect(text).toMatch(
    /marks experimental methods, not of the paper\. They set the mean confidence: Acc\.-matched to the mean/,
  );
});

test('a partial run says so before anything else and lists what is missing, capped and counted', () => {
  const skipped = Array.from({ length: 60 }, (_, i) => ({
    dataset: 'demo-facts',
    model: 'm',
    example: i === 0 ? null : `q|${i}`,
    reason: 'prompt too long',
  }));
  const text = render({ ...exampleResults(), status: 'partial', skipped });
  expect(text.split('\n')[2]).toMatch(
    /^> \*\*Partial run: 1 model left out on some data sets \(m on demo-facts\), 59 example scores missing\.\*\*/,
  );
  expect(text).toContain('60 entries.');
  expect(text).toContain('| demo-facts | m | q\\|49 | prompt too long |');
  expect(text).not.toContain('q\\|50');
  expect(text).toContain('and 10 more rows');
});

test('the lowest method is named whichever it is, and the duel with DACA is counted', () => {
  const results = exampleResults({ datasets: ['d'], targets: ['a', 'b', 'c'], seeds: [1] }, (run) => {
    const low = run.method === 'full-kl' ? 0.01 : run.method === 'oracle-ts' ? 0.001 : 0.2;
    const duel = run.method === 'supportcal' && run.combinationSize === 1 && run.target !== 'b' ? 0.19 : low;
    return { ...run, ece: duel };
  });
  const text = render(results);
  expect(text).toContain('**d**: lowest macro ECE: Full KL (1.00 pp; not told from SupportCal (1));');
  expect(text).toContain('SupportCal (1) is lower than DACA in 2 of 3 targets and equal in 1');
  expect(text).toContain('SupportCal (2) is lower than DACA in 0 of 3 targets and equal in 3');
});

test('temperatures are means of the finite ones, infinite ones are counted beside them', () => {
  const results = exampleResults({ datasets: ['d'], targets: ['t'], seeds: [1, 2, 3] }, (run) => {
    if (run.method !== 'daca') return run;
    if (run.seed === 1) return { ...run, temperature: null, temperatureKind: 'infinite', temperatureReason: 'margin' };
    return { ...run, temperature: run.seed };
  });
  expect(render(results)).toContain('| t | 1.000 | 2.500, ∞ 1/3 |');
});

test('few evaluation examples and low option mass are warned about', () => {
  const quiet = render(exampleResults({ evaluationCount: 300 }));
  expect(quiet).not.toContain('**Warning:**');
  const diagnostics = exampleDiagnostics();
  diagnostics.models[0]!.medianOptionMass = 0.31;
  const text = render(exampleResults({ evaluationCount: 299 }), diagnostics);
  expect(text).toContain(
    '**Warning:** 299 evaluation examples per seed. Below 300, ECE is biased upwards and small differences mean ' +
      'nothing; a verdict, which allows for both, takes 100 with labels.',
  );
  expect(text).toContain('median option mass below 0.5: llama-demo (0.310)');
});

test('every figure is linked with its alternative text', () => {
  const shape: ExampleShape = { datasets: ['d'], targets: ['t'] };
  const text = render(exampleResults(shape), exampleDiagnostics(shape));
  expect(text).toMatch(/!\[Reliability of t on d, all seeds pooled\. .*ECE.*\]\(figures\/reliability--d--t\.svg\)/);
});

test('the rules behind the numbers and the versions are stated', () => {
  const text = render(exampleResults());
  for (const part of [
    'equal width, left edge owned',
    'fisher-yates xoroshiro',
    'sqrt(seeds)',
    'node-llama-cpp 3.22.1',
  ]) {
    expect(text).toContain(part);
  }
});

test('a model that failed altogether and a data set without labels still make a report', () => {
  const bare = exampleResults({ datasets: ['d'], targets: ['t'] }, (run) => ({
    ...run,
    accuracy: null,
    ownBaseAccuracy: null,
    ece: null,
    meanConfidence: null,
  }));
  const text = render(bare, { schemaVersion: 1, reliability: [], models: [] });
  expect(text).toContain('| t | n/a | n/a | n/a |');
  expect(text).not.toMatch(/NaN|undefined|Infinity/);
  expect(render({ ...bare, runs: [], summary: [], macro: [] })).toContain('0 post-trained models on 0 data sets');
});

test('text from data shows literally in Markdown', () => {
  expect(escapeMarkdown('a|b `c` [x](javascript:y) <b>B</b> & *s* _u_ ~~d~~')).toBe(
    'a\\|b \\`c\\` \\[x\\](javascript:y) &lt;b&gt;B&lt;/b&gt; &amp; \\*s\\* \\_u\\_ \\~\\~d\\~\\~',
  );
  expect(['# h', '- x', '+ x', '1. x', '2) x', 'a\nb'].map(escapeMarkdown)).toEqual([
    ...['\\# h', '\\- x', '\\+ x', '1\\. x', '2\\) x', 'a b'],
  ]);
  expect(escapeMarkdown('https://x.org www.x.org')).toBe('https\\://x.org www\\.x.org');
});

test('hostile names break no table and bring no markup into the report', () => {
  const name = '</script><img src=x onerror=alert(1)>|`[a](javascript:x)\n# top';
  const shape: ExampleShape = { datasets: [name], targets: [name] };
  const text = render(exampleResults(shape), exampleDiagnostics(shape));
  expect(text).not.toMatch(/<img|<script|<\/script/);
  expect(text.match(/^# /gm)).toHaveLength(1);
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  for (const row of rows) expect(row.replaceAll('\\|', '').endsWith(' |')).toBe(true);
});

test('differences from DACA stand with interval, p-value and adjusted p-value, whichever way round they were compared', () => {
  const results = exampleResults({ datasets: ['d'], targets: ['a', 'b'], seeds: [1, 2] });
  const pair = {
    dataset: 'd',
    combinationSizeA: null,
    combinationSizeB: null,
    targets: 1,
    resamples: 99,
    signedDifferencePp: 0,
    standardErrorPp: 1,
    pValueHolm: 0.9,
  };
  const comparisons = [
    {
      ...pair,
      target: 'a',
      methodA: 'full-kl',
      methodB: 'daca',
      differencePp: 1.5,
      lowPp: 0.5,
      highPp: 2,
      pValue: 0.0002,
    },
    { ...pair, target: 'b', methodA: 'daca', methodB: 'full-kl', differencePp: 1, lowPp: -2, highPp: 3, pValue: 0.4 },
    ...[1, 2].map((size) => ({
      ...pair,
      target: null,
      methodA: 'supportcal',
      combinationSizeA: size,
      methodB: 'daca',
      targets: 2,
      differencePp: -0.25,
      lowPp: -1,
      highPp: 0.5,
      pValue: 0.6,
    })),
  ];
  const bootstrap = { resamples: { d: 99 }, level: 0.95, rule: 'percentile', generator: 'g' };
  const summary = results.summary.map((row) => ({
    ...row,
    eceLowPp: 1,
    eceHighPp: 9,
    eceTotalSePp: 2.5,
    calibratedMeanPp: 3,
    calibratedHighPp: 4.5,
    calibratedPValue: 0.04,
  }));
  const text = render({ ...results, summary, comparisons, protocol: { ...results.protocol, bootstrap } });
  expect(text).toContain('### Uncertainty');
  expect(text).toContain('| a | [1.00, 9.00] |');
  expect(text).toContain('| a | 2.50 |');
  expect(text).toContain('| a | 3.00; 4.50; p = 0.040 |');
  expect(text).toMatch(/Over models: tests and errors of the macro average are about new examples for these 2 targets/);
  expect(text).toContain('+1.50 [0.50, 2.00], p < 0.001, adjusted 0.900');
  expect(text).toContain('-1.00 [-3.00, 2.00], p = 0.400, adjusted 0.900');
  expect(text).toContain('(on average -0.25 [-1.00, 0.50], p = 0.600, adjusted 0.900)');
  expect(render(results)).not.toContain('### Uncertainty');
});
