import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { ExamplePrompt } from '../../../src/contract/prompt.js';
import type { ScoredRow } from '../../../src/contract/scored-row.js';
import { scoreModels } from '../../../src/scoring/score-models.js';

const modelPath = fileURLToPath(new URL('../../../models/demo/tern-dpo.gguf', import.meta.url));
const PLAIN = { id: 'plain', role: 'base', bucket: 'demo', prompt: 'chat' } as const;
const BEGUN = { ...PLAIN, id: 'begun', assistantPrefix: 'Answer:' } as const;

function ask(id: string, answerPrefix: string | null): ExamplePrompt {
  const text = 'Question: How much is 1 + 2?\nA. 3\nB. 4';
  return { id, text, mode: 'letter', continuations: ['A', 'B'], answerPrefix };
}

/** Rows of both models, by `model row`. */
async function score(prompts: readonly ExamplePrompt[]): Promise<Map<string, Extract<ScoredRow, { status: 'ok' }>>> {
  const rows = new Map<string, Extract<ScoredRow, { status: 'ok' }>>();
  const job = (model: typeof PLAIN | typeof BEGUN) => ({
    model,
    place: { kind: 'gguf' as const, path: modelPath, bytes: statSync(modelPath).size },
    jobs: [
      {
        dataset: 'd',
        prompts,
        onRows: async (group: readonly ScoredRow[]) => {
          for (const row of group) if (row.status === 'ok') rows.set(`${model.id} ${row.id}`, row);
        },
      },
    ],
  });
  await scoreModels([job(PLAIN), job(BEGUN)], { device: 'cpu', cores: 1 }, {});
  return rows;
}

it('an assistant prefix is the same as that text before the option of every row', async () => {
  const rows = await score([ask('default', null), ask('spelled', 'Answer: ')]);
  const [begun, spelled, other] = ['begun default', 'plain spelled', 'plain default'].map((key) => rows.get(key)!);
  expect(begun!.promptTokens).toBe(spelled!.promptTokens);
  expect(begun!.promptTokens).toBeGreaterThan(other!.promptTokens);
  Array.from(begun!.logits).forEach((logit, k) => {
    expect(logit).toBeCloseTo(spelled!.logits[k]!, 4);
    expect(Math.abs(logit - other!.logits[k]!)).toBeGreaterThan(1e-3);
  });
}, 60_000);
