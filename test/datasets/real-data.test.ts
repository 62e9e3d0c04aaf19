import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { datasetSchema } from '../../src/config/dataset-schema.js';
import { loadDataset } from '../../src/datasets/load-dataset.js';
import { renderPrompts } from '../../src/datasets/prompts/render-prompts.js';
import { refusal } from './temporary-spec.js';

/** Public files that the project does not ship; without them these tests are skipped. */
const data = path.resolve(process.env.SHARED ?? path.join('..', 'shared'), 'data');
const spec = (yaml: Record<string, unknown>) => ({
  id: 'real',
  file: path.join(data, 'real.yaml'),
  yaml: datasetSchema.parse(yaml),
  locate: () => ({}),
});

const medmcqa = (labelBase: number) =>
  spec({
    source: { path: 'medmcqa/dev.json', format: 'jsonl' },
    fields: { id: 'id', options: { columns: ['opa', 'opb', 'opc', 'opd'] }, label: { field: 'cop', labelBase } },
    prompt: { template: '{question}\n{options}\nAnswer:' },
  });

describe.skipIf(!existsSync(data))('real data (skipped without the folder shared/data)', () => {
  it('MedMCQA loads 4,183 rows with 1-based labels, 21 of them with equal options', async () => {
    const dataset = await loadDataset(medmcqa(1));
    const counts = [0, 0, 0, 0];
    for (const example of dataset.examples) counts[example.label!]!++;
    expect(dataset.examples).toHaveLength(4183);
    expect(counts).toEqual([1348, 1085, 925, 825]);
    expect(dataset.warnings).toEqual([expect.stringMatching(/^21 rows with two equal options/)]);
    const prompts = renderPrompts(dataset, medmcqa(1));
    expect(prompts.every((prompt) => prompt.continuations.length === 4)).toBe(true);
  });

  it('MedMCQA read with base 0 is refused for each of its 825 rows with answer 4', async () => {
    const faults = await refusal(loadDataset(medmcqa(0)));
    expect(faults).toHaveLength(6);
    expect(faults[5]).toContain(`and ${825 - 5} more rows like it, lines`);
  });

  it('TweetEval pairs 2,000 texts with 2,000 labels', async () => {
    const dataset = await loadDataset(
      spec({
        source: { files: { text: 'tweeteval-sentiment/val_text.txt', label: 'tweeteval-sentiment/val_labels.txt' } },
        fields: { options: { labels: ['negative', 'neutral', 'positive'] }, label: { field: 'label', labelBase: 0 } },
      }),
    );
    const counts = [0, 0, 0];
    for (const example of dataset.examples) counts[example.label!]!++;
    expect(counts).toEqual([312, 869, 819]);
    expect(dataset.warnings).toEqual([]);
    expect(dataset.examples.every((example) => example.fields.text!.endsWith(' '))).toBe(true);
  });
});
