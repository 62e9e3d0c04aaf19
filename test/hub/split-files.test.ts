import { describe, expect, it } from 'vitest';
import { splitFiles, splitNames } from '../../src/hub/split-files.js';

const list = (...paths: string[]) => paths.map((path) => ({ path, bytes: 1, sha256: null, blobSha1: '' }));
const found = (files: string[], split: string, config?: string) => {
  const result = splitFiles(list(...files), split, config);
  return 'fault' in result ? result.fault : result.map((file) => file.path);
};

describe('splitFiles', () => {
  it.each([
    [
      ['data/test-00000-of-00001.parquet', 'data/train-00000-of-00001.parquet'],
      undefined,
      ['data/test-00000-of-00001.parquet'],
    ],
    [['data/test-00000-of-00001-a1b2.parquet'], undefined, ['data/test-00000-of-00001-a1b2.parquet']],
    [
      ['ARC-Challenge/test-00000-of-00001.parquet', 'ARC-Easy/test-00000-of-00001.parquet'],
      'ARC-Challenge',
      ['ARC-Challenge/test-00000-of-00001.parquet'],
    ],
    [
      ['default/test/0000.parquet', 'default/test/0001.parquet'],
      undefined,
      ['default/test/0000.parquet', 'default/test/0001.parquet'],
    ],
    [['test.jsonl', 'test.csv', 'README.md'], undefined, ['test.jsonl']],
    [['test.jsonl', 'data/test-00000-of-00001.parquet'], undefined, ['data/test-00000-of-00001.parquet']],
    [['data/test.csv.gz'], undefined, ['data/test.csv.gz']],
    [['test_extra.jsonl', 'mytest.jsonl', 'old/test.jsonl'], undefined, []],
    [['a.b/test.jsonl', 'axb/test.jsonl'], 'a.b', ['a.b/test.jsonl']],
  ])('%j, config %s', (files, config, expected) => {
    expect(found(files, 'test', config)).toEqual(expected);
  });

  it('misses no part of a split', () => {
    expect(found(['data/test-00000-of-00003.parquet', 'data/test-00002-of-00003.parquet'], 'test')).toBe(
      '2 of 3 files of split "test" are there',
    );
  });

  it.each([
    ['..', 'test'],
    ['%2e%2e', 'test'],
    ['a/../b', 'test'],
    [' ', ' '],
    [undefined, '..'],
    [undefined, '../../x'],
    [undefined, '%2e%2e'],
    [undefined, '.*'],
  ])('finds nothing for configuration %j and split %j, whatever that means in an address', (config, split) => {
    expect(found(['data/test.parquet', 'b/test.jsonl', 'x/y/train.csv'], split, config)).toEqual([]);
  });

  it('names splits with their configuration', () => {
    const files = list(
      'data/train-00000-of-00002.parquet',
      'data/train-00001-of-00002.parquet',
      'x/dev.csv',
      'y/test/0000.parquet',
      'a.py',
    );
    expect(splitNames(files)).toEqual(['train', 'x/dev', 'y/test']);
  });
});
