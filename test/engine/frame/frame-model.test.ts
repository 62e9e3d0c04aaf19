import { describe, expect, it } from 'vitest';
import { encodePrompt } from '../../../src/engine/encode/encode-prompt.js';
import { frameModel } from '../../../src/engine/frame/frame-model.js';
import type { LoadedModel } from '../../../src/engine/protocol/backend.js';
import { backend } from '../stub-backend.js';

const START = { id: 1, text: '<s>', stripsLeft: false, stripsRight: false };

async function modelWith(chatTemplate: string): Promise<LoadedModel> {
  const model = await backend.load({ modelPath: '/m.gguf', device: 'cpu', threads: 1, onLog: () => {} });
  return { ...model, info: { ...model.info, chatTemplate }, controlTokens: () => [START] };
}

/** Tokens of the question `Q` under a template; the stub has one token per character. */
async function tokensUnder(template: string, bos: 'auto' | 'always' | 'never' = 'auto') {
  const model = await modelWith(template);
  const { frame, bosId } = frameModel({ prompt: 'chat', bos }, model);
  const prompt = { text: 'Q', continuations: ['A', 'B'], answerPrefix: null };
  const encoded = encodePrompt(prompt, frame, bosId, model.tokenize);
  return encoded.kind === 'ok' ? Array.from(encoded.tokens) : encoded.reason;
}

const Q = 10 + 'Q'.codePointAt(0)!;
const LINE_BREAK = 10 + 10;
const TWICE = /chat template .*tokenizer\.chat_template.* writes the start token "<s>" 2 times/;

describe('the start token of a chat prompt', () => {
  it.each(['auto', 'always'] as const)('stands once, whether the template writes it or not (bos: %s)', async (bos) => {
    expect(await tokensUnder('{{ messages[0].content }}', bos)).toEqual([1, Q]);
    expect(await tokensUnder('{{ bos_token }}{{ messages[0].content }}', bos)).toEqual([1, Q]);
  });

  it('is not put first when the template writes it behind blanks', async () => {
    expect(await tokensUnder('{{ "\\n" }}{{ bos_token }}{{ messages[0].content }}')).toEqual([LINE_BREAK, 1, Q]);
  });

  it.each([
    '{{ bos_token }}{{ bos_token }}{{ messages[0].content }}',
    '{{ bos_token }}<s>{{ messages[0].content }}',
    '{{ bos_token }}{{ "\\n" }}{{ bos_token }}{{ messages[0].content }}',
  ])('is refused twice: %s', async (template) => {
    await expect(tokensUnder(template)).rejects.toThrow(TWICE);
  });

  it('is refused in a template where models.yaml says that there is none', async () => {
    expect(await tokensUnder('{{ messages[0].content }}', 'never')).toEqual([Q]);
    await expect(tokensUnder('{{ bos_token }}{{ messages[0].content }}', 'never')).rejects.toThrow(/`bos: never`, but/);
  });

  it('may begin every turn, as in vocabularies whose start token is that of a turn', async () => {
    expect(await tokensUnder('{{ bos_token }}{{ messages[0].content }}{{ bos_token }}')).toEqual([1, Q, 1]);
  });
});
