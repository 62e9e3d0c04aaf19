import { shorten } from '../../text/plain-text.js';
import { type Frame, figureFrame, mutedText } from '../figure-frame.js';
import { legend } from '../legend.js';
import { element } from '../svg-element.js';
import { type Extent, type LinePanel, linePanel, type Series } from './line-panel.js';

export interface LineFigure extends Pick<Frame, 'id' | 'title' | 'alt'> {
  readonly xLabel: string;
  readonly yLabel: string;
  readonly xTick: (value: number) => string;
  /** What all targets together say, drawn above them; null: nothing does, or there is one target. */
  readonly large: LinePanel | null;
  readonly small: readonly LinePanel[];
  /** The vertical axis that the large panels of all figures of a kind share; null: the panel's own. */
  readonly largeY: Extent | null;
  /** The vertical axis that all small panels share; null: each has its own. */
  readonly smallY: Extent | null;
}

/** Small panels of a figure; the numbers of the others are in its table. */
const MOST_PANELS = 12;

const WIDTH = 420;
const MARGIN = { left: 44, right: 12, top: 40 } as const;
const LARGE = { height: 170, head: 20, foot: 30 } as const;
const SMALL = { height: 74, head: 22, foot: 20, gap: 12 } as const;

/**
 * Lines of one data set: the mean over targets large, single targets as small multiples below it, one legend. All
 * panels of one size have one axis, unless the figure says otherwise.
 */
export function lineFigure(figure: LineFigure): string {
  const { large, smallY } = figure;
  const alone = large === null && figure.small.length === 1;
  const small = alone ? [] : figure.small.slice(0, MOST_PANELS);
  const shown = alone ? (figure.small[0] ?? null) : large;
  const inner = WIDTH - MARGIN.left - MARGIN.right;
  const head = shown === null ? 0 : LARGE.head + LARGE.height + LARGE.foot;
  const across = small.length > 6 ? 4 : Math.min(3, Math.max(2, small.length));
  const own = smallY === null ? 30 : 0;
  const width = (inner - (across - 1) * (SMALL.gap + own)) / across;
  const row = SMALL.head + SMALL.height + SMALL.foot;
  const drawn = small.map((panel, i) => {
    const column = i % across;
    const [x, y] = [column * (width + SMALL.gap + own), head + Math.floor(i / across) * row + SMALL.head];
    const form = { width, height: SMALL.height, extent: smallY, yTicks: column === 0 || smallY === null };
    return at(MARGIN.left + x, MARGIN.top + y, linePanel(panel, { ...form, xTick: figure.xTick, small: true }));
  });
  const top =
    shown === null
      ? ''
      : at(
          MARGIN.left,
          MARGIN.top + LARGE.head,
          linePanel(shown, {
            width: inner,
            height: LARGE.height,
            extent: alone ? (figure.smallY ?? figure.largeY) : figure.largeY,
            yTicks: true,
            xTick: figure.xTick,
            small: false,
          }),
        );
  const bottom = MARGIN.top + head + Math.ceil(small.length / across) * row;
  const panels = [...(shown === null ? [] : [shown]), ...small];
  const entries = uniqueByLabel(panels.flatMap(({ series }) => series)).map((each) => ({ ...each, line: true }));
  const key = legend(entries, 16, bottom + 44, WIDTH - 32);
  const axes = [`Across: ${figure.xLabel}.`, `Up: ${figure.yLabel}.`].map((line, i) =>
    mutedText(16, bottom + 8 + i * 15, shorten(line, 70), 'start'),
  );
  return figureFrame({ ...figure, width: WIDTH, height: bottom + 38 + key.height }, top, ...drawn, ...axes, key.svg);
}

/** Says which of many targets a figure draws; nothing where it draws all. */
export function drawnText(small: readonly LinePanel[]): string {
  return small.length <= MOST_PANELS
    ? ''
    : ` Of ${small.length} targets the first ${MOST_PANELS} are drawn; the table has all.`;
}

function at(x: number, y: number, content: string): string {
  return element('g', { transform: `translate(${x} ${y})` }, content);
}

function uniqueByLabel(series: readonly Series[]): Series[] {
  return [...new Map(series.map((each) => [each.label, each])).values()];
}
