import { expect, it, vi } from 'vitest';
import { inspectChild } from '../../../src/scoring/process/inspect-child.js';
import { startedModule } from '../../built-modules.js';

/** What was done with the watches over child processes, in turn. */
const watched = vi.hoisted(() => [] as string[]);

vi.mock('../../../src/scoring/process/patience.js', () => ({
  patience: () => ({
    set: () => void watched.push('set'),
    clear: () => void watched.push('clear'),
    pause: () => {},
    resume: () => {},
  }),
}));

it('leaves no watch over a process that ended before it was asked, which would keep the command from ending', async () => {
  const child = inspectChild(startedModule('engine/stub-backend').href);
  const asked = child.inspect({} as never, () => {});
  await child.end();
  expect(await asked).toMatchObject({ kind: 'failed' });
  expect(watched.at(-1)).not.toBe('set');
});
