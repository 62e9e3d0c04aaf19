import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startedModule } from '../built-modules.js';
import { temporaryFolder } from '../files/temporary-folder.js';

describe('the memory of a scoring run', () => {
  it('grows by the ids of finished rows, not by their scores: less than 200 bytes a row', () => {
    const child = fileURLToPath(startedModule('cache/memory-child'));
    const argv = ['--expose-gc', child, temporaryFolder(), '20000', '200'];
    const heap = JSON.parse(execFileSync(process.execPath, argv, { encoding: 'utf8' })) as number[];
    // From the half to the end, when everything that is allocated once is there.
    expect((heap[9]! - heap[4]!) / 10_000).toBeLessThan(200);
  });
});
