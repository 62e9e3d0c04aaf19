import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeReport } from '../../src/report/write-report.js';
import { exampleDiagnostics, exampleResults } from './example-results.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'supportcal-report-'));
});
afterEach(() => rm(folder, { recursive: true }));

const write = (datasets: string[]) => {
  const shape = { datasets, targets: ['t'] };
  return writeReport(folder, {
    results: exampleResults(shape),
    diagnostics: exampleDiagnostics(shape),
    examples: null,
    answers: null,
    manifest: null,
  });
};

test('the report is written with its tables and figures, and the list of files is returned', async () => {
  const files = await write(['a', 'b']);
  expect(files).toEqual([
    ...['report.md', 'report.html', 'tables/a.csv', 'tables/b.csv', 'tables/runs.csv', 'tables/a.tex', 'tables/b.tex'],
    ...[
      'card',
      'before-after',
      'ece--a',
      'ece--b',
      'reliability--a--t',
      'reliability--b--t',
      'temperature--a',
      'temperature--b',
    ].flatMap((name) => [`figures/${name}.svg`, `figures/${name}.csv`]),
  ]);
  for (const file of files) expect((await readFile(join(folder, file), 'utf8')).length).toBeGreaterThan(100);
  const all = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  expect(all).toHaveLength(files.length + 1);
});

test('tables and figures of an earlier report are removed, files of others never', async () => {
  await write(['a', 'b']);
  await writeFile(join(folder, 'tables/mine.csv'), 'mine');
  await writeFile(join(folder, 'figures/mine.svg'), 'mine');
  await write(['b']);
  expect((await readdir(join(folder, 'tables'))).sort()).toEqual(['b.csv', 'b.tex', 'mine.csv', 'runs.csv']);
  expect((await readdir(join(folder, 'figures'))).sort()).toEqual([
    ...[
      'before-after.csv',
      'before-after.svg',
      'card.csv',
      'card.svg',
      'ece--b.csv',
      'ece--b.svg',
      'mine.svg',
      'reliability--b--t.csv',
      'reliability--b--t.svg',
    ],
    ...['temperature--b.csv', 'temperature--b.svg'],
  ]);
});

test('a list that names files elsewhere removes nothing there', async () => {
  const outside = join(folder, 'precious.csv');
  await writeFile(outside, 'x');
  await mkdir(join(folder, 'tables/deep'), { recursive: true });
  await writeFile(join(folder, 'tables/deep/x.csv'), 'x');
  const files = [
    'precious.csv',
    'tables/../precious.csv',
    'tables/deep/x.csv',
    '/etc/hostname',
    'tables/..',
    7,
    outside,
  ];
  await writeFile(join(folder, 'report-files.json'), JSON.stringify({ files }));
  await write(['a']);
  expect(existsSync(outside)).toBe(true);
  expect(existsSync(join(folder, 'tables/deep/x.csv'))).toBe(true);
});

test('a damaged list is no obstacle', async () => {
  for (const text of ['{', 'null', '[]', '{"files": 3}']) {
    await writeFile(join(folder, 'report-files.json'), text);
    expect(await write(['a'])).toContain('tables/a.csv');
  }
});

test('a second report of the same results leaves every file as it is', async () => {
  const files = await write(['a']);
  const past = new Date(1_000_000_000_000);
  for (const file of files) await utimes(join(folder, file), past, past);
  await write(['a']);
  for (const file of files) expect((await stat(join(folder, file))).mtimeMs).toBe(past.getTime());
});
