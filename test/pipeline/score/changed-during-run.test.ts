import { copyFileSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { verifyEntries } from '../../../src/cache/list-entries.js';
import type { Scorer } from '../../../src/contract/scorer.js';
import { sha256OfFile } from '../../../src/files/sha256-of-file.js';
import { scoreStage } from '../../../src/pipeline/score-stage.js';
import { wordProblems } from '../demo-workspace.js';
import { quizWorkspace } from '../quiz-workspace.js';
import { stubScorer } from '../stub-scorer.js';

const never = new AbortController().signal;

/** Other weights of the same number of bytes: the last ones belong to the last tensor. */
function changeInPlace(file: string): void {
  const at = statSync(file).size - 4096;
  writeSync(openSync(file, 'r+'), readFileSync(file).subarray(at - 4096, at), 0, 4096, at);
}

describe('a model file that is changed while it is being scored', () => {
  it('fails that model alone, with no row of the new file under the old key; the next run scores the file as it is now', async () => {
    const workspace = quizWorkspace(wordProblems(40));
    const { options } = workspace;
    const file = workspace.file('target.gguf');
    copyFileSync(workspace.demoModel('target'), file);
    workspace.writeModels({ target: 'target.gguf' });
    const before = await sha256OfFile(file);
    let stored = 0;
    const onRows = (model: string, _dataset: string, rows: number) => {
      if (model !== 'target') return;
      if (stored === 0) changeInPlace(file);
      stored += rows;
    };
    const { status, entries } = await scoreStage(options, { onRows }, never);
    expect([status, entries.map(({ state }) => state)]).toEqual(['partial', ['scored', 'scored', 'failed']]);
    expect(entries[2]!.reason).toMatch(/target\.gguf: the file was changed or removed while "target" was being scored/);
    const again = await scoreStage(options, {}, never);
    expect(again.entries.map(({ state }) => state)).toEqual(['cached', 'cached', 'scored']);
    const ofTarget = (await verifyEntries(options.cache)).filter(({ key }) => key?.model === 'target');
    const seen = ofTarget.map(({ key, state, rows }) => [
      key?.kind === 'scored' && 'modelHash' in key && key.modelHash,
      state,
      rows,
    ]);
    expect(seen).toContainEqual([before, 'partial', stored]);
    expect(seen).toContainEqual([await sha256OfFile(file), 'complete', 40]);
  });
});

/** The run itself may write a sign of life there between the look into the folder and its removal. */
function removeWhole(folder: string): void {
  for (let tries = 1; ; tries++) {
    try {
      rmSync(folder, { recursive: true, force: true });
      return;
    } catch (error) {
      if (tries === 50) throw error;
    }
  }
}

describe('a cache folder that is deleted while rows are being scored', () => {
  it('ends the run with what to do; the next one ends like one that nobody disturbed', async () => {
    const { options, file } = quizWorkspace(wordProblems(40));
    const labels = new Map(wordProblems(40).map(({ id }, n) => [id, n % 4]));
    const scorer = stubScorer({ labels, options: 4, bases: ['base', 'reference'] });
    const deleting: Scorer = (jobs, settings, events) => {
      removeWhole(options.cache);
      return scorer(jobs, settings, events);
    };
    await expect(scoreStage(options, {}, never, deleting)).rejects.toMatchObject({
      code: 'cache-busy',
      message: expect.stringMatching(/its folder was removed; run again to go on/),
    });
    expect((await scoreStage(options, {}, never, scorer)).status).toBe('complete');
    const fresh = { ...options, cache: file('fresh-cache') };
    await scoreStage(fresh, {}, never, scorer);
    const sums = async (cache: string) =>
      (await verifyEntries(cache)).map(({ name, state, manifest }) => [name, state, manifest!.checksum]);
    expect(await sums(options.cache)).toEqual(await sums(fresh.cache));
  });
});
