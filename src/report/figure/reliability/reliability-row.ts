import { shortenName } from '../../text/plain-text.js';
import { type Frame, figureFrame, text } from '../figure-frame.js';
import { element } from '../svg-element.js';
import { GAP_DEFINITIONS, reliabilityKey } from './reliability-key.js';
import { panelHeight, panelMiddles, reliabilityPanel } from './reliability-panel.js';
import type { Reliability } from './reliability-plot.js';

const MARGIN = { left: 58, right: 16, top: 40, between: 22 } as const;

/** Reliability diagrams side by side on one axis, the meaning of their parts below. */
export function reliabilityRow(
  { size, ...frame }: Pick<Frame, 'id' | 'title' | 'alt'> & { readonly size: number },
  panels: ReadonlyArray<{ readonly panel: Reliability; readonly title: string }>,
): string {
  const plots = panels.length * size + (panels.length - 1) * MARGIN.between;
  const width = MARGIN.left + plots + MARGIN.right;
  const bottom = MARGIN.top + panelHeight(size);
  const banded = panels.some(({ panel }) => panel.bins.some(({ accuracyLow }) => accuracyLow != null));
  const key = reliabilityKey({ left: MARGIN.left, top: bottom + 44, width: plots }, banded);
  const drawn = panels.map(({ panel, title }, i) =>
    element(
      'g',
      { transform: `translate(${MARGIN.left + i * (size + MARGIN.between)} ${MARGIN.top})` },
      reliabilityPanel(panel, { title: shortenName(title, Math.floor(size / 7.2)), size, first: i === 0 }),
    ),
  );
  return figureFrame(
    { ...frame, width, height: bottom + 32 + key.height, defs: GAP_DEFINITIONS },
    axisTitles(plots, size, bottom),
    ...drawn,
    key.svg,
  );
}

function axisTitles(plots: number, size: number, bottom: number): string {
  const { plot, strip } = panelMiddles(size);
  const turned = (y: number, name: string) =>
    text(0, 0, name, { 'text-anchor': 'middle', transform: `translate(18 ${MARGIN.top + y}) rotate(-90)` });
  return (
    turned(plot, 'Right, in %') +
    turned(strip, 'Share') +
    text(MARGIN.left + plots / 2, bottom + 18, 'Claimed (confidence), in %', { 'text-anchor': 'middle' })
  );
}
