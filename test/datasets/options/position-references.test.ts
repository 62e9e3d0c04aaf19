import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { datasetSchema } from '../../../src/config/dataset-schema.js';
import { loadDataset } from '../../../src/datasets/load-dataset.js';
import { positionReferences, refersToPosition } from '../../../src/datasets/options/position-references.js';

const referring = [
  ...['All of the above', 'None of the above.', 'none of these', 'All the above', 'Any of the above', 'None of Above'],
  ...[
    'Both',
    'both.',
    'None',
    'ALL',
    'Both are correct',
    'Neither is true',
    'all of the following',
    'd) None of the above',
  ],
  ...[
    'both A and C',
    'Both (a) & (c)',
    'neither B nor D',
    'A and B',
    'A, B and C',
    'a,c',
    'A & D only',
    'only B',
    'C > A > B',
  ],
  ...['Both AB', 'Both 1 and 2', 'Options 2 and 3', 'both option 1 and 4', 'A, B are true & C, D are false'],
  ...['the first two options', 'first and third', 'both the first and the second', 'the last option'],
];
const plain = [
  ...[
    'A',
    'c',
    '2',
    'aorta',
    'a cat',
    'Vitamin A and D',
    'Both kidneys',
    'All primary teeth',
    'None of the patients died',
  ],
  ...['1 and 2', '3, 4', 'Type 1 and 2', 'only molars', 'second', 'first molar', 'the two of them agree', 'A and Z'],
  ...[
    'above the ischial spine',
    'an option a doctor has not',
    'both active and passive immunisation',
    'bc',
    'neither happy nor sad',
  ],
];

describe('refersToPosition', () => {
  it.each(referring)('finds %s', (option) => expect(refersToPosition(option, 4, 'upper')).toBe(true));
  it.each(plain)('leaves %s alone', (option) => expect(refersToPosition(option, 4, 'upper')).toBe(false));

  it('takes bare numbers for places where the labels are digits, and letters only up to the last option', () => {
    expect(refersToPosition('1 and 2', 4, 'digits')).toBe(true);
    expect(refersToPosition('7 and 9', 4, 'digits')).toBe(false);
    expect(refersToPosition('A and E', 4, 'upper')).toBe(false);
    expect(refersToPosition('A and E', 5, 'upper')).toBe(true);
  });
});

describe('positionReferences', () => {
  it('counts examples and options, and lists the ids of all such examples', () => {
    const examples = Array.from({ length: 30 }, (_, n) => ({
      id: `q${n}`,
      fields: {},
      options: n % 2 === 0 ? ['x', 'y', 'both A and B', 'none of the above'] : ['u', 'v'],
      label: 0,
      contentHash: '',
    }));
    const ids = Array.from({ length: 15 }, (_, n) => `q${2 * n}`);
    expect(positionReferences(examples, 'upper')).toEqual({ examples: 15, options: 30, ids });
  });

  const source = path.resolve('..', 'shared', 'data', 'medmcqa', 'dev.json');
  it.skipIf(!existsSync(source))('finds 370 options in 326 questions of MedMCQA', async () => {
    const yaml = datasetSchema.parse({
      source: { path: source, format: 'jsonl' },
      fields: { id: 'id', options: { columns: ['opa', 'opb', 'opc', 'opd'] }, label: { field: 'cop', labelBase: 1 } },
      prompt: { template: '{question}\n{options}' },
    });
    const dataset = await loadDataset({
      id: 'medmcqa',
      file: 'medmcqa.yaml',
      yaml,
      locate: () => ({}),
      outside: 'all',
    });
    expect(positionReferences(dataset.examples, 'upper')).toMatchObject({ examples: 326, options: 370 });
  });
});
