import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { refusal, temporaryFolder } from '../datasets/temporary-spec.js';

const folder = temporaryFolder();
const fixtures = path.join(import.meta.dirname, '..', 'fixtures', 'tables');
const NAMES = ['polars.arrow', 'polars.arrows', 'polars-lz4.arrow', 'polars-zstd.arrow', 'polars.parquet'];

function copied(name: string): string {
  copyFileSync(path.join(fixtures, name), folder.write(name, ''));
  return name;
}

describe('tables of Polars 2', () => {
  it.each(NAMES)('%s gives its rows, exact, in blocks of several rows', async (name) => {
    const fields = { id: 'id', options: 'choices', label: { field: 'answer', labelBase: 0 } };
    const { examples } = await folder.load({ source: copied(name), fields });
    expect(examples.map(({ id, options, label }) => [id, options, label])).toEqual(
      [0, 1, 2, 3, 4, 5, 6].map((n) => [`${9007199254740993n + BigInt(n)}`, [`a${n}`, `b${n}`], n % 2]),
    );
    const { q, topic, level, price, at } = examples[5]!.fields;
    expect({ q, topic, level, price, at }).toEqual({
      q: 'Größe 5, with more than twelve bytes?',
      topic: '',
      level: 'high',
      price: '1.25',
      at: '2020-01-02T03:04:05.000005Z',
    });
  });

  it('are refused where a field names a column that is not read, which else keeps nothing from being read', async () => {
    const source = copied('arrow-only.arrow');
    const label = { field: 'union', as: 'text' };
    const options = { labels: ['a', '7', 'b'] };
    const { examples } = await folder.load({ source, fields: { options, label } });
    expect(examples.map((each) => each.label).sort()).toEqual([0, 1, 2, null].sort());
    expect((await refusal(folder.load({ source, fields: { options, label: 'moments' } }))).join()).toMatch(
      /found a column of a type that is not read: a union of other types than numbers and texts/,
    );
  });
});
