import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it, test } from 'vitest';
import * as core from '../../src/core.js';
import { builtCommandLine } from '../built-modules.js';

const { applyTemperature, ece, fitArtefact, reliability } = core;
const fixtures = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../../python/tests/fixtures.json'), 'utf8'),
) as { cases: FixtureCase[] };

interface FixtureCase {
  target: number[][];
  ownBase: number[][];
  references: Record<string, number[][]>;
  labels: number[];
  outcomes: {
    method: string;
    combinationSize: number | null;
    selectedReferences: string[] | null;
    kind: string;
    inverseTemperature: number | null;
  }[];
  probabilities: number[][];
  ece: number;
}

test('the numbers are those that the Python package is tested against', () => {
  for (const { target, ownBase, references, labels, outcomes, probabilities, ece: expected } of fixtures.cases) {
    for (const { method, combinationSize, selectedReferences, kind, inverseTemperature } of outcomes) {
      const size = combinationSize === null ? {} : { combinationSize };
      const found = fitArtefact(target, ownBase, references, { method, labels, ...size });
      expect([found.temperatureKind, found.references]).toEqual([kind, selectedReferences]);
      if (inverseTemperature !== null) expect(found.inverseTemperature).toBeCloseTo(inverseTemperature, 12);
    }
    expect(target.slice(0, 5).map((row) => applyTemperature(row, 0.37).probabilities)).toEqual(probabilities);
    const said = target.map((row) => applyTemperature(row, 1));
    const correct = said.map(({ prediction }, n) => prediction === labels[n]);
    const confidences = said.map(({ confidence }) => confidence);
    expect(ece(confidences, correct)).toBe(expected);
    expect(reliability(confidences, correct).reduce((sum, { count }) => sum + count, 0)).toBe(target.length);
  }
});

test('a fit without references is that of DACA, and what it gives is taken as it is', () => {
  const found = fitArtefact([[2, 0]], [[Math.log(0.8), Math.log(0.2)]]);
  expect([found.method, found.temperatureKind, found.rows]).toEqual(['daca', 'finite', 1]);
  expect(applyTemperature([2, 0], found).confidence).toBeCloseTo(0.8, 12);
  const infinite = fitArtefact([[2, 0]], [[0, 3]], {}, { method: 'full-kl' });
  expect([infinite.temperatureKind, applyTemperature([2, 0], infinite).confidence]).toEqual(['infinite', 0.5]);
});

describe('what cannot be meant is refused with its place', () => {
  const nothing = fitArtefact([[2, 0]], [[0, 3]], {});
  it.each([
    [() => applyTemperature([], 1), /^logits: expected one number for each option .* found an empty list$/],
    [() => applyTemperature([1], 1), /^logits: expected the numbers of two options or more, found one$/],
    [() => applyTemperature([1, undefined as never], 1), /^logits\.1: expected a number, found undefined$/],
    [() => applyTemperature([[1, 2]] as never, 1), /^logits\.0: expected a number, found a list$/],
    [() => applyTemperature([1, Number.NaN], 1), /^logits: expected finite numbers/],
    [() => applyTemperature([1, 2], -1), /^calibration: expected 1 \/ temperature, .* found -1$/],
    [() => applyTemperature([1, 2], { temperature: 2 } as never), /^calibration: .* found undefined$/],
    [() => applyTemperature([1, 2], nothing), /^calibration: it has no temperature/],
    [() => fitArtefact([[1]], [[1]]), /^target: row 1: expected a list of rows, .*two options or more/],
    [() => fitArtefact([], []), /^target: expected a list of rows/],
    [() => fitArtefact([[1, 2]], [1, 2] as never), /^ownBase: row 1: expected a list of rows/],
    [() => fitArtefact([[1, 2]], [[1, 2, 3]]), /rows of its own base differ in number or in options/],
    [() => fitArtefact([[1, 2]], [[1, 2]], {}, { method: 'best' }), /unknown method "best"; known:/],
    [() => fitArtefact([[1, 2]], [[1, 2]], { a: [[1, 2]] }, { combinationSize: 2 }), /combination/],
    [() => ece([], []), /^confidences: expected a list of at least one number/],
    [() => ece([0.5, 0.6], [true]), /^correct: expected 2 flags, one for each confidence, found 1$/],
    [() => ece([70], [1]), /^confidences\.0: expected a number in \[0, 1\], found 70$/],
    [() => reliability([0.5], [2 as never]), /^correct\.0: expected true or false/],
  ])('%s', (call, message) => {
    expect(call).toThrow(core.SupportCalError);
    expect(call).toThrow(message);
  });
});

test('require and import of the built core give the same, and a bundle keeps only what it uses', async () => {
  const folder = path.dirname(builtCommandLine());
  const required = createRequire(import.meta.url)(path.join(folder, 'core.cjs')) as typeof core;
  const imported = (await import(pathToFileURL(path.join(folder, 'core.js')).href)) as typeof core;
  expect(Object.keys(required).sort()).toEqual(Object.keys(core).sort());
  expect(required.applyTemperature([1, 2], 0.5)).toEqual(imported.applyTemperature([1, 2], 0.5));
  const sizeOf = async (names: string) => {
    const contents = `import { ${names} } from '../../src/core.js'; globalThis.used = [${names}];`;
    const stdin = { contents, resolveDir: folder };
    const { outputFiles } = await build({ stdin, bundle: true, format: 'esm', minify: true, write: false });
    return outputFiles[0]!.contents.length;
  };
  expect(await sizeOf('applyTemperature')).toBeLessThan(0.5 * (await sizeOf('applyTemperature, fitArtefact')));
});
