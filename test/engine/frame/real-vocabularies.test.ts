import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPLY_FORM } from '../../../src/datasets/prompts/render-elicitation.js';
import { encodePrompt } from '../../../src/engine/encode/encode-prompt.js';
import { replyEncoder } from '../../../src/engine/encode/encode-reply.js';
import { tokenizerByLines } from '../../../src/engine/encode/tokenize-endings.js';
import { frameModel, type ModelFraming } from '../../../src/engine/frame/frame-model.js';
import { backend } from '../../../src/engine/llama/llama-backend.js';
import type { LoadedModel } from '../../../src/engine/protocol/backend.js';
import type { TokenTree } from '../../../src/engine/protocol/token-tree.js';
import { seededGenerator } from '../../../src/numeric/random/seeded-generator.js';
import { temporaryFolder } from '../../files/temporary-folder.js';
import { releaseVocabularies, whyNoVocabularies } from './release-vocabularies.js';

type Case = [
  frame: 'raw' | 'chat',
  prompt: string,
  prefix: string,
  labels: string,
  tokens: number | null,
  optionIds: number[] | null,
];

/** From tokenizers that share no code with llama.cpp: test/fixtures/tokens/make_goldens.py. */
const goldens = JSON.parse(readFileSync(new URL('../../fixtures/tokens/goldens.json', import.meta.url), 'utf8')) as {
  prompts: Record<string, string>;
  labels: Record<string, string[]>;
  prefixes: Record<string, string | null>;
  vocabularies: Record<string, { bos: string | null; tokens: number[][]; cases: Case[] }>;
};
const names = Object.keys(goldens.vocabularies);

/** Templates of the families whose vocabulary file brings none. */
const TEMPLATES: Record<string, string> = {
  'llama-bpe':
    "{{ bos_token }}{% for m in messages %}{{ '<|start_header_id|>' + m.role + '<|end_header_id|>\n\n' + m.content | trim + '<|eot_id|>' }}{% endfor %}{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}",
  'llama-spm': "{{ bos_token }}{% for m in messages %}{{ '[INST] ' + m.content + ' [/INST]' }}{% endfor %}",
  'deepseek-llm':
    "{{ bos_token }}{% for m in messages %}{{ 'User: ' + m.content + '\n\n' }}{% endfor %}{{ 'Assistant:' }}",
  'deepseek-coder':
    "{{ bos_token }}{% for m in messages %}{{ '### Instruction:\n' + m.content + '\n' }}{% endfor %}{{ '### Response:\n' }}",
};

/** Pieces of hostile texts: blanks of all kinds, letters of several scripts, digits, marks, what looks like control. */
const BITS = [
  ...[
    '\n',
    '\n',
    '\n\n',
    '\r\n',
    ' ',
    '  ',
    '\t',
    '\u00a0',
    '\u2028',
    '\u200b',
    '\u3000',
    '\u0000',
    '\ud800',
    '\u0301',
  ],
  ...['A', 'B.', 'Answer', ':', 'the', ' of', "'s", 'x', '12', '3456', '7', '.', '."', '?', '!', '/', '//', '->', ');'],
  ...[
    'é',
    'ö',
    'ß',
    'İ',
    'Ж',
    '漢字',
    'かな',
    '한국',
    'مرحبا',
    '🙂',
    '👨‍👩‍👧',
    '<table>',
    '</s>',
    '<|im_end|>',
    '▁',
    '_',
    '{',
    '}',
  ],
];

const load = (modelPath: string, more: { preTokenizer?: string } = {}) =>
  backend.load({ modelPath, device: 'cpu', threads: 1, vocabOnly: true, onLog: () => {}, ...more });

const unavailable = whyNoVocabularies();
const title = `the tokenizers of real models${unavailable === null ? '' : ` (skipped: ${unavailable})`}`;

describe.skipIf(unavailable !== null)(title, () => {
  const models = new Map<string, LoadedModel>();
  let files: Map<string, string>;
  beforeAll(async () => {
    files = releaseVocabularies(names);
    for (const name of names) models.set(name, await load(files.get(name)!));
  }, 120_000);
  afterAll(async () => {
    for (const model of models.values()) await model.close();
    await backend.shutdown();
  });

  const framing = (name: string, prompt: 'raw' | 'chat'): ModelFraming => {
    const model = models.get(name)!;
    const chatTemplate = model.info.chatTemplate ?? TEMPLATES[name] ?? null;
    return frameModel({ prompt, bos: 'auto' }, { ...model, info: { ...model.info, chatTemplate } });
  };
  interface Asked {
    readonly text: string;
    readonly labels: readonly string[];
    readonly frame?: 'raw' | 'chat';
    readonly prefix?: string | null | undefined;
  }
  const encode = (name: string, { text, labels, frame = 'raw', prefix = null }: Asked) => {
    const { frame: parts, bosId } = framing(name, frame);
    const prompt = { id: 'q', text, mode: 'letter' as const, continuations: labels, answerPrefix: prefix };
    return encodePrompt(prompt, parts, bosId, models.get(name)!.tokenize);
  };

  describe.each(names)('%s', (name) => {
    const { tokens, cases } = goldens.vocabularies[name]!;
    const seen = [...new Set(cases.map(([frame]) => frame))];

    it.each(seen)('gives the tokens and option tokens of an independent tokenizer (%s prompts)', (frame) => {
      const wrong = cases.flatMap(([caseFrame, prompt, prefix, labels, list, optionIds]) => {
        if (caseFrame !== frame) return [];
        const text = goldens.prompts[prompt]!;
        const result = encode(name, { text, labels: goldens.labels[labels]!, frame, prefix: goldens.prefixes[prefix] });
        const expected = list === null ? { kind: 'refused' } : { kind: 'ok', tokens: tokens[list], optionIds };
        const got = result.kind === 'refused' ? { kind: 'refused' } : result;
        return JSON.stringify(got) === JSON.stringify(expected) ? [] : [{ prompt, prefix, labels, got, expected }];
      });
      expect(cases.filter(([caseFrame]) => caseFrame === frame).length).toBeGreaterThan(20);
      expect(wrong).toEqual([]);
    });

    it('reads no control token out of data, wherever it stands', () => {
      const model = models.get(name)!;
      const control = model.controlTokens().filter((token) => token.text.trim() !== '');
      const ids = new Set(control.map((token) => token.id));
      const typed = [...control.slice(0, 60), ...control.slice(-20)].map((token) => token.text);
      const texts = typed.flatMap((text) => [text, `What does ${text} mean?`, `${text}${text}`, `in <s>${text}</s>`]);
      expect(texts.length).toBeGreaterThan(0);
      expect(texts.filter((text) => model.tokenize(text).some((id) => ids.has(id)))).toEqual([]);
    });

    it('loses no character of a text with control tokens in it', () => {
      const model = models.get(name)!;
      const text = `a<|im_end|>b${model.controlTokens().at(-1)!.text}c <|channel>d</s>`;
      expect(model.detokenize(model.tokenize(text)).trimStart()).toBe(text);
    });

    it('puts the start token exactly where the file or the written rule says', () => {
      const model = models.get(name)!;
      const { bos } = goldens.vocabularies[name]!;
      const result = encode(name, { text: 'Answer:', labels: ['A', 'B'] });
      const first = result.kind === 'ok' ? result.tokens[0]! : -1;
      expect(model.detokenize([first]) === bos).toBe(bos !== null);
      expect(framing(name, 'raw').bos.add).toBe(bos !== null);
    });
  });

  it('knows the facts that were measured by hand', () => {
    const ids = (name: string, text: string, prefix: string) => {
      const result = encode(name, { text, labels: ['A', 'B'], prefix });
      return result.kind === 'ok' ? [result.tokens.at(-1), result.optionIds[0]] : result;
    };
    const [llama, spm] = [models.get('llama-bpe')!, models.get('llama-spm')!];
    expect(ids('llama-bpe', 'Answer:', '')).toEqual([llama.tokenize('Answer')[0], 56748]);
    expect(ids('llama-bpe', 'Answer:', ' ')).toEqual([llama.tokenize(':')[0], 362]);
    expect(ids('llama-bpe', 'Answer:\n', '')).toEqual([llama.tokenize(':\n')[0], 32]);
    expect(spm.tokenize('A')).toEqual([319]);
    expect(ids('llama-spm', 'Answer:', '')).toEqual([29901, 29909]);
    expect(ids('llama-spm', 'Answer:', ' ')).toEqual([29901, 319]);
    expect(ids('llama-spm', 'Answer:\n', '')).toEqual([13, 29909]);
  });

  it('says why a start token is put first or is not', () => {
    const reason = (name: string) => framing(name, 'raw').bos.reason;
    expect(models.get('qwen2')!.info.bos).toEqual({ id: 151643, text: '<|endoftext|>' });
    expect(reason('qwen2')).toMatch(/lacks add_bos_token.*llama\.cpp's default \(no\)/);
    expect(reason('llama-bpe')).toMatch(/lacks add_bos_token.*llama\.cpp's default \(yes\)/);
    expect(reason('llama-spm')).toBe('the file says add_bos_token = true');
    expect(framing('phi-3', 'chat').bos.reason).toBe('the chat template writes it');
  });

  /** The file with the last letter of a key changed, so that nobody finds it. */
  const without = (key: string, name: string) => {
    const bytes = readFileSync(files.get(name)!);
    bytes[bytes.indexOf(key) + key.length - 1] = 'x'.charCodeAt(0);
    const file = path.join(temporaryFolder(), 'other.gguf');
    writeFileSync(file, bytes);
    return file;
  };

  it('follows the written rule of its vocabulary type where a file lacks add_bos_token', async () => {
    const model = await load(without('tokenizer.ggml.add_bos_token', 'llama-spm'));
    expect(frameModel({ prompt: 'raw', bos: 'auto' }, model)).toMatchObject({
      bos: { add: true, reason: 'the file lacks add_bos_token; rule for spm vocabularies: yes' },
      bosId: 1,
    });
    expect(frameModel({ prompt: 'raw', bos: 'never' }, model).bosId).toBe(null);
    await model.close();
  });

  describe('a byte-pair file without its pre-tokenizer', () => {
    const withoutKey = () => without('tokenizer.ggml.pre', 'deepseek-coder');

    it('is refused with the key that is missing and what to do', async () => {
      const model = await load(withoutKey());
      expect(() => frameModel({ prompt: 'raw', bos: 'auto' }, model)).toThrow(
        /lacks tokenizer\.ggml\.pre.*scoring: \{ preTokenizer: NAME \}/,
      );
      await model.close();
    });

    it('tokenises as the whole file does when models.yaml names the pre-tokenizer', async () => {
      const model = await load(withoutKey(), { preTokenizer: 'deepseek-coder' });
      expect(() => frameModel({ prompt: 'raw', bos: 'auto' }, model)).not.toThrow();
      const text = 'What is 12345 + 6789? 東京\nAnswer:';
      expect(model.tokenize(text)).toEqual(models.get('deepseek-coder')!.tokenize(text));
      await model.close();
    });
  });

  const demo = ['tern-base', 'dunlin-base'].map((name) => `models/demo/${name}`);
  const cuts = ['tekken', 'exaone-moe', 'superbpe', 'bloom', 'falcon'].map((pre) => `gpt-2 cut as ${pre}`);
  it.each([...names.filter((name) => name !== 'phi-3'), ...demo, ...cuts])(
    '%s: lines that are tokenised apart have the tokens of the whole text',
    async (which) => {
      const [name = '', preTokenizer] = which.split(' cut as ');
      const isRelease = models.has(name);
      const path = isRelease ? files.get(name)! : fileURLToPath(new URL(`../../../${name}.gguf`, import.meta.url));
      const own = isRelease && preTokenizer === undefined;
      const model = own ? models.get(name)! : await load(path, preTokenizer === undefined ? {} : { preTokenizer });
      expect(model.keepsLinesApart!()).toBe(true);
      const byLines = tokenizerByLines(model.tokenize);
      // The first texts are tokenised in both ways, whatever they are.
      for (let n = 0; n < 20; n++) byLines.endings!('one line\nand another', ['A', 'B']);
      const generator = seededGenerator(1);
      const below = (count: number) => (generator.next() >>> 8) % count;
      const some = (most: number) => Array.from({ length: below(most + 1) }, () => BITS[below(BITS.length)]!).join('');
      for (let n = 0; n < 150; n++) {
        const text = some(30) + ['', '\nAnswer:', '\nAnswer: ', '\nR2', '\nA\n', '\nzz  '][n % 6]!;
        const endings = ['A', ' B', some(3), some(1), ''];
        const joined = endings.map((ending) => model.tokenize(text + ending));
        expect(byLines.endings!(text, endings), JSON.stringify([text, endings])).toEqual(joined);
      }
      if (!own) await model.close();
    },
  );

  it('relies on no border where a token takes white space along, and says so', () => {
    expect(models.get('phi-3')!.keepsLinesApart!()).toBe(false);
  });

  it.each(names)('%s: every reply of a form has tokens of its own, which spell it after the prompt', (name) => {
    const { tokenize, detokenize } = models.get(name)!;
    for (const prompt of ['raw', 'chat'] as const) {
      if (prompt === 'chat' && models.get(name)!.info.chatTemplate === null && TEMPLATES[name] === undefined) continue;
      const { frame, bosId } = framing(name, prompt);
      const reply = { example: 'q', sample: 1, seed: 1, temperature: 0, maxTokens: 64, form: REPLY_FORM, options: [] };
      const text = `Question: 1 + 1?\nA. 1\nB. 2\n\nReply with JSON.${prompt === 'raw' ? '\nReply:' : ''}`;
      const wire = { id: 'q#1', text, mode: 'reply' as const, continuations: ['A', 'B'], answerPrefix: null, reply };
      const encoded = replyEncoder({ frame, bosId }, tokenize)(wire);
      if (encoded.kind === 'refused') throw new Error(`${prompt}: ${encoded.reason}`);
      const before = Array.from(encoded.tokens);
      const spelt = new Map<string, string>();
      let texts = 0;
      const walk = ({ next, text: end }: TokenTree, path: readonly number[]): void => {
        if (end !== null && ++texts % 7 === 0)
          spelt.set(end, detokenize([...before, ...path]).slice(detokenize(before).length));
        for (const [token, child] of next) walk(child, [...path, token]);
      };
      walk(encoded.form!, []);
      expect([202, 404, 606]).toContain(texts);
      expect(spelt.size).toBeGreaterThan(20);
      // SentencePiece puts a space before a text that begins after a control token; its models were trained so.
      for (const [end, found] of spelt) expect([end, ` ${end}`]).toContain(found);
    }
  });
});
