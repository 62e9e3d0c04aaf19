import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listEntries, verifyEntries } from '../../src/cache/list-entries.js';
import { readEntry } from '../../src/cache/read-entry.js';
import { completeEntry, partialEntry, testKey } from './cache-fixture.js';
import { testIds, testReply } from './test-ingredients.js';

const key = testKey({ scoringMode: 'elicitation-ensemble 1' });
const ids = testIds(9);

describe('an entry of replies', () => {
  it('is read back with every text, verdict, answer, confidence, seed and length', async () => {
    const state = await readEntry(await completeEntry(key, testReply), key);
    if (state.kind !== 'complete') throw new Error(state.kind);
    const { replies, status } = state.table;
    for (const [n, id] of ids.entries()) {
      const row = testReply(id, n);
      expect(status[n]).toBe(row.status === 'failed' ? 0 : 1);
      if (row.status !== 'replied') continue;
      const { texts, verdicts, answers, confidences, seeds, replyTokens } = replies!;
      expect([texts[n], verdicts[n], answers[n]]).toEqual([row.text, row.parsed!.verdict, row.parsed!.answer]);
      expect([confidences[n], seeds[n], replyTokens[n]]).toEqual([row.parsed!.confidence, row.seed, row.replyTokens]);
    }
  });

  it('shows in the list while it grows and when it is complete, and fails verification when a byte is changed', async () => {
    const growing = await partialEntry(key, testReply, { count: 4 });
    const mode = { scoringMode: 'elicitation-ensemble 1' };
    expect(await verifyEntries(growing)).toMatchObject([{ state: 'partial', rows: 4, key: mode }]);
    const cacheDir = await completeEntry(key, testReply);
    expect(await listEntries(cacheDir)).toMatchObject([{ state: 'complete', rows: 9, failed: 1, key: mode }]);
    const path = join(cacheDir, `${key.name}.arrow`);
    const bytes = readFileSync(path);
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(path, bytes);
    expect(await verifyEntries(cacheDir)).toMatchObject([{ state: 'damaged', damaged: [{ file: path }] }]);
  });
});
