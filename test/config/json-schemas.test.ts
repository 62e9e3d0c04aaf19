import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type DatasetYaml, datasetSchema } from '../../src/config/dataset-schema.js';
import { jsonSchemas } from '../../src/config/json-schemas.js';
import { modelSchema, suiteSchema } from '../../src/config/models-schema.js';
import { fieldMapping } from '../../src/datasets/fields/field-mapping.js';
import { promptLayout } from '../../src/datasets/prompts/prompt-layout.js';
import { MAX_FAILED_SHARE } from '../../src/engine/rows/failed-share.js';
import { leastOptionMass } from '../../src/pipeline/score/least-option-mass.js';
import { MOST_FAILED } from '../../src/scoring/endpoint/score-endpoints.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

describe('the JSON Schemas', () => {
  it.each([...jsonSchemas()])('schemas/%s is what the code says now (npm run schemas)', (name, text) => {
    expect(read(`schemas/${name}`)).toBe(text);
  });

  it('know every key, with its description, and no other', () => {
    const schema = JSON.parse(jsonSchemas().get('dataset.schema.json')!);
    expect(Object.keys(schema.properties).sort()).toEqual(Object.keys(datasetSchema.shape).sort());
    expect(schema.additionalProperties).toBe(false);
    const models = JSON.parse(jsonSchemas().get('models.schema.json')!);
    expect(Object.keys(models.properties.models.items.properties).sort()).toEqual(
      Object.keys(modelSchema.shape).sort(),
    );
    expect(models.properties.models.items.required).toEqual(['id', 'role']);
    const suite = models.properties.suites.additionalProperties;
    expect(Object.keys(suite.properties).sort()).toEqual(Object.keys(suiteSchema.shape).sort());
    expect(suite.properties.references.description).toMatch(/candidate pool/);
  });

  it('say the defaults that the code has', () => {
    const said = (file: string, ...names: string[]) => {
      const found = names.reduce(
        (schema, name) => schema.properties?.[name] ?? schema.additionalProperties.properties[name],
        JSON.parse(jsonSchemas().get(file)!),
      );
      return found.description as string;
    };
    const schema = JSON.parse(jsonSchemas().get('models.schema.json')!);
    const { maxFailedShare } = schema.properties.models.items.properties.scoring.properties;
    expect(maxFailedShare.description).toMatch(
      new RegExp(`with a file.*\\(default ${MAX_FAILED_SHARE}\\);.*with a server.*\\(default ${MOST_FAILED}\\)`),
    );
    const yaml = {
      fields: { options: 'o', label: 'l' },
      prompt: { template: '{question}\n{options}' },
    } as unknown as DatasetYaml;
    const spec = { id: 'd', file: 'd.yaml', yaml, locate: () => ({}) };
    const dataset = (...names: string[]) => said('dataset.schema.json', ...names);
    const layout = promptLayout(spec, undefined);
    expect(layout.optionJoin).toBe('\n');
    expect(dataset('prompt', 'optionJoin')).toContain('default a line break');
    const scoring = { mode: 'text', normalize: 'pmi' };
    const text = { ...yaml, prompt: { template: 'Q: {question}' }, scoring } as DatasetYaml;
    const { textScore } = promptLayout({ ...spec, yaml: text }, undefined);
    const pmiPrompt = textScore?.normalize === 'pmi' ? textScore.pmiPrompt : null;
    expect(dataset('scoring', 'pmiPrompt')).toContain(`default ${JSON.stringify(pmiPrompt)}`);
    const { emptyOptions, duplicateOptions, severalAnswers } = fieldMapping(spec);
    expect(dataset('emptyOptions')).toContain(`default ${emptyOptions}`);
    expect(dataset('duplicateOptions')).toContain(`default ${duplicateOptions}`);
    expect(dataset('severalAnswers')).toContain(`default ${severalAnswers}`);
    const [letter, other] = [leastOptionMass(undefined), leastOptionMass(text.scoring)];
    expect(dataset('scoring', 'minimumOptionMass')).toContain(`default ${letter} in letter mode, ${other} otherwise`);
  });

  it('are named in the first line of every YAML file that ships', () => {
    const shipped = [
      ...readdirSync(path.join(root, 'datasets')).map((name) => `datasets/${name}`),
      'models.yaml',
      'published/supportcal-paper.yaml',
    ];
    for (const file of shipped.filter((name) => name.endsWith('.yaml'))) {
      const named = /^# yaml-language-server: \$schema=(\S+)\n/.exec(read(file))?.[1];
      expect([file, path.join(path.dirname(file), named ?? 'none')]).toEqual([
        file,
        expect.stringMatching(/^schemas\/\w+\.schema\.json$/),
      ]);
      expect(jsonSchemas().has(path.basename(named!))).toBe(true);
    }
  });
});
