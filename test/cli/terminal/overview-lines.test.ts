import { expect, it } from 'vitest';
import { overviewLines } from '../../../src/cli/terminal/overview-lines.js';
import type { RunOverview } from '../../../src/pipeline/workspace/pipeline-events.js';

const overview: RunOverview = {
  suite: 'mine',
  models: 2,
  datasets: ['facts', 'sums'],
  device: 'cpu',
  cores: 2,
  out: 'reports/mine',
  hours: 0.5,
  expected: new Map(),
  timed: true,
};

it('says what a run will do, where, how long and where to, and how well the time is known', () => {
  expect(overviewLines(overview)).toEqual([
    'mine: scoring 2 models on facts, sums, on the CPU (2 cores): about 30 min, as earlier runs took',
    'results go to reports/mine; an interrupted run goes on where it stopped',
  ]);
  const cuda = overviewLines({ ...overview, models: 1, device: 'cuda', timed: false });
  expect(cuda[0]).toMatch(/1 model on .*, on cuda: about 30 min by the weights of the files/);
  expect(overviewLines({ ...overview, hours: null })[0]).toMatch(/for a time that the first rows will tell$/);
});
