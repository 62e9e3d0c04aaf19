import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sourceSchema } from '../../../src/config/source-schema.js';
import { loadDataset } from '../../../src/datasets/load-dataset.js';
import { HubServer } from '../../hub/hub-server.js';
import { lines, refusal, temporaryFolder } from '../temporary-spec.js';

const COMMIT = 'a'.repeat(40);
const CONVERTED = 'c'.repeat(40);
const folder = temporaryFolder();
const parquet = readFileSync(path.join(import.meta.dirname, '..', 'fixtures/rows-snappy.parquet'));
const text = (rows: readonly unknown[]) => new TextEncoder().encode(lines(rows));
const row = (id: string) => ({ id, q: `${id}?`, a: 'yes', b: 'no', k: 0 });
const FIELDS = { id: 'id', options: { columns: ['a', 'b'] }, label: { field: 'k', labelBase: 0 } };
const PARQUET_FIELDS = { id: 'key', options: 'choices', label: { field: 'answer', labelBase: 1 } };

let server: HubServer;
beforeEach(async () => {
  server = await new HubServer().start();
  server.repositories.set('datasets/o/parquet', {
    revisions: { main: COMMIT },
    commits: { [COMMIT]: { 'data/test-00000-of-00001.parquet': parquet, 'README.md': text([]) } },
  });
  server.repositories.set('datasets/o/text', {
    revisions: { main: COMMIT },
    commits: {
      [COMMIT]: {
        'easy/test.jsonl': text([row('e1')]),
        'easy/dev.jsonl': text([row('d1'), row('d2')]),
        'tweets.txt': new TextEncoder().encode('one\ntwo\n'),
        'labels.txt': new TextEncoder().encode('0\n1\n'),
      },
    },
  });
  server.repositories.set('datasets/o/script', {
    revisions: { main: COMMIT, 'refs/convert/parquet': CONVERTED },
    commits: { [COMMIT]: { 'script.py': text([]) }, [CONVERTED]: { 'default/test/0000.parquet': parquet } },
  });
});
afterEach(() => server.stop());

describe('a hub source', () => {
  it('gives the rows of its split, says which commit and hash they are of, and needs the hub once', async () => {
    const access = server.access();
    const spec = folder.spec({ source: { hub: 'o/parquet', split: 'test' }, fields: PARQUET_FIELDS });
    const dataset = await loadDataset(spec, access);
    expect(dataset.examples.map((example) => example.id)).toEqual(['7', '8', '9007199254740992', '9007199254740993']);
    expect(dataset.origin).toEqual([
      expect.stringMatching(/^hub o\/parquet@a{40} data\/test-00000-of-00001\.parquet sha256:[0-9a-f]{64}$/),
    ]);
    const asked = server.seen.length;
    expect(await loadDataset(spec, { ...access, offline: true })).toEqual(dataset);
    expect(server.seen).toHaveLength(asked);
  });

  it('takes the conversion to Parquet of a data set that is a script', async () => {
    const spec = folder.spec({ source: { hub: 'o/script', split: 'test' }, fields: PARQUET_FIELDS });
    const dataset = await loadDataset(spec, server.access());
    expect(dataset.examples).toHaveLength(4);
    expect(dataset.origin[0]).toMatch(/@c{40} default\/test\/0000\.parquet/);
    const pinned = folder.spec({
      source: { hub: 'o/script', split: 'test', revision: COMMIT },
      fields: PARQUET_FIELDS,
    });
    expect(await refusal(loadDataset(pinned, server.access()))).toEqual([
      expect.stringContaining('no files of split "test"'),
    ]);
  });

  it('reads configurations, listed files and paired text files', async () => {
    const load = (source: Record<string, unknown>, fields: unknown = FIELDS) =>
      loadDataset(folder.spec({ source: { hub: 'o/text', ...source }, fields }), server.access());
    expect((await load({ config: 'easy', split: 'test' })).examples.map(({ id }) => id)).toEqual(['e1']);
    const listed = await load({ files: ['easy/test.jsonl', 'easy/dev.jsonl'], limit: 2 });
    expect(listed.examples.map(({ id }) => id)).toEqual(['d1', 'e1']);
    const paired = await load(
      { files: { text: 'tweets.txt', label: 'labels.txt' } },
      { id: 'text', options: { labels: ['bad', 'good'] }, label: { field: 'label', labelBase: 0 } },
    );
    expect(paired.examples.map(({ id, label }) => [id, label])).toEqual([
      ['one', 0],
      ['two', 1],
    ]);
  });

  it('shows solved examples of another split', async () => {
    const spec = folder.spec({
      source: { hub: 'o/text', config: 'easy', split: 'test' },
      fields: FIELDS,
      prompt: { template: '{q}\n{options}\nAnswer:', fewShot: { count: 2, seed: 1, from: { split: 'dev' } } },
    });
    const dataset = await loadDataset(spec, server.access());
    expect(dataset.shots.map((shot) => shot.id).sort()).toEqual(['d1', 'd2']);
    expect(dataset.examples.map((example) => example.id)).toEqual(['e1']);
  });

  it.each([
    [{ hub: '..', split: 'test' }],
    [{ hub: 'x/..', split: 'test' }],
    [{ hub: '../x', split: 'test' }],
    [{ hub: 'o/text', revision: '..', split: 'test' }],
    [{ hub: 'o/text', revision: 'refs/../x', split: 'test' }],
  ])('%j is refused with the file, and in code before any request', (source) => {
    expect(sourceSchema.safeParse(source).success).toBe(false);
    const plain = ['gpt2', 'o/text..x', 'o/.hidden'].map((hub) => sourceSchema.safeParse({ hub, split: 'test' }));
    expect(plain.every(({ success }) => success)).toBe(true);
  });

  it.each([
    [{ hub: 'o/none', split: 'test' }, /no such repository, or a private one/],
    [{ hub: 'o/parquet', split: 'dev' }, /no files of split "dev"; it has test; or name them/],
    [{ hub: 'o/text', config: 'hard', split: 'test' }, /of configuration "hard"; it has easy\/dev, easy\/test/],
    [
      { hub: 'o/text', files: ['easy/tst.jsonl'] },
      /no file easy\/tst\.jsonl at main; it has easy\/dev\.jsonl, easy\/test/,
    ],
    [{ hub: 'o/text', revision: 'v9', split: 'test' }, /datasets\/o\/text at v9: no such revision/],
  ])('%j is a fault of its YAML line', async (source, message) => {
    const faults = await refusal(loadDataset(folder.spec({ source, fields: FIELDS }), server.access()));
    expect(faults).toEqual([expect.stringMatching(/^missing-file trial\.yaml:3 source\.hub -: /)]);
    expect(faults[0]).toMatch(message);
    expect(faults[0]).toMatch(/; rows that you have already: --source trial=FILE$/);
  });
});
