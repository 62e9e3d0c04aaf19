import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SupportCalError } from '../../../src/errors/supportcal-error.js';
import { artefactJsonSchema } from '../../../src/pipeline/artefact/artefact-schema.js';
import { parseArtefact, stringifyArtefact } from '../../../src/pipeline/artefact/parse-artefact.js';
import { exampleArtefact } from './example-artefact.js';

const refusal = (text: string) => {
  try {
    parseArtefact(text, 'a.json');
    return 'accepted';
  } catch (error) {
    return (error as SupportCalError).message;
  }
};

test('an artefact comes back as it was written', () => {
  const artefact = exampleArtefact();
  expect(parseArtefact(stringifyArtefact(artefact), 'a.json')).toEqual(artefact);
});

test.each([
  ['no JSON', '{', /expected a JSON document/],
  ['another document', '{"schemaVersion": 1}', /kind: is no calibration artefact/],
  ['null', 'null', /kind: is no calibration artefact/],
  ['another version', JSON.stringify({ ...exampleArtefact(), schemaVersion: 2 }), /schemaVersion: expected 1, found 2/],
  ['a missing field', JSON.stringify({ ...exampleArtefact(), method: undefined }), /a\.json: method: expected object/],
  [
    'a finite kind without a value',
    JSON.stringify({ ...exampleArtefact(), temperature: null }),
    /temperature: expected a number above 0/,
  ],
  [
    'an infinite kind with a value',
    JSON.stringify({ ...exampleArtefact(), temperatureKind: 'infinite' }),
    /temperature: expected null beside the kind "infinite"/,
  ],
  [
    'a temperature and an inverse that disagree',
    JSON.stringify({ ...exampleArtefact(), temperature: 4 }),
    /inverseTemperature: expected 1 \/ temperature, 0\.25/,
  ],
  [
    'a temperature without an inverse',
    JSON.stringify({ ...exampleArtefact(), temperature: 1e-310 }),
    /temperature: expected a number that has an inverse/,
  ],
])('%s is refused', (_, text, message) => {
  expect(refusal(text)).toMatch(message);
});

test('an artefact that its reader would refuse is not written', () => {
  expect(() => stringifyArtefact({ ...exampleArtefact(), temperature: Number.NaN })).toThrow(SupportCalError);
});

test('schemas/calibration.schema.json is what the code says now (npm run schemas)', () => {
  const file = new URL('../../../schemas/calibration.schema.json', import.meta.url);
  expect(readFileSync(file, 'utf8')).toBe(artefactJsonSchema());
});
