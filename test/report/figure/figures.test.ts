import { expect, test } from 'vitest';
import { figures } from '../../../src/report/figure/figures.js';
import type { Diagnostics } from '../../../src/report/results-schema.js';
import { exampleDiagnostics, exampleResults } from '../example-results.js';

const HOSTILE = '</script><img src=x onerror=alert(1)>\u0000"';
const shape = { datasets: ['d'], targets: ['t', 'u'] };

const point = (x: number, eceMean: number | null) => ({
  ...{ x, eceMean, eceSe: eceMean === null ? null : 0.01, temperatureMean: 2, infinite: 0, none: 0, fits: 5 },
  calibrationCount: 100,
});

/** Every list of diagnostics.json, with a gap in a curve and an empty bin. */
function fullDiagnostics(dataset: string, target: string): Diagnostics {
  const points = [point(0, 0.05), point(0.5, null), point(1, 0.09)];
  const bins = [
    { lower: 0, upper: 50, count: 0, meanWeight: null, meanMargin: null },
    { lower: 50, upper: 100, count: 9, meanWeight: 0.4, meanMargin: 1 },
  ];
  return {
    ...exampleDiagnostics({ datasets: [dataset], targets: [target] }),
    disagreement: [{ dataset, target, ownBase: 'b', examples: 100, disagreements: 25, rate: 0.25 }],
    disagreementMedians: [{ dataset, targets: 1, median: 0.25 }],
    reintroduction: [null, target].flatMap((each) => [
      { dataset, target: each, weights: 'unit' as const, combinationSize: null, points },
      { dataset, target: each, weights: 'supportcal' as const, combinationSize: 1, points },
    ]),
    sampleSize: [{ dataset, target: null, method: 'supportcal', combinationSize: 2, points }],
    sensitivity: [{ dataset, target: null, points: [point(1, 0.05), point(2, 0.04)] }],
    weightByMargin: [{ dataset, target: null, combinationSize: 1, bins }],
  };
}

test('every list of a run has its figure, each with title, description, role and the numbers behind it', () => {
  const all = figures(exampleResults(shape), fullDiagnostics('d', 't'));
  expect(new Set(all.map(({ kind }) => kind))).toEqual(
    new Set([
      ...['ece', 'reliability', 'temperature', 'disagreement', 'reintroduction', 'sample-size', 'sensitivity'],
      'weight-margin',
    ]),
  );
  expect(new Set(all.map(({ path }) => path)).size).toBe(all.length);
  for (const { svg, title, alt, table } of all) {
    expect(svg).toMatch(/^<svg [^>]*role="img"[^>]*aria-labelledby="\S+-title \S+-desc"/);
    expect(svg).toContain(`>${title}</title>`);
    expect(alt.length).toBeGreaterThan(40);
    expect(table.rows.length).toBeGreaterThan(0);
    for (const row of table.rows) expect(row).toHaveLength(table.columns.length);
    expect(svg).not.toMatch(/NaN|Infinity|undefined|null/);
  }
});

test('names from data stay text in every figure', () => {
  const results = exampleResults({ datasets: [HOSTILE], targets: [HOSTILE] });
  const all = figures(results, fullDiagnostics(HOSTILE, HOSTILE));
  expect(all.length).toBeGreaterThan(6);
  for (const { svg } of all) expect(svg).not.toMatch(/<img|<script|<\/script|\p{Cc}(?<!\n)/u);
});

test('what was not measured has no figure', () => {
  const results = exampleResults(shape, (run) => ({ ...run, ece: null, temperature: null, temperatureKind: 'none' }));
  expect(figures(results, { schemaVersion: 1, reliability: [], models: [] })).toEqual([]);
});

test('a fit without a finite temperature is a hollow mark in a lane of its own, not a large number', () => {
  const draw = (infinite: boolean) => {
    const results = exampleResults({ ...shape, seeds: [1] }, (run) =>
      infinite && run.method === 'daca' && run.target === 't'
        ? { ...run, temperature: null, temperatureKind: 'infinite' as const }
        : run,
    );
    return figures(results, exampleDiagnostics(shape)).find(({ kind }) => kind === 'temperature')!;
  };
  expect(draw(false).svg).not.toContain('τ = ∞');
  const { svg, alt, table } = draw(true);
  expect(svg).toContain('>DACA, seed 1: τ = ∞</title><path');
  expect(svg.match(/class="f-paper s-ochre"/g)).toHaveLength(1);
  expect(alt).toContain('1 fits of 8 have their optimum at infinity');
  expect(table.rows).toContainEqual(['t', 'DACA', 1, null, 'infinite']);
});

test('the ECE figure shows the means of results.json and every target with its standard error', () => {
  const results = exampleResults(shape);
  const figure = figures(results, exampleDiagnostics(shape)).find(({ kind }) => kind === 'ece')!;
  for (const { eceMeanPp } of results.macro) expect(figure.alt).toContain(eceMeanPp!.toFixed(2));
  for (const { target, eceMeanPp, eceSePp } of results.summary) {
    expect(figure.svg).toContain(`>${target}: ${eceMeanPp!.toFixed(2)} ± ${eceSePp!.toFixed(2)} pp</title>`);
  }
});

test('colours turn dark on a dark screen, never on paper', () => {
  const [figure] = figures(exampleResults(shape), exampleDiagnostics(shape));
  expect(figure!.svg).toContain('@media screen and (prefers-color-scheme:dark)');
  expect(figure!.svg).toContain('fill="#FFFFFF" class="f-paper"');
});

test('a figure of a curve with a gap breaks its line there', () => {
  const curves = figures(exampleResults(shape), fullDiagnostics('d', 't')).find(
    ({ kind }) => kind === 'reintroduction',
  )!;
  const [line] = [...curves.svg.matchAll(/<path d="([^"]+)" [^>]*fill="none"/g)];
  expect(line![1]!.match(/M/g)).toHaveLength(2);
});
