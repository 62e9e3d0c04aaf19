import { truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileHashCached } from '../../../src/files/file-hash-cached.js';
import { withChildAhead } from '../../../src/pipeline/score/open-for-scoring.js';
import type { Workspace } from '../../../src/pipeline/workspace/workspace.js';
import { temporaryFolder } from '../../files/temporary-folder.js';
import { workerProcesses } from '../../scoring/worker-processes.js';

const children = () => workerProcesses('llama-backend');
const onCpu = { device: 'cpu', scorer: undefined } as const;

/** A suite of one file, of which nothing is on the disk but its size. */
function workspaceOf(bytes: number): { workspace: Workspace; cache: string; file: string } {
  const cache = temporaryFolder();
  const file = path.join(cache, 'model.gguf');
  writeFileSync(file, '');
  truncateSync(file, bytes);
  const workspace = {
    options: { cache },
    models: { file: path.join(cache, 'models.yaml') },
    suite: { models: [{ id: 'm', file: 'model.gguf' }, { id: 'served' }] },
  } as unknown as Workspace;
  return { workspace, cache, file };
}

const LARGE = 2 ** 28;

describe('withChildAhead', () => {
  it('has a child beside the work on a CPU while a large file is still to be hashed, and none afterwards', async () => {
    const { workspace } = workspaceOf(LARGE);
    expect(await withChildAhead(workspace, onCpu, async () => children().length)).toBe(1);
    await expect.poll(children).toEqual([]);
    const fails = withChildAhead(workspace, onCpu, () => Promise.reject(new Error('the plan fails')));
    await expect(fails).rejects.toThrow('the plan fails');
    await expect.poll(children).toEqual([]);
  });

  it('has none for small files, files whose hash is known, a card, another scorer, or rows that are scored elsewhere', async () => {
    const { workspace, cache, file } = workspaceOf(LARGE);
    const seen = async () => children().length;
    expect(await withChildAhead(workspaceOf(1000).workspace, onCpu, seen)).toBe(0);
    expect(await withChildAhead(workspace, { device: 'cuda', scorer: undefined }, seen)).toBe(0);
    expect(await withChildAhead(workspace, { device: 'cpu', scorer: async () => [] }, seen)).toBe(0);
    const away = { ...workspace, options: { ...workspace.options, elsewhere: { device: 'cpu' } } };
    expect(await withChildAhead(away as unknown as Workspace, onCpu, seen)).toBe(0);
    await expect
      .poll(async () => {
        await fileHashCached(file, path.join(cache, 'model-files.json'), async () => 'a'.repeat(64));
        return await withChildAhead(workspace, onCpu, seen);
      })
      .toBe(0);
  });
});
