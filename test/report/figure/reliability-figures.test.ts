import { expect, test } from 'vitest';
import { renderReliabilityFigures } from '../../../src/report/figure/reliability/reliability-figures.js';
import { element, escapeXml } from '../../../src/report/figure/svg-element.js';
import { exampleDiagnostics } from '../example-results.js';

const one = { datasets: ['d'], targets: ['t'] };

test('each data set and target has one figure, with the smallest M of supportcal', () => {
  const figures = renderReliabilityFigures(exampleDiagnostics());
  expect(figures).toHaveLength(15);
  expect(new Set(figures.map((figure) => figure.path)).size).toBe(15);
  const [figure] = figures;
  const order = ['Own base', 'Vanilla', 'DACA', 'SupportCal (1)', 'Oracle TS (labels)'].map((name) =>
    figure!.svg.indexOf(`>${name}</text>`),
  );
  expect(Math.min(...order)).toBeGreaterThan(0);
  expect(order).toEqual([...order].sort((a, b) => a - b));
  expect(figure!.svg).not.toContain('SupportCal (2)');
});

test('a figure names ECE in pp and the number of examples, in the picture and in its description', () => {
  const diagnostics = exampleDiagnostics(one);
  const vanilla = diagnostics.reliability.find((row) => row.method === 'vanilla')!;
  const [figure] = renderReliabilityFigures(diagnostics);
  const ece = `${(100 * vanilla.ece).toFixed(2)} pp`;
  expect(figure!.svg).toContain(`>ECE ${ece}</text>`);
  expect(figure!.svg).toContain('>n = 4,590</text>');
  expect(figure!.alt).toContain(`Vanilla ${ece}`);
  expect(figure!.svg).toMatch(/<title id="[^"]+">Reliability of t on d, all seeds pooled<\/title><desc id=/);
});

test('empty bins are absent and no coordinate is undefined', () => {
  const diagnostics = exampleDiagnostics(one);
  diagnostics.reliability = diagnostics.reliability.filter((row) => row.method === 'vanilla');
  const [figure] = renderReliabilityFigures(diagnostics);
  const filled = diagnostics.reliability[0]!.bins.filter((bin) => bin.count > 0).length;
  expect(filled).toBeLessThan(10);
  expect(figure!.svg.match(/<title>confidence/g)).toHaveLength(filled);
  expect(figure!.svg).not.toMatch(/NaN|Infinity|undefined|null/);
});

test('a bar is as high as the accuracy of its bin, and the gap ends at its mean confidence', () => {
  const bins = [{ lower: 0.5, upper: 1, count: 4, accuracy: 0.25, confidence: 0.75, overconfidence: 0 }];
  const reliability = [{ dataset: 'd', target: 't', method: 'vanilla', combinationSize: null, ece: 0.5, bins }];
  const [figure] = renderReliabilityFigures({ schemaVersion: 1, reliability, models: [] });
  // 184 pixels are 1: accuracy 0.25 is 46 high, confidence 0.75 lies 46 below the top.
  expect(figure!.svg).toContain('<path d="M92.8 184V138h90.5V184Z" fill="#0072B2"');
  expect(figure!.svg).toContain('<path d="M92.8 138V46h90.5V138Z" stroke="#D55E00"');
});

test('the interval of a bin is drawn where there is one, and the legend names it', () => {
  const bin = { lower: 0.5, upper: 1, count: 4, accuracy: 0.25, confidence: 0.75, overconfidence: 0.5 };
  const draw = (bins: (typeof bin & { accuracyLow?: number; accuracyHigh?: number })[]) => {
    const reliability = [{ dataset: 'd', target: 't', method: 'vanilla', combinationSize: null, ece: 0.5, bins }];
    return renderReliabilityFigures({ schemaVersion: 1, reliability, models: [] })[0]!;
  };
  expect(draw([bin]).svg).not.toContain('95 %');
  const { svg, table } = draw([{ ...bin, accuracyLow: 0.125, accuracyHigh: 0.5 }]);
  // 184 pixels are 1: 0.125 lies at 161, 0.5 at 92, in the middle of the bin.
  expect(svg).toMatch(/d="M138(?:\.\d)? 161V92M135(?:\.\d)? 161h6M135(?:\.\d)? 92h6"[^>]*class="s-ink"/);
  expect(svg).toContain('accuracy 0.250 (95 % 0.125 to 0.500)');
  expect(svg).toContain('>95 % interval</text>');
  expect(table.rows[0]!.slice(3, 7)).toEqual([4, 0.25, 0.125, 0.5]);
});

test('over-confidence and under-confidence look different', () => {
  const bins = [
    { lower: 0, upper: 0.5, count: 4, accuracy: 0.4, confidence: 0.3, overconfidence: 0 },
    { lower: 0.5, upper: 1, count: 4, accuracy: 0.6, confidence: 0.9, overconfidence: 0 },
  ];
  const reliability = [{ dataset: 'd', target: 't', method: 'daca', combinationSize: null, ece: 0.2, bins }];
  const [figure] = renderReliabilityFigures({ schemaVersion: 1, reliability, models: [] });
  const gaps = [...figure!.svg.matchAll(/<path d="([^"]+)"[^>]* fill="url\(#(\S+?)\)"/g)].map((each) => each.slice(1));
  // 184 pixels are 1: what is claimed beyond 0.6 lies above the bar, what is right beyond 0.3 inside it.
  expect(gaps).toEqual([
    ['M92.8 73.6V18.4h90.5V73.6Z', 'gap-over'],
    ['M0.8 128.8V110.4h90.5V128.8Z', 'gap-under'],
  ]);
  expect(figure!.svg).toContain('<path d="M0.8 184V110.4h90.5V184ZM92.8 184V73.6h90.5V184Z" fill="#0072B2"');
});

test('labels show literally and cannot become markup', () => {
  const target = '</script><img src=x onerror=alert(1)>\u0000';
  const [figure] = renderReliabilityFigures(
    exampleDiagnostics({ datasets: ['x" onmouseover="alert(1)'], targets: [target] }),
  );
  expect(figure!.svg).not.toMatch(/<img|<script|<\/script| onmouseover="|\p{Cc}(?<!\n)/u);
  expect(figure!.svg).toContain(
    '&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt; on x&quot; onmouseover=&quot;alert(1)',
  );
});

test('a number that is none is a fault, not a broken path', () => {
  expect(() => element('rect', { x: Number.NaN })).toThrow(RangeError);
  expect(escapeXml(`<&>"'\u0007`)).toBe('&lt;&amp;&gt;&quot;&#39;');
});

test('a bin of two examples is paler than one of nine hundred, with its interval', () => {
  const bin = (lower: number, count: number) => ({
    lower,
    upper: lower + 0.5,
    count,
    accuracy: lower + 0.1,
    confidence: lower + 0.3,
    overconfidence: 0.2,
    accuracyLow: lower,
    accuracyHigh: lower + 0.4,
  });
  const bins = [bin(0, 2), bin(0.5, 965)];
  const reliability = [{ dataset: 'd', target: 't', method: 'vanilla', combinationSize: null, ece: 0.2, bins }];
  const [figure] = renderReliabilityFigures({ schemaVersion: 1, reliability, models: [] });
  const groups = [...figure!.svg.matchAll(/<g( opacity="([\d.]+)")?><path d="M([\d.]+) 184V/g)].map((each) => [
    each[2],
    each[3],
  ]);
  expect(groups).toEqual([
    ['0.3', '0.8'],
    [undefined, '92.8'],
  ]);
  // Bar, gap, top, halo and whisker of each stand in its group.
  expect(figure!.svg.split('opacity="0.3">')[1]!.split('</g>')[0]!.match(/<path/g)).toHaveLength(5);
});
