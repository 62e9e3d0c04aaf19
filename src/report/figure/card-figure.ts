import type { Diagnostics } from '../../results/diagnostics-schema.js';
import type { Results } from '../../results/results-schema.js';
import type { Verdict } from '../../results/verdict-schema.js';
import { claimSentence } from '../outcome/lead-verdict.js';
import { formatFixed } from '../text/format-number.js';
import { plainText, shorten, wrapWords } from '../text/plain-text.js';
import type { ReportFigure } from '../text/report-file.js';
import { figureFrame, mutedText, text } from './figure-frame.js';
import { paint } from './palette.js';
import { beforeAfter } from './reliability/before-after-figure.js';
import { GAP_DEFINITIONS, reliabilityKey } from './reliability/reliability-key.js';
import { reliabilityPlot } from './reliability/reliability-plot.js';
import { element } from './svg-element.js';

const SIZE = { width: 1200, height: 630, left: 48, plot: 300, top: 190, between: 42 } as const;
const SIDE = SIZE.left + 2 * SIZE.plot + SIZE.between + 56;

/** The answer of a run as one picture to paste elsewhere: claim, diagrams, verdict. None without labels. */
export function cardFigure(
  { title, suite, createdAt }: Results,
  diagnostics: Pick<Diagnostics, 'reliability'>,
  lead: Verdict | null,
): ReportFigure[] {
  const panels = lead && beforeAfter(diagnostics, lead);
  const claim = lead && claimSentence(lead, false);
  if (lead === null || claim === null || panels === null) return [];
  const { dataset, target } = lead;
  const name = plainText(title ?? suite);
  const lines = wrapWords(plainText(claim), 64).slice(0, 2);
  const said = `${plainText(claim)} Verdict: ${plainText(lead.sentence)}.`;
  const drawn = panels.map(({ panel, title: head }, i) => {
    const plot = reliabilityPlot(panel, { size: SIZE.plot, yTicks: i === 0, xTicks: true, hints: false });
    const at = { transform: `translate(${SIZE.left + i * (SIZE.plot + SIZE.between)} ${SIZE.top})` };
    return element('g', at, text(0, -14, shorten(head, 34), { 'font-size': 17, 'font-weight': 600 }), plot);
  });
  const key = reliabilityKey({ left: SIZE.left, top: SIZE.top + SIZE.plot + 64, width: 2 * SIZE.plot }, false);
  const across = SIZE.left + SIZE.plot + SIZE.between / 2;
  const svg = figureFrame(
    { id: 'card', title: name, alt: said, width: SIZE.width, height: SIZE.height, defs: GAP_DEFINITIONS },
    ...lines.map((line, i) => text(SIZE.left - 32, 78 + 40 * i, line, { 'font-size': 32, 'font-weight': 700 })),
    ...drawn,
    text(across, SIZE.top + SIZE.plot + 38, 'Claimed (confidence) in %, right in % upwards', {
      'text-anchor': 'middle',
    }),
    key.svg,
    side(lead),
    mutedText(SIZE.width - 24, SIZE.height - 18, `SupportCal, ${createdAt.slice(0, 10)}`, 'end'),
  );
  const columns = ['target', 'dataset', 'claimed', 'right', 'calibrated', 'eceBefore_pp', 'eceAfter_pp', 'temperature'];
  const { claimedBefore, accuracy, claimedAfter, before, after, use } = lead;
  const numbers = [claimedBefore, accuracy, claimedAfter, before?.ecePp ?? null, after?.ecePp ?? null];
  const table = { columns, rows: [[target, dataset, ...numbers, use?.temperature ?? null]] };
  return [{ kind: 'card', dataset, target, path: 'figures/card.svg', title: name, alt: said, svg, table }];
}

/** ECE before and after in large figures, and the verdict. */
function side({ before, after, sentence }: Verdict): string {
  const ranges = [
    ['ECE before', before, 'overconfident'],
    ['ECE after', after, 'accuracy'],
  ] as const;
  const numbers = ranges.flatMap(([name, range, color], i) => {
    if (range === null) return [];
    const [x, y] = [SIDE + i * 210, SIZE.top + 4];
    const { ecePp, lowPp, highPp } = range;
    const ends =
      lowPp === null || highPp === null ? 'pp' : `pp, 95 % ${formatFixed(lowPp, 1)} to ${formatFixed(highPp, 1)}`;
    return [
      text(x, y, name, { 'font-size': 16 }),
      text(x, y + 54, formatFixed(ecePp, 1), { 'font-size': 50, 'font-weight': 700, ...paint({ fill: color }) }),
      mutedText(x, y + 78, ends, 'start'),
    ];
  });
  const words = plainText(sentence.replace(/^./, (first) => first.toUpperCase()));
  const lines = wrapWords(`${words}.`, 50).slice(0, 9);
  const verdict = lines.map((line, i) => text(SIDE, SIZE.top + 132 + 24 * i, line, { 'font-size': 17 }));
  return [...numbers, ...verdict].join('');
}
