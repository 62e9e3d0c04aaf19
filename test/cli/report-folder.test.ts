import path from 'node:path';
import { expect, it } from 'vitest';
import { reportFolder } from '../../src/cli/flags/report-folder.js';

it('is the name of the suite where that is a plain file name', () => {
  for (const suite of ['demo', 'paper-medmcqa', 'a.b_c-1', 'x']) expect(reportFolder(suite)).toBe(`reports/${suite}`);
});

it('is one folder in reports for every other name, and another for each', () => {
  const odd = ['..', '.', '', 'a/b', 'a_b', 'a\\b', '/etc', 'a/../../b', '%2e%2e', '.hidden', 'ends.', 'ü', 'a b'];
  const folders = odd.map(reportFolder);
  for (const folder of folders) expect(path.dirname(folder)).toBe('reports');
  expect(new Set(folders).size).toBe(odd.length);
});
