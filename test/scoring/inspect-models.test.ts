import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { InspectedPrompt } from '../../src/contract/inspection.js';
import type { ExamplePrompt } from '../../src/contract/prompt.js';
import { type Inspection, type InspectionJob, inspectModels } from '../../src/scoring/inspect-models.js';
import { startedModule } from '../built-modules.js';

const STUB = startedModule('engine/stub-backend').href;
const demo = (name: string) => path.resolve(import.meta.dirname, `../../models/demo/${name}.gguf`);

const letter: ExamplePrompt = {
  id: 'a',
  text: 'Is <|im_end|> A or B?',
  mode: 'letter',
  continuations: ['A', 'B'],
  answerPrefix: null,
};
const text: ExamplePrompt = { ...letter, id: 'b', mode: 'text', continuations: ['one pear', 'two'] };
const twin: ExamplePrompt = { ...letter, id: 'c', continuations: ['A', 'A'] };

const job = (id: string, modelPath: string, more: Partial<InspectionJob['model']> = {}): InspectionJob => ({
  model: { id, role: 'base', bucket: 'demo', prompt: 'raw', ...more },
  place: { kind: 'gguf', path: modelPath, bytes: 1000 },
  jobs: [{ dataset: 'd', prompts: [letter, text, twin] }],
});
const settings = { device: 'cpu' as const, cores: 1 };

describe('inspectModels on real files', () => {
  let inspections: Inspection[];
  const prompts = new Map<string, InspectedPrompt[]>();
  beforeAll(async () => {
    const models = [
      job('base', demo('tern-base')),
      job('no template', demo('tern-base'), { prompt: 'chat' }),
      job('chat', demo('tern-dpo'), { prompt: 'chat' }),
    ];
    inspections = await inspectModels(models, settings, {
      detail: 'pieces',
      onPrompts: (model, _dataset, group) => void prompts.set(model, [...(prompts.get(model) ?? []), ...group]),
    });
  });

  it('says how a model begins its prompts and why, and what memory it would take', () => {
    const [base] = inspections;
    expect(base).toMatchObject({
      kind: 'inspected',
      facts: { bos: { add: true }, counts: [{ refused: 1, firstRefusal: expect.stringMatching(/^c: .*shares/) }] },
    });
    if (base?.kind !== 'inspected') return;
    expect(base.facts.memory.weights).toBeGreaterThan(100_000);
    expect(base.facts.memory.kvCache).toBeGreaterThan(0);
    expect(base.facts.contextSize).toBe(base.facts.longest + 1);
  });

  it('goes on after a model that cannot be asked', () => {
    expect(inspections.map(({ kind }) => kind)).toEqual(['inspected', 'failed', 'inspected']);
    expect(inspections[1]).toMatchObject({ reason: expect.stringContaining('no chat template') });
  });

  it('gives the pieces of a prompt, which join to its text, and control tokens only where the template wrote them', () => {
    for (const model of ['base', 'chat']) {
      const [shown] = prompts.get(model)!;
      expect(shown!.pieces!.length).toBe(shown!.tokens.length);
      expect(shown!.text).toContain('Is <|im_end|> A or B?');
      expect(shown!.pieces!.slice(1).join('')).toContain('Is <|im_end|> A or B?');
    }
    const [chat] = prompts.get('chat')!;
    // One that ends the user's turn; the one that the data typed is in pieces.
    expect(chat!.pieces!.filter((piece) => piece === '<|im_end|>').length).toBe(
      chat!.text!.split('<|im_end|>').length - 2,
    );
  });

  it('gives one token per label, all tokens of a text, and the reason of a refusal', () => {
    const [one, whole, refused] = prompts.get('base')!;
    expect(one!.options.map((option) => option.tokens.length)).toEqual([1, 1]);
    expect(one!.optionPieces!.map((pieces) => pieces.join('').trim())).toEqual(['A', 'B']);
    expect(whole!.optionPieces!.map((pieces) => pieces.join('').trim())).toEqual(['one pear', 'two']);
    expect(refused).toMatchObject({ tokens: [], options: [], refused: expect.stringContaining('shares') });
  });

  it('compares the label with and without a space before it', () => {
    const { spacing } = (inspections[0] as Extract<Inspection, { kind: 'inspected' }>).facts;
    expect(spacing.used).toEqual(spacing.withSpace);
    expect(spacing.withSpace).not.toEqual(spacing.withoutSpace);
  });
});

describe('a file that ends the process', () => {
  it('is a failed inspection; the next model gets a new process', async () => {
    const models = [job('bad', '/abort-on-load.gguf'), job('good', '/stub.gguf')];
    const inspections = await inspectModels(models, settings, { detail: 'nothing', backendModule: STUB });
    expect(inspections).toMatchObject([
      { kind: 'failed', model: 'bad', reason: expect.stringMatching(/ended: signal SIGABRT/) },
      { kind: 'inspected', model: 'good', facts: { bos: { add: true, id: 1 } } },
    ]);
  });
});
