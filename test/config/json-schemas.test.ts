import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { datasetSchema } from '../../src/config/dataset-schema.js';
import { jsonSchemas } from '../../src/config/json-schemas.js';
import { modelSchema, suiteSchema } from '../../src/config/models-schema.js';

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
