import { describe, expect, it } from 'vitest';
import { datasetSchema } from '../../../src/config/dataset-schema.js';
import { renderPrompts } from '../../../src/datasets/prompts/render-prompts.js';
import { lines, refusal, temporaryFolder } from '../temporary-spec.js';

const folder = temporaryFolder();
const MOODS = ['negative', 'neutral', 'positive'];

function yamlOf(prompt: Record<string, unknown>, label: unknown = 'mood') {
  return {
    source: 'posts.jsonl',
    fields: { id: 'id', options: { labels: MOODS }, label },
    prompt: { template: 'Post: {text}\nMood:', ...prompt },
  };
}

async function load(prompt: Record<string, unknown>, moods: readonly unknown[], label?: unknown) {
  folder.write('posts.jsonl', lines(moods.map((mood, n) => ({ id: `p${n}`, text: `t${n}`, mood }))));
  const yaml = yamlOf(prompt, label);
  const dataset = await folder.load(yaml);
  return { dataset, prompts: renderPrompts(dataset, folder.spec(yaml)) };
}

describe('a label set', () => {
  it('is scored by letters, or by its own words', async () => {
    expect((await load({}, ['neutral'])).prompts[0]).toMatchObject({ continuations: ['A', 'B', 'C'] });
    expect((await load({ optionLabels: MOODS }, ['neutral'])).prompts[0]).toMatchObject({
      text: 'Post: t0\nMood:',
      mode: 'letter',
      continuations: MOODS,
    });
  });

  it('takes gold labels as words, as positions and as letters', async () => {
    const labels = async (...[prompt, moods, label]: Parameters<typeof load>) =>
      (await load(prompt, moods, label)).dataset.examples.map((example) => example.label);
    expect(await labels({ optionLabels: MOODS }, ['positive', 'negative', 'Neutral'])).toEqual([2, 0, 1]);
    expect(await labels({}, ['positive', 'negative', 'neutral'])).toEqual([2, 0, 1]);
    expect(await labels({ optionLabels: MOODS }, [2, 0, 1], { field: 'mood', labelBase: 0 })).toEqual([2, 0, 1]);
    expect(await labels({}, ['C', 'a', 'B'])).toEqual([2, 0, 1]);
  });

  it('needs as many words as options', async () => {
    expect(await refusal(load({ optionLabels: ['bad', 'good'] }, ['neutral']))).toEqual([
      expect.stringMatching(/prompt\.optionLabels -: row p0 has 3 options/),
    ]);
  });

  it('has at most 26 labels, as every row has at most 26 options', () => {
    const names = (count: number) => Array.from({ length: count }, (_, n) => `c${n}`);
    const check = (options: unknown) => datasetSchema.safeParse({ fields: { options } }).success;
    expect([26, 27].map((count) => check({ labels: names(count) }))).toEqual([true, false]);
    expect([26, 27].map((count) => check({ columns: names(count) }))).toEqual([true, false]);
  });
});
