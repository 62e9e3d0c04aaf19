import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeRunIndex } from '../../../src/pipeline/write/write-run-index.js';
import { compareRuns } from '../../../src/report/compare/compare-runs.js';
import { comparisonDocument } from '../../../src/report/compare/comparison-document.js';
import { comparisonPage } from '../../../src/report/runs/comparison-section.js';
import { stringifyResults } from '../../../src/results/parse-results.js';
import { exampleResults } from '../example-results.js';

const shape = { datasets: ['d'], targets: ['t', '<b>u</b>'], seeds: [1, 2] };
const earlier = { ...exampleResults(shape), title: 'Birds' };
const later = {
  ...exampleResults(shape, (run) => (run.method === 'daca' ? { ...run, ece: run.ece! + 0.02 } : run)),
  createdAt: '2026-02-03T04:05:06.000Z',
};
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'supportcal-runs-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function leave(name: string, text: string, page = false): Promise<void> {
  await mkdir(path.join(folder, name));
  await writeFile(path.join(folder, name, 'results.json'), text);
  if (page) await writeFile(path.join(folder, name, 'report.html'), 'page');
}

test('a folder of runs has one page: the newest first, linked where they have a page, with what changed between them', async () => {
  await expect(writeRunIndex(folder)).rejects.toThrow('no finished run');
  await leave('a b', stringifyResults(earlier), true);
  await leave('later', stringifyResults(later));
  await leave('broken', '{');
  await mkdir(path.join(folder, 'not-a-run'));
  const { file, runs, unread } = await writeRunIndex(folder);
  expect(runs.map(({ name }) => name)).toEqual(['a b', 'later']);
  expect(unread).toEqual([{ name: 'broken', reason: expect.stringContaining('expected a JSON document') }]);
  const page = await readFile(file, 'utf8');
  expect(page.indexOf('<small>later</small>')).toBeLessThan(page.indexOf('<small>a b</small>'));
  expect(page).toContain('<a href="a%20b/report.html">Birds</a>');
  expect(page).not.toContain('later/report.html');
  expect(page).toContain('later since a b: 14 rows in both runs: 2 changed, 12 as before');
  expect(page).toContain('broken: expected a JSON document');
  expect(page).not.toContain('<b>u</b>');
});

test('a comparison is a page of its own, with the rows that changed and no markup of theirs', () => {
  const [a, b] = [earlier, later].map((results, n) => ({ name: `run-${n}`, results, manifest: null }));
  const page = comparisonPage(comparisonDocument(a!, b!, compareRuns(a!, b!), 40));
  expect(page).toContain('14 rows in both runs: 2 changed, 12 as before; the largest change is +2.00 pp');
  expect(page.match(/<tr><th scope="row">d<\/th>/g)!.length).toBeGreaterThan(2);
  expect(page).not.toContain('<b>u</b>');
  expect(page).toContain('default-src &#39;none&#39;'.replaceAll('&#39;', "'"));
});
