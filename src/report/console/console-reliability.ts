import pc from 'picocolors';
import type { Diagnostics } from '../../results/diagnostics-schema.js';
import { methodLabel } from '../../results/method-label.js';
import { formatFixed } from '../text/format-number.js';
import { wrapWords } from '../text/plain-text.js';
import { consoleName } from './console-cell.js';
import type { ConsoleOptions } from './console-table.js';

type Reliability = Diagnostics['reliability'][number];

const BLOCKS = [...'▁▂▃▄▅▆▇█'];
const EMPTY = '·';
/** Methods that have a line; one with several M has a line for the smallest. */
const SHOWN = ['own-base', 'vanilla', 'supportcal'];
/** A bin this far from its mean confidence is coloured. */
const NOTABLE = 0.05;
const GAP = '   ';

/**
 * Reliability diagrams of one data set as bars of one line each: per confidence bin from 0 to 1 the accuracy as a block
 * of eight heights; perfectly calibrated bins rise evenly. Empty text where nothing was measured or a line would not
 * fit.
 */
export function reliabilityBars(
  reliability: Diagnostics['reliability'],
  dataset: string,
  { color, width }: ConsoleOptions,
): string {
  const ofDataset = reliability.filter((row) => row.dataset === dataset);
  const targets = [...new Set(ofDataset.map(({ target }) => target))];
  const methods = SHOWN.flatMap((method) => smallest(ofDataset.filter((row) => row.method === method)));
  const bins = ofDataset[0]?.bins.length ?? 0;
  const name = Math.max(0, ...targets.map((target) => consoleName(target).length));
  const cell = Math.max(bins + ' 00.00'.length, ...methods.map(({ label }) => label.length));
  if (targets.length === 0 || 1 + name + methods.length * (GAP.length + cell) > width) return '';
  const colors = pc.createColors(color);
  const heads = methods.map(({ label }) => GAP + label.padEnd(cell));
  const lines = targets.map((target) => {
    const cells = methods.map(({ method, combinationSize }) => {
      const row = ofDataset.find(
        (each) => each.target === target && each.method === method && each.combinationSize === combinationSize,
      );
      if (row === undefined) return GAP + ' '.repeat(cell);
      const ece = formatFixed(100 * (row.eceMean ?? row.ece));
      return `${GAP}${bars(row, colors)}${ece.padStart(cell - bins)}`;
    });
    return ` ${consoleName(target).padEnd(name)}${cells.join('')}`;
  });
  const meaning = color ? '; yellow claims too much, cyan too little' : '';
  const title = `Accuracy per confidence bin, 0 to 1 (${EMPTY} empty${meaning}), seeds pooled, and ECE in pp, mean over splits`;
  const titles = wrapWords(title, width - 1).map((part) => colors.dim(` ${part}`));
  return `${[...titles, ` ${' '.repeat(name)}${heads.join('')}`.trimEnd(), ...lines].join('\n')}\n`;
}

function smallest(rows: readonly Reliability[]) {
  const [row] = rows.toSorted((a, b) => (a.combinationSize ?? 0) - (b.combinationSize ?? 0));
  if (row === undefined) return [];
  const { method, combinationSize } = row;
  return [{ method, combinationSize, label: consoleName(methodLabel(method, combinationSize)) }];
}

function bars({ bins }: Reliability, colors: ReturnType<typeof pc.createColors>): string {
  return bins
    .map(({ count, accuracy, confidence }) => {
      if (count === 0 || accuracy === null || confidence === null) return colors.dim(EMPTY);
      const block = BLOCKS[Math.min(BLOCKS.length - 1, Math.floor(accuracy * BLOCKS.length))] ?? EMPTY;
      if (Math.abs(confidence - accuracy) < NOTABLE) return block;
      return confidence > accuracy ? colors.yellow(block) : colors.cyan(block);
    })
    .join('');
}
