import { afterAll, describe, expect, it } from 'vitest';
import type { ModelSpec } from '../../../src/config/models-schema.js';
import type { ExamplePrompt } from '../../../src/contract/prompt.js';
import type { FoundModel, ModelSource } from '../../../src/contract/source.js';
import { questionScorer } from '../../../src/pipeline/predict/question-scorer.js';
import { startedModule } from '../../built-modules.js';

const engine = { backendModule: startedModule('engine/stub-backend').href, batchSeconds: 5 };
const model = { id: 'stub', role: 'base', prompt: 'raw' } as ModelSpec;
const found = {
  place: { kind: 'gguf', path: '/stub.gguf', bytes: 1000 },
  watch: () => async () => {},
} as unknown as FoundModel;

function prompts(count: number, text = 'question'): ExamplePrompt[] {
  return Array.from({ length: count }, (_, n) => ({
    id: String(n),
    text: `${text} ${n}\nAnswer:`,
    mode: 'letter' as const,
    continuations: ['A', 'B', 'C'],
    answerPrefix: ' ',
  }));
}

describe('questions that come in groups', () => {
  const ends: (() => Promise<void>)[] = [];
  afterAll(() => Promise.all(ends.map((end) => end())));
  const starts: string[] = [];
  const scorer = () => {
    const source = { kind: 'gguf' } as ModelSource;
    const events = { onModelStart: (id: string) => void starts.push(id) };
    const made = questionScorer({ model, source, found, device: 'cpu' }, events, new AbortController().signal, engine);
    ends.push(() => made.close());
    return made;
  };

  it('load the model once where they are small, and have the rows of the runner', async () => {
    const [slow, fast] = [scorer(), scorer()];
    const first = await slow.score(prompts(3));
    const before = starts.length;
    const second = await slow.score(prompts(3));
    const third = await slow.score(prompts(40));
    expect(starts.length).toBe(before);
    expect(first.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok']);
    expect(second).toEqual(first);
    expect(third).toEqual(await fast.score(prompts(40)));
  });

  it('go to the runner where one is longer than there is room, or kills its process', async () => {
    const made = scorer();
    await made.score(prompts(2));
    await made.score(prompts(2));
    const long = await made.score(prompts(2, 'x'.repeat(700)));
    expect(long.map(({ status }) => status)).toEqual(['ok', 'ok']);
    expect((await made.score(prompts(2)))[0]).toMatchObject({ status: 'ok', id: '0' });
  });
});
