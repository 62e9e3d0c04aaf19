import { expect, it } from 'vitest';
import { otherRunsLine } from '../../../src/cli/terminal/other-runs.js';

it('says how many models other runs hold and how far they are; nothing of runs that wait', () => {
  const run = { name: 'n', host: 'node7', pid: 41, left: 1, waitsFor: [] };
  const busy = { ...run, holds: ['a-entry', 'b-entry'], models: ['a', 'b'], rows: 3600, done: 340 };
  const idle = { ...run, holds: [], models: [], rows: 0, done: 0, waitsFor: ['a-entry'] };
  expect(otherRunsLine([busy, idle], 7)).toBe('2 of 7 models held by node7:41, 340 of 3,600 rows there');
  expect(otherRunsLine([idle], 7)).toBe('');
});
