import { groupBy } from '../../contract/group-by.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';
import type { Histogram } from '../../results/paper-diagnostics.js';
import { figurePath } from '../text/file-names.js';
import { formatFixed } from '../text/format-number.js';
import { plainText } from '../text/plain-text.js';
import type { ReportFigure } from '../text/report-file.js';
import { idOf } from './figure-frame.js';
import { histogramRows } from './histogram-rows.js';

type Model = Diagnostics['models'][number];

/** How much probability the options have, a row per model, and how long the prompts are, a row per tokeniser. */
export function histogramFigures({ models, notes }: Diagnostics): ReportFigure[] {
  return [...optionMassFigures(models, notes?.optionMass), ...promptLengthFigure(models, notes?.promptTokens)];
}

interface Row {
  readonly label: string;
  readonly histogram: Histogram;
  readonly median: number;
}

function optionMassFigures(models: readonly Model[], note: string | undefined): ReportFigure[] {
  return [...groupBy(models, ({ dataset }) => dataset)].flatMap(([dataset, own]) => {
    const rows = own.flatMap(({ model, optionMassHistogram: histogram = null, medianOptionMass: median }) =>
      histogram === null || median === null ? [] : [{ label: model, histogram, median }],
    );
    if (rows.length === 0) return [];
    const title = `Option mass on ${plainText(dataset)}`;
    const path = figurePath('option-mass', dataset);
    const xLabel = 'probability of all options together';
    const number = (value: number) => formatFixed(value, 3);
    return [{ kind: 'option-mass', dataset, note, ...figureOf(rows, { path, title, xLabel, number }) }];
  });
}

/** Models whose prompts have the same lengths share a row: with one tokeniser all of them do. */
function promptLengthFigure(models: readonly Model[], note: string | undefined): ReportFigure[] {
  const measured = models.flatMap(
    ({ dataset, model, promptTokensHistogram: histogram = null, medianPromptTokens: median = null }) =>
      histogram === null || median === null ? [] : [{ dataset, model, histogram, median }],
  );
  if (measured.length === 0) return [];
  const ofDataset = groupBy(measured, ({ dataset }) => dataset);
  const rows = [...ofDataset].flatMap(([dataset, own]) =>
    [...groupBy(own, ({ histogram, median }) => JSON.stringify([histogram, median])).values()].map((same) => ({
      label: same.length === own.length ? dataset : `${dataset}: ${same.map(({ model }) => model).join(', ')}`,
      histogram: same[0].histogram,
      median: same[0].median,
    })),
  );
  const drawn = figureOf(rows, {
    path: 'figures/prompt-length.svg',
    title: 'Prompt length',
    xLabel: 'tokens of a prompt',
    number: (value) => String(Number(value.toFixed(1))),
  });
  return [{ kind: 'prompt-length', dataset: null, note, ...drawn }];
}

interface Kind {
  readonly path: string;
  readonly title: string;
  readonly xLabel: string;
  readonly number: (value: number) => string;
}

function figureOf(rows: readonly Row[], { path, title, xLabel, number }: Kind) {
  const medians = rows.map(({ label, median }) => `${plainText(label)} ${number(median)}`);
  const alt = `Share of examples by ${xLabel}. Medians: ${medians.join(', ')}.`;
  const svg = histogramRows({
    id: idOf(path),
    title,
    alt,
    xLabel,
    rows: rows.map(({ label, histogram, median }) => ({
      label: plainText(label),
      histogram,
      median,
      medianText: number(median),
    })),
  });
  return { target: null, path, title, alt, svg, table: tableOf(rows) };
}

function tableOf(rows: readonly Row[]) {
  return {
    columns: ['rows', 'lower', 'upper', 'examples'],
    rows: rows.flatMap(({ label, histogram: { start, width, counts } }) =>
      counts.flatMap((count, i) => {
        // 12 digits: start + i x width without its rounding error.
        const edge = (at: number) => Number((start + at * width).toPrecision(12));
        return count === 0 ? [] : [[label, edge(i), edge(i + 1), count]];
      }),
    ),
  };
}
