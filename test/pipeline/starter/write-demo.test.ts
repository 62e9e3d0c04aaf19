import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadDatasetSpecs } from '../../../src/config/load-dataset-specs.js';
import { loadModels } from '../../../src/config/load-models.js';
import { planSuite } from '../../../src/config/plan-suite.js';
import { writeDemo } from '../../../src/pipeline/starter/write-demo.js';
import { defaultSuite } from '../../../src/pipeline/workspace/default-suite.js';

const folder = path.join(mkdtempSync(path.join(tmpdir(), 'supportcal-demo-')), 'shown');
afterAll(() => rmSync(path.dirname(folder), { recursive: true }));
const at = (name: string) => path.join(folder, name);

describe('the project of supportcal demo', () => {
  it('has all that its suite needs in the folder of the user, and its only suite is the default', async () => {
    await writeDemo(folder);
    const models = await loadModels(at('models.yaml'));
    const suite = planSuite(models, { suite: await defaultSuite(at('models.yaml'), 'usual') });
    expect(suite.targets.map(({ target, ownBase }) => [target.id, ownBase.id])).toEqual([['tern-dpo', 'tern-base']]);
    expect(suite.targets[0]!.referencePool).toHaveLength(4);
    for (const { file } of suite.models) expect(statSync(at(file!)).size).toBeGreaterThan(2_000_000);
    const [spec] = await loadDatasetSpecs(at('datasets'), suite.datasets);
    expect(existsSync(path.join(path.dirname(spec!.file), spec!.yaml.source as string))).toBe(true);
  });

  it('keeps its new questions out of the data set, and their answers out of the questions', () => {
    const rows = (name: string) =>
      readFileSync(at(name), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    const known = new Set(rows('datasets/demo-facts.jsonl').map(({ id }) => id));
    const asked = rows('questions.jsonl');
    expect(asked).toHaveLength(20);
    expect(asked.filter(({ id }) => known.has(id))).toEqual([]);
    expect(new Set(asked.flatMap(Object.keys))).toEqual(new Set(['id', 'question', 'options']));
  });

  it('is used again as it is, but never takes the place of another project', async () => {
    const model = at('models/tern-dpo.gguf');
    const before = statSync(model).mtimeMs;
    await writeDemo(folder);
    expect(statSync(model).mtimeMs).toBe(before);
    writeFileSync(at('models.yaml'), 'models: []\n');
    await expect(writeDemo(folder)).rejects.toThrow(/models\.yaml: is there already and is not of the demo/);
    expect(readFileSync(at('models.yaml'), 'utf8')).toBe('models: []\n');
  });
});
