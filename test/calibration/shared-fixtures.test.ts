import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { sharedFixtures } from '../../python/tests/make-fixtures.js';

it('the table that the Python package is tested against is what this side computes', () => {
  const written = JSON.parse(readFileSync(new URL('../../python/tests/fixtures.json', import.meta.url), 'utf8'));
  const computed = JSON.parse(JSON.stringify(sharedFixtures()));
  expect(written.cases.length).toBeGreaterThan(4);
  expect(written.cases.flatMap(({ outcomes }: { outcomes: unknown[] }) => outcomes).length).toBeGreaterThan(25);
  expect(computed).toEqual(written);
});
