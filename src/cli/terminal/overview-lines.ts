import path from 'node:path';
import type { RunOverview } from '../../pipeline/workspace/pipeline-events.js';
import { hoursText } from './duration.js';

/** What a run is about to do: models and data sets, where it computes, how long, where the results go. */
export function overviewLines({ suite, models, datasets, device, cores, out, hours, timed }: RunOverview): string[] {
  const where = device === 'cpu' ? `the CPU (${cores} cores)` : device;
  const time =
    hours === null
      ? 'for a time that the first rows will tell'
      : timed
        ? `about ${hoursText(hours)}, as earlier runs took`
        : `about ${hoursText(hours)} by the weights of the files; the first rows tell more`;
  const count = `${models} ${models === 1 ? 'model' : 'models'}`;
  return [
    `${suite}: scoring ${count} on ${datasets.join(', ')}, on ${where}: ${time}`,
    `results go to ${path.relative('', out) || '.'}; an interrupted run goes on where it stopped`,
  ];
}
