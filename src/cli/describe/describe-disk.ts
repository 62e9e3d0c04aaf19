import type { DiskEstimate } from '../../pipeline/estimate/disk-estimate.js';
import { hoursText } from '../terminal/duration.js';
import { textTable } from '../terminal/text-table.js';
import { gigabytes } from './describe-estimate.js';

/** The order of models under a budget of disk, when each is fetched and scored, and the most that lies there. */
export function describeDisk(disk: DiskEstimate): string[] {
  const { budget, least, peak, hours, bytesPerSecond, steps, unknown } = disk;
  const limit = budget === null ? 'no budget, files are removed after scoring' : `a budget of ${gigabytes(budget)}`;
  const after = (at: number | null) => (at === null ? '' : `~${hoursText(at)}`);
  return [
    `model files under ${limit}, in this order (times since the start, from an empty cache)`,
    ...textTable(
      ['models', 'files', 'to fetch', 'stays', 'here after', 'scored after'],
      steps.map((step) => [
        step.models.length > 3
          ? `${step.models.slice(0, 2).join(', ')} and ${step.models.length - 2} more`
          : step.models.join(', '),
        ...[step.bytes, step.toFetch, step.keeps].map(gigabytes),
        after(step.fetchedAt),
        after(step.scoredAt),
      ]),
    ),
    `  peak disk  ${peak === null ? 'does not fit' : `~${gigabytes(peak)}`}; the least budget that works is ~${gigabytes(least)}`,
    ...(hours === null
      ? []
      : [`  hours      ~${hoursText(hours)} with downloads at ${bytesPerSecond / 1e6} MB/s, one at a time`]),
    ...(unknown.length === 0
      ? []
      : [`  unknown    size or time of ${unknown.join(', ')}, which count as nothing here`]),
  ];
}
