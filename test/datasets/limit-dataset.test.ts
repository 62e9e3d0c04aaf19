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

  it('counts in warnings and left-out rows what it keeps, not what it leaves', async () => {
    const rows = ['a', 'b', 'c', 'd'].map((id) => ({ id, options: ['x', id < 'c' ? `y${id}` : 'x'] }));
    folder.write('equal.jsonl', lines(rows));
    const whole = await folder.load({
      source: 'equal.jsonl',
      fields: { id: 'id', options: 'options' },
    });
    expect(whole.warnings.join()).toContain('2 rows with two equal options (kept): c, d');
    expect(limitDataset(whole, 3).warnings.join()).toContain('1 row with two equal options (kept): c');
    expect(limitDataset(whole, 2).warnings.join()).not.toContain('equal options');
    const dropped = {
      ...whole,
      leftOut: [
        { id: 'aa', reason: 'r' },
        { id: 'cc', reason: 'r' },
      ],
    };
    expect(limitDataset(dropped, 2).leftOut).toEqual([{ id: 'aa', reason: 'r' }]);
  });
});
