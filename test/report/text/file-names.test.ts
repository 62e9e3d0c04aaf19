import { expect, test } from 'vitest';
import { figurePath, tablePath } from '../../../src/report/text/file-names.js';

test('a plain identifier names its own table', () => {
  expect(tablePath('demo-facts')).toBe('tables/demo-facts.csv');
  expect(figurePath('reliability', 'demo-facts', 'llama-chat')).toBe('figures/reliability--demo-facts--llama-chat.svg');
});

test('two labels never share a file, on file systems that ignore case either', () => {
  const slugOfAB = tablePath('a b').slice('tables/'.length, -'.csv'.length);
  const labels = [
    'M',
    'm',
    'runs',
    'RUNS',
    'a b',
    'a-b',
    'a/b',
    slugOfAB,
    'con',
    'nul.txt',
    '',
    '..',
    'é',
    'e',
    'x'.repeat(300),
  ];
  const paths = ['tables/runs.csv', ...labels.map(tablePath)].map((path) => path.toLowerCase());
  expect(new Set(paths).size).toBe(labels.length + 1);
});

test('joined names stay apart', () => {
  const pairs = [
    ['a-b', 'c'],
    ['a', 'b-c'],
    ['a--b', 'c'],
    ['a', 'b--c'],
    ['a', '-b'],
  ] as const;
  expect(new Set(pairs.map(([dataset, target]) => figurePath('reliability', dataset, target))).size).toBe(pairs.length);
});

test('no label leaves its folder or holds a character that a file system refuses', () => {
  for (const label of ['../../etc/passwd', 'hf:org/repo:Q4_K_M', 'a b?.gguf', 'C:\\x', 'con', '\u0000', '🦙']) {
    expect(tablePath(label)).toMatch(/^tables\/[A-Za-z0-9._-]+\.csv$/);
    expect(tablePath(label)).not.toMatch(/\/(con\.|\.)/);
  }
});
