import { describe, expect, it } from 'vitest';
import type { Published } from '../../../src/config/load-published.js';
import { publishedTables } from '../../../src/report/html/tables/published-table.js';
import { publishedSection } from '../../../src/report/markdown/published-section.js';
import { renderPublishedCsv } from '../../../src/report/table/published-csv.js';
import { publishedNote } from '../../../src/report/table/published-note.js';
import { comparePublished } from '../../../src/results/published/compare-published.js';

const PRINTED: Published = {
  title: 'A paper',
  file: 'printed.yaml',
  diagnostics: [],
  tables: [
    {
      name: 'one',
      dataset: 'd',
      columns: ['daca', 'supportcal 2', 'elicitation'],
      rows: {
        a: [
          [6, 0.3],
          [5, 0.4],
          [30, 1],
        ],
        b: [[8, 0], null, [40, 1]],
      },
    },
    { name: 'two', dataset: 'elsewhere', columns: ['daca'], rows: { a: [[1, 1]] } },
  ],
};
/** @param ece mean over the splits and its standard error, percentage points */
const of = (
  target: string,
  method: string,
  combinationSize: number | null,
  ece: readonly [number | null, number | null],
) => ({
  dataset: 'd',
  target,
  method,
  combinationSize,
  eceMeanPp: ece[0],
  eceSePp: ece[1],
  eceLowPp: null,
  eceHighPp: null,
  seeds: 5,
  eceTotalSePp: null as number | null,
  tiedWithBest: null,
  bestPValue: null,
  calibratedMeanPp: null,
  calibratedHighPp: null,
  calibratedPValue: null,
  intervals: null,
});
const SUMMARY = [
  of('a', 'daca', null, [7, 0.4]),
  of('a', 'supportcal', 2, [4.5, 0.3]),
  of('a', 'supportcal', 4, [1, 1]),
  of('b', 'daca', null, [8.5, null]),
];

describe('comparePublished', () => {
  const published = comparePublished(PRINTED, { summary: SUMMARY }, {})!;
  const rows = published.tables[0]!.rows;

  it('gives the difference in standard errors of both together', () => {
    expect(rows[0]).toMatchObject({ target: 'a', method: 'daca', differencePp: 1, differenceSe: 2 });
    expect(rows[1]).toMatchObject({ method: 'supportcal', combinationSize: 2, differencePp: -0.5, differenceSe: -1 });
  });

  it('takes the total standard error where it is known, on both sides at least', () => {
    const total = SUMMARY.map((row) => ({ ...row, eceTotalSePp: 0.5 }));
    const [row] = comparePublished(PRINTED, { summary: total }, {})!.tables[0]!.rows;
    expect(row!.eceTotalSePp).toBe(0.5);
    expect(row!.differenceSe).toBeCloseTo(1 / Math.hypot(0.5, 0.5), 12);
  });

  it('fills nothing in where this run has no number, or no standard error', () => {
    expect(rows[2]).toMatchObject({ method: 'elicitation', eceMeanPp: null, differencePp: null, differenceSe: null });
    expect(rows[3]).toMatchObject({ target: 'b', differencePp: 0.5, differenceSe: null });
    expect(rows).toHaveLength(5);
  });

  it('averages over the targets that both have', () => {
    expect(published.tables[0]!.macro).toEqual([
      { method: 'daca', combinationSize: null, targets: 2, eceMeanPp: 7.75, printedMeanPp: 7, differencePp: 0.75 },
      { method: 'supportcal', combinationSize: 2, targets: 1, eceMeanPp: 4.5, printedMeanPp: 5, differencePp: -0.5 },
      {
        method: 'elicitation',
        combinationSize: null,
        targets: 0,
        eceMeanPp: null,
        printedMeanPp: null,
        differencePp: null,
      },
    ]);
  });

  it('leaves out tables of other data sets, and is null when none is left', () => {
    expect(published.tables.map(({ name }) => name)).toEqual(['one']);
    expect(comparePublished(PRINTED, { summary: [] }, {})).toBeNull();
  });

  it('shows in report.md, CSV and on the console', () => {
    const markdown = publishedSection('d', { published }).join('\n');
    expect(markdown).toContain('| a | 7.00 / 6.00 (+2.0 SE) | 4.50 / 5.00 (-1.0 SE) | – / 30.00 |');
    expect(markdown).toContain(
      '| *Mean of both* | 7.75 / 7.00 (+0.75 pp, 2 of 2) | 4.50 / 5.00 (-0.50 pp, 1 of 2) | – |',
    );
    const [csv] = renderPublishedCsv({ published });
    expect(csv!.data.split('\n')[1]).toBe('one,d,a,daca,,7,0.4,6,0.3,1,2,');
    expect(publishedNote('d', { published })).toBe(
      'Ours less A paper, mean ECE: DACA +0.75 pp (2 targets), SupportCal (2) -0.50 pp (1 targets); per target in report.md.',
    );
    expect([
      publishedSection('d', { published: null }),
      renderPublishedCsv({ published: null }),
      publishedNote('x', { published }),
    ]).toEqual([[], [], null]);
  });

  it('shows on the page in a table that sorts by ours', () => {
    const [{ text }] = publishedTables('d', { published }) as [{ text: string }];
    expect(text).toContain('<table class="grid sortable">');
    expect(text).toContain('data-method="daca" data-v="7">7.00<small> / 6.00 (+2.0 SE)</small></td>');
    expect(text).toContain('data-method="elicitation" data-v="">–<small> / 30.00</small></td>');
    expect(text).toContain('7.75 / 7.00 (2 of 2)');
    expect(publishedTables('elsewhere', { published })).toEqual([]);
  });

  it('sets numbers of figures and appendices beside ours: medians in percent, weights once per M, null where we have none', () => {
    const diagnostics: Published['diagnostics'] = [
      { dataset: 'd', disagreementMedianPercent: 30, weights: { negative: [0.2, 0.1], positive: [0.4, 0.3] } },
      { dataset: 'elsewhere', disagreementMedianPercent: 40 },
    ];
    const sign = (each: 'negative' | 'positive', combinationSize: number, meanWeight: number) => ({
      dataset: 'd',
      target: null,
      combinationSize,
      sign: each,
      count: 9,
      meanWeight,
      medianWeight: 0.25,
    });
    const compared = comparePublished(
      { ...PRINTED, tables: [], diagnostics },
      { summary: SUMMARY },
      {
        disagreementMedians: [{ dataset: 'd', targets: 3, median: 0.25 }],
        weightBySign: [sign('negative', 2, 0.5), sign('positive', 2, 0.75), { ...sign('negative', 2, 0), target: 'a' }],
      },
    )!;
    const row = (quantity: string, combinationSize: number | null, ours: number | null, printed: number) => ({
      dataset: 'd',
      quantity,
      combinationSize,
      ours,
      printed,
      difference: ours === null ? null : ours - printed,
    });
    expect(compared.diagnostics).toEqual([
      row('median disagreement rate, %', null, 25, 30),
      row('mean weight, m < 0', 2, 0.5, 0.2),
      row('median weight, m < 0', 2, 0.25, 0.1),
      row('mean weight, m > 0', 2, 0.75, 0.4),
      row('median weight, m > 0', 2, 0.25, 0.3),
    ]);
    const nothing = comparePublished({ ...PRINTED, tables: [], diagnostics }, { summary: SUMMARY }, {})!;
    expect(nothing.diagnostics.map(({ ours }) => ours)).toEqual([null, null, null, null, null]);
    const markdown = publishedSection('d', { published: compared }).join('\n');
    expect(markdown).toContain('| median disagreement rate, % |  | 25.000 | 30.000 | -5.000 |');
    expect(markdown).toContain('| mean weight, m &lt; 0 | SupportCal (2) | 0.500 | 0.200 | +0.300 |');
    expect(publishedTables('d', { published: compared })[0]!.text).toContain('<td class="num">-5.000</td>');
    const [csv] = renderPublishedCsv({ published: compared });
    expect([csv!.path, csv!.data.split('\n')[1]]).toEqual([
      'tables/published-diagnostics.csv',
      'd,"median disagreement rate, %",,25,30,-5',
    ]);
  });
});
