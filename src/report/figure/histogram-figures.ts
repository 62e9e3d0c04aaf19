import type { Diagnostics } from '../../results/diagnostics-schema.js';
import type { Histogram } from '../../results/paper-diagnostics.js';
import { figurePath } from '../text/file-names.js';
import { formatFixed } from '../text/format-number.js';
import { plainText } from '../text/plain-text.js';
import type { ReportFigure } from '../text/report-file.js';
import { idOf } from './figure-frame.js';
import { histogramRows } from './histogram-rows.js';

interface Kind {
  readonly kind: 'option-mass' | 'prompt-length';
  readonly title: string;
  readonly xLabel: string;
  readonly note: string | undefined;
  readonly number: (value: number) => string;
  readonly of: (model: Model) => { readonly histogram: Histogram | null; readonly median: number | null };
}

type Model = Diagnostics['models'][number];

/** How much probability the options have, and how long the prompts are: a row per model on one axis. */
export function histogramFigures({ models, notes }: Diagnostics): ReportFigure[] {
  return [
    ...figuresOf(models, {
      kind: 'option-mass',
      title: 'Option mass',
      xLabel: 'probability of all options together',
      note: notes?.optionMass,
      number: (value) => formatFixed(value, 3),
      of: ({ optionMassHistogram: histogram = null, medianOptionMass: median }) => ({ histogram, median }),
    }),
    ...figuresOf(models, {
      kind: 'prompt-length',
      title: 'Prompt length',
      xLabel: 'tokens of a prompt',
      note: notes?.promptTokens,
      number: (value) => String(Number(value.toFixed(1))),
      of: ({ promptTokensHistogram: histogram = null, medianPromptTokens: median = null }) => ({ histogram, median }),
    }),
  ];
}

function figuresOf(models: readonly Model[], { kind, title: about, xLabel, note, number, of }: Kind): ReportFigure[] {
  return [...new Set(models.map(({ dataset }) => dataset))].flatMap((dataset) => {
    const rows = models
      .filter((model) => model.dataset === dataset)
      .flatMap((model) => {
        const { histogram, median } = of(model);
        return histogram === null || median === null ? [] : [{ model: model.model, histogram, median }];
      });
    if (rows.length === 0) return [];
    const path = figurePath(kind, dataset);
    const title = `${about} by model on ${plainText(dataset)}`;
    const medians = rows.map(({ model, median }) => `${plainText(model)} ${number(median)}`);
    const alt = `Share of examples by ${xLabel}, one row per model. Medians: ${medians.join(', ')}.`;
    const svg = histogramRows({
      id: idOf(path),
      title,
      alt,
      xLabel,
      rows: rows.map(({ model, histogram, median }) => ({
        label: plainText(model),
        histogram,
        median,
        medianText: number(median),
      })),
    });
    return [{ kind, dataset, target: null, path, title, alt, note, svg, table: tableOf(rows) }];
  });
}

function tableOf(rows: ReadonlyArray<{ readonly model: string; readonly histogram: Histogram }>) {
  return {
    columns: ['model', 'lower', 'upper', 'examples'],
    rows: rows.flatMap(({ model, histogram: { start, width, counts } }) =>
      counts.flatMap((count, i) => {
        // 12 digits: start + i x width without its rounding error.
        const edge = (at: number) => Number((start + at * width).toPrecision(12));
        return count === 0 ? [] : [[model, edge(i), edge(i + 1), count]];
      }),
    ),
  };
}
