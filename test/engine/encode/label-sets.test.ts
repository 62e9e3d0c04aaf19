import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ExamplePrompt } from '../../../src/contract/prompt.js';
import type { ScoredRow } from '../../../src/contract/scored-row.js';
import { scoreModels } from '../../../src/scoring/score-models.js';

const file = fileURLToPath(new URL('../../../models/demo/tern-base.gguf', import.meta.url));
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

function ask(id: string, labels: readonly string[], answerPrefix: string | null = null): ExamplePrompt {
  const options = labels.map((label, k) => `${label}. ${k + 3}`).join('\n');
  const text = `Question: How much is 1 + 2?\n${options}\nAnswer:`;
  return { id, text, mode: 'letter', continuations: labels, answerPrefix };
}

const SIZES = Array.from({ length: 25 }, (_, n) => n + 2);
const PROMPTS = [
  ...SIZES.map((count) => ask(`spaced-${count}`, LETTERS.slice(0, count))),
  ...SIZES.map((count) => ask(`bare-${count}`, LETTERS.slice(0, count), '')),
  ask('words', ['negative', 'neutral', 'positive']),
  ask('pieces', ['no', 'yes', 'maybe']),
];
const rows = new Map<string, ScoredRow>();

beforeAll(async () => {
  const onRows = async (group: readonly ScoredRow[]) => {
    for (const row of group) rows.set(row.id, row);
  };
  const model = { id: 'm', role: 'base' as const, bucket: 'demo', prompt: 'raw' as const };
  await scoreModels(
    [
      {
        model,
        place: { kind: 'gguf', path: file, bytes: statSync(file).size },
        jobs: [{ dataset: 'd', prompts: PROMPTS, onRows }],
      },
    ],
    { device: 'cpu', cores: 1 },
    {},
  );
}, 60_000);

const logitsOf = (id: string) => {
  const row = rows.get(id);
  return row?.status === 'ok' ? row.logits : undefined;
};

describe('option labels in letter mode, on a real model', () => {
  it('may be as many as 26 where each letter is one token, with another number of options in each row', () => {
    for (const count of SIZES) expect(logitsOf(`bare-${count}`)).toHaveLength(count);
  });

  it('run on past J after a space, to the first letter that this vocabulary has only in two tokens', () => {
    for (const count of SIZES) {
      // " Q" is not in the demo vocabulary.
      if (count < 17) expect(logitsOf(`spaced-${count}`)).toHaveLength(count);
      else {
        expect(rows.get(`spaced-${count}`)).toMatchObject({
          status: 'failed',
          reason: expect.stringMatching(/^option "Q" is 2 tokens .* `scoring: \{mode: text\}`/),
        });
      }
    }
  });

  it('may be words when each is one token', () => {
    expect(logitsOf('words')).toHaveLength(3);
    expect((rows.get('words') as Extract<ScoredRow, { status: 'ok' }>).optionMass).toBeLessThanOrEqual(1);
  });

  it('are refused with a reason when a word is several tokens', () => {
    expect(rows.get('pieces')).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/^option "maybe" is 3 tokens .* `scoring: \{mode: text\}`/),
    });
  });
});
