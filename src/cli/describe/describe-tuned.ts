import type { DoctorReport } from '../../pipeline/doctor.js';
import type { TunedModels } from '../../pipeline/estimate/tune-models.js';
import type { Shape } from '../../scoring/tune/search-shape.js';
import { textTable } from '../terminal/text-table.js';

/** What `--tune` found; nothing where it was not asked for. */
export function describeTuned({ tuned, cards }: Pick<DoctorReport, 'tuned' | 'cards'>): string[] {
  if (tuned === null) return [];
  const heading = ['', 'shapes of evaluation, tuned'];
  if (tuned.length === 0)
    return [
      ...heading,
      '  nothing to tune: no model whose file is here runs on a card (on a CPU each core has a context of its own)',
    ];
  const card = cards[0]?.name ?? 'this card';
  return [
    ...heading,
    ...textTable(['model', 'contexts', 'sequences', 'batch', 'rows/s', 'default rows/s', ''], tuned.map(row)),
    ...(tuned.some((each) => isFaster(each) && each.notKept === null)
      ? [
          `  kept in tuned.json of the cache folder: runs on ${card} take them from now on. Other sequences or batches are part of the`,
          '  keys of rows, contexts change no score; delete the file to go back',
        ]
      : []),
  ];
}

/** A shape for reading: "3 contexts, 64 sequences, batches of 2048". */
export function shapeText({ contexts, sequences, batchSize }: Shape): string {
  return `${contexts} contexts, ${sequences} sequences, batches of ${batchSize}`;
}

/** Rows a second, with four digits. */
export function rateText(rate: number): string {
  return rate < 1000 ? rate.toPrecision(4) : rate.toFixed(0);
}

function isFaster({ found }: TunedModels): boolean {
  return found !== null && found.gain > 1;
}

function row({ models, given, found, reason }: TunedModels): string[] {
  const name = models.join(', ');
  const { contexts, sequences, batchSize } = found?.shape ?? given;
  const shape = [contexts, sequences, batchSize].map(String);
  if (found === null) return [name, ...shape, '', '', `not tuned: ${reason}`];
  const rates = [found.rates.found, found.rates.given].map(rateText);
  const said = found.gain > 1 ? `${found.gain.toFixed(2)} x` : 'the default, nothing is faster by enough';
  const trials = `${found.trials} trials${found.isCut ? ', then time was up' : ''}`;
  return [name, ...shape, ...rates, `${said} (${trials})`];
}
