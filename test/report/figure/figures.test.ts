import { expect, test } from 'vitest';
import { figures as drawFigures } from '../../../src/report/figure/figures.js';
import type { Diagnostics } from '../../../src/results/diagnostics-schema.js';
import type { Results } from '../../../src/results/results-schema.js';
import { verdictsOf } from '../../../src/results/verdict/verdicts-of.js';
import { exampleDiagnostics, exampleResults } from '../example-results.js';

const figures = (results: Results, diagnostics: Diagnostics) => drawFigures(results, diagnostics, verdictsOf(results));

const HOSTILE = '</script><img src=x onerror=alert(1)>\u0000"';
const shape = { datasets: ['d'], targets: ['t', 'u'] };

const point = (x: number, eceMean: number | null) => ({
  x,
  eceMean,
  eceSe: eceMean === null ? null : 0.01,
  temperatureMean: 2,
  infinite: 0,
  none: 0,
  fits: 5,
  calibrationCount: 100,
});

/** A curve with its minimum at beta = 1, or for a margin of 0 or below at 0. */
function lossOf(dataset: string, target: string, method: string, weightedBoundaryMargin: number) {
  const finite = weightedBoundaryMargin > 0;
  return {
    dataset,
    target,
    method,
    combinationSize: finite ? null : 1,
    seed: 1,
    weightedBoundaryMargin,
    step: 0.5,
    ...(finite
      ? { temperatureKind: 'finite' as const, inverseTemperature: 1, loss: 0.1, losses: [0.4, 0.2, 0.1, 0.3] }
      : { temperatureKind: 'infinite' as const, inverseTemperature: 0, loss: 0.2, losses: [0.2, 0.5, 0.9, 1.4] }),
  };
}

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
    loss: [lossOf(dataset, target, 'daca', 0.5), lossOf(dataset, target, 'supportcal', -0.4)],
    models: [
      {
        dataset,
        model: target,
        examples: 9,
        failed: 0,
        accuracy: 0.5,
        meanConfidence: 0.7,
        ece: 0.1,
        medianOptionMass: 0.97,
        optionMassHistogram: { start: 0, width: 0.5, counts: [0, 9] },
        medianPromptTokens: 33,
        promptTokensHistogram: { start: 32.5, width: 1, counts: [6, 3] },
      },
    ],
  };
}

test('every list of a run has its figure, each with title, description, role and the numbers behind it', () => {
  const all = figures(exampleResults(shape), fullDiagnostics('d', 't'));
  expect(new Set(all.map(({ kind }) => kind))).toEqual(
    new Set([
      ...[
        'card',
        'before-after',
        'ece',
        'reliability',
        'temperature',
        'disagreement',
        'reintroduction',
        'sample-size',
        'sensitivity',
      ],
      ...['weight-margin', 'loss', 'option-mass', 'prompt-length'],
    ]),
  );
  expect(new Set(all.map(({ path }) => path)).size).toBe(all.length);
  for (const { svg, title, alt, table } of all) {
    expect(svg).toMatch(/^<svg [^>]*role="img"[^>]*aria-labelledby="\S+-title \S+-desc"/);
    expect(svg).toMatch(/<title id="[^"]+">[^<]+<\/title>/);
    expect(title.length).toBeGreaterThan(3);
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
  expect(svg).toContain('>DACA, seed 1: τ = ∞</title><use');
  expect(svg.match(/<use [^>]*class="f-paper s-ochre"/g)).toHaveLength(1);
  expect(alt).toContain('1 fits of 8 have their optimum at infinity');
  expect(table.rows).toContainEqual(['t', 'DACA', 1, null, 'infinite']);
});

test('seeds without a finite temperature stand side by side, so that they can be counted', () => {
  const results = exampleResults(shape, (run) =>
    run.method === 'daca' && run.target === 't' ? { ...run, temperature: null, temperatureKind: 'infinite' } : run,
  );
  const { svg } = figures(results, exampleDiagnostics(shape)).find(({ kind }) => kind === 'temperature')!;
  const places = [...svg.matchAll(/τ = ∞<\/title><use href="[^"]*" x="([\d.]+)"/g)].map((each) => Number(each[1]));
  expect(new Set(places).size).toBe(results.protocol.seeds.length);
});

test('a panel of several curves without a valley says once what their limit is', () => {
  const diagnostics = fullDiagnostics('d', 't');
  const loss = [lossOf('d', 't', 'full-kl', -0.2), lossOf('d', 't', 'supportcal', -0.4)];
  const { svg } = figures(exampleResults(shape), { ...diagnostics, loss }).find(({ kind }) => kind === 'loss')!;
  const notes = [...svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)"[^>]*>τ = ∞<\/text>/g)].map((each) =>
    each.slice(1, 3),
  );
  // Its halo and itself.
  expect(notes).toHaveLength(2);
  expect(notes[0]).toEqual(notes[1]);
});

test('a loss has its minimum marked: filled in a valley, hollow with a rising tangent at beta = 0', () => {
  const { svg, alt, table } = figures(exampleResults(shape), fullDiagnostics('d', 't')).find(
    ({ kind }) => kind === 'loss',
  )!;
  expect(svg).toContain('>DACA: β* = 1.00, τ* = 1.000, loss 0.100</title>');
  expect(svg).toContain('>SupportCal (1): least at β = 0, τ = ∞; slope there 0.400</title>');
  expect(svg).toContain('>τ = ∞</text>');
  const tangents = [...svg.matchAll(/<\/title><line x1="(\S+)" y1="(\S+)" x2="(\S+)" y2="(\S+)"/g)].map((each) =>
    each.slice(1).map(Number),
  );
  const [valley, end] = tangents;
  expect(valley![1]).toBe(valley![3]);
  // Up is smaller in SVG.
  expect(end![0]).toBe(0);
  expect(end![3]!).toBeLessThan(end![1]!);
  expect(alt).toContain('1 of 2 curves only rise: t SupportCal (1)');
  expect(table.columns.slice(2, 9)).toEqual([
    ...['temperatureKind', 'seed', 'betaOfMinimum', 'minimum', 'weightedBoundaryMargin', 'step', 'lossAt0Steps'],
  ]);
  expect(table.rows).toContainEqual(['t', 'SupportCal (1)', 'infinite', 1, 0, 0.2, -0.4, 0.5, 0.2, 0.5, 0.9, 1.4]);
});

test('a histogram names the median of every model and lists the filled bins', () => {
  const all = figures(exampleResults(shape), fullDiagnostics('d', 't'));
  const [mass, length] = ['option-mass', 'prompt-length'].map((kind) => all.find((each) => each.kind === kind)!);
  expect(mass!.alt).toContain('Medians: t 0.970.');
  expect(mass!.table.rows).toEqual([['t', 0.5, 1, 9]]);
  expect(length!.svg).toContain('>33</text>');
  expect(length!.table.rows).toEqual([
    ['d', 32.5, 33.5, 6],
    ['d', 33.5, 34.5, 3],
  ]);
});

test('the ECE figure shows the means of results.json and every target with its standard error', () => {
  const results = exampleResults(shape);
  const figure = figures(results, exampleDiagnostics(shape)).find(({ kind }) => kind === 'ece')!;
  for (const { eceMeanPp } of results.macro) expect(figure.alt).toContain(eceMeanPp!.toFixed(2));
  for (const { target, eceMeanPp, eceSePp } of results.summary) {
    expect(figure.svg).toContain(`>${target}: ${eceMeanPp!.toFixed(2)} ± ${eceSePp!.toFixed(2)} pp</title>`);
  }
});

test.each([
  [0.002, 230, ['0.01', '0.1', '1', '10', '100']],
  [2.1, 40, ['2', '5', '10', '20']],
  [5, 11, ['5', '6', '7', '8', '9', '10']],
  [2, 2.05, ['1.79', '2.3']],
])('a logarithmic axis around %f to %f has few round ticks, or names its ends', (low, high, wanted) => {
  const results = exampleResults(shape, (run) => ({ ...run, temperature: run.method === 'daca' ? low : high }));
  const { svg } = figures(results, exampleDiagnostics(shape)).find(({ kind }) => kind === 'temperature')!;
  const ticks = /<g font-size="11" text-anchor="middle"[^>]*>(.*?)<\/g>/.exec(svg)![1]!;
  expect([...ticks.matchAll(/>([\d.]+)</g)].map((each) => each[1])).toEqual(wanted);
});

test('every marker and pattern that a figure refers to is defined in it, with an id that means the same everywhere', () => {
  const known = new Map<string, string>();
  for (const { svg } of figures(exampleResults(shape), fullDiagnostics('d', 't'))) {
    const defined = new Map([...svg.matchAll(/^<[^\n]* id="([^"]+)".*$/gm)].map((each) => [each[1]!, each[0]]));
    for (const [, id] of svg.matchAll(/(?:href="#|url\(#)([^")]+)/g)) expect([...defined.keys()]).toContain(id);
    for (const [id, element] of defined) {
      expect(known.get(id) ?? element).toBe(element);
      known.set(id, element);
    }
  }
  expect(known.size).toBeGreaterThan(8);
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
  const [line] = [...curves.svg.matchAll(/<path d="([^"]+)" [^>]*stroke-width="2"/g)];
  expect(line![1]!.match(/M/g)).toHaveLength(2);
});

test('risk by coverage is drawn before and with the method of the verdict, with bands to both ends of the intervals', () => {
  const points = [0.5, 1].map((coverage) => ({ coverage, count: 280, risk: 0.2, low: 0.1, high: 0.6 }));
  const of = (target: string, method: string, combinationSize: number | null) => ({
    dataset: 'd',
    target,
    method,
    combinationSize,
    seed: 1,
    examples: 560,
    points,
  });
  const riskCoverage = [of(HOSTILE, 'vanilla', null), of(HOSTILE, 'supportcal', 2), of(HOSTILE, 'supportcal', 1)];
  const hostile = exampleResults({ datasets: ['d'], targets: [HOSTILE] });
  const { svg, alt, table } = figures(hostile, { ...exampleDiagnostics(shape), riskCoverage }).find(
    ({ kind }) => kind === 'risk-coverage',
  )!;
  expect(alt).toContain('SupportCal (1) 20.0 of the surest half, 20.0 of all');
  expect(svg).not.toContain('<img');
  expect(svg).not.toContain('SupportCal (2)');
  expect(table.rows).toHaveLength(4);
  expect(table.rows[0]!.slice(2)).toEqual([0.5, 280, 0.2, 0.1, 0.6]);
  // The axis reaches the upper end of the band.
  expect(svg).toMatch(/>60</);
});
