import { describe, expect, it } from 'vitest';
import { limitDataset } from '../../src/datasets/load-dataset.js';
import { lines, temporaryFolder } from './temporary-spec.js';

const folder = temporaryFolder();

describe('limitDataset', () => {
  it('keeps the first examples in id order and has the hash of a file with just those', async () => {
    const rows = ['c', 'a', 'b'].map((id) => ({ id, options: ['x', 'y'] }));
    const yaml = { source: 'rows.jsonl', fields: { id: 'id', options: 'options' } };
    folder.write('rows.jsonl', lines(rows));
    const whole = await folder.load(yaml);
    folder.write('rows.jsonl', lines(rows.slice(1)));
    const two = await folder.load(yaml);
    expect(limitDataset(whole, 2).examples).toEqual(two.examples);
    expect(limitDataset(whole, 2).hash).toBe(two.hash);
    expect(limitDataset(whole, 3)).toBe(whole);
  });
});
