import { describe, expect, it } from 'vitest';
import { datasetSchema } from '../../../src/config/dataset-schema.js';
import { renderForms, unusedVariants, variantOf } from '../../../src/pipeline/asking/prompt-forms.js';

const prompt = { template: 'plain', variants: { chat: { template: 'chat' }, short: { template: 'short' } } };
const yaml = datasetSchema.parse({ prompt });
const usesShort = datasetSchema.parse({ prompt, variant: 'short' });

describe('the prompt variant of a model', () => {
  it('is its own where the data set has one of that name', () => {
    expect(variantOf(yaml, { promptVariant: 'chat' })).toBe('chat');
    expect(variantOf(usesShort, { promptVariant: 'chat' })).toBe('chat');
  });

  it('is else what the data set says', () => {
    expect(variantOf(yaml, {})).toBeNull();
    expect(variantOf(usesShort, {})).toBe('short');
    expect(variantOf(yaml, { promptVariant: 'constructor' })).toBeNull();
    expect(variantOf(usesShort, { promptVariant: 'none' })).toBe('short');
    expect(variantOf(datasetSchema.parse({}), { promptVariant: 'chat' })).toBeNull();
  });
});

describe('renderForms', () => {
  it('renders each form that is used once', () => {
    const example = { id: 'a', fields: {}, options: ['x', 'y'], label: 0, contentHash: 'h' };
    const dataset = {
      id: 'd',
      title: 'd',
      examples: [example],
      shots: [],
      leftOut: [],
      warnings: [],
      rules: [],
      origin: [],
      hash: 'h',
    };
    const spec = { id: 'd', file: 'd.yaml', yaml, locate: () => ({}) };
    const forms = renderForms(dataset, spec, [{ promptVariant: 'chat' }, {}, { promptVariant: 'chat' }]);
    expect([...forms].map(([name, prompts]) => [name, prompts.map(({ text }) => text)])).toEqual([
      [null, ['plain']],
      ['chat', ['chat']],
    ]);
  });
});

describe('unusedVariants', () => {
  it('names the models whose variant no data set has', () => {
    const models = [{ id: 'a', promptVariant: 'chat' }, { id: 'b', promptVariant: 'chta' }, { id: 'c' }];
    expect(unusedVariants(models, [{ yaml: datasetSchema.parse({}) }, { yaml }])).toEqual([
      'b: no data set here has the prompt variant "chta"; variants: chat, short',
    ]);
  });
});
