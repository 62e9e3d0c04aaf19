import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ExamplePrompt } from '../../../src/contract/prompt.js';
import type { ScoredRow } from '../../../src/contract/scored-row.js';
import { sharedBeginning } from '../../../src/contract/shared-beginning.js';
import { scoreModels } from '../../../src/scoring/score-models.js';

const folder = fileURLToPath(new URL('../../../models/demo/', import.meta.url));
// llama, qwen3, gemma3 with a sliding window of 64 tokens, which the long prompts exceed, and a recurrent state beside
// attention, which cannot be cut back.
const FILES = ['tern-dpo.gguf', 'heron-rl.gguf', 'dunlin-rl.gguf', '../../test/fixtures/recurrent/jamba.gguf'];
/** A beginning that all prompts share and the engine keeps; longer than the sliding window. */
const INTRODUCTION = 'Read every word with care before you choose one of the options below. '.repeat(6);

function questions(file: string, count: number) {
  const text = readFileSync(new URL(`../../../datasets/${file}.jsonl`, import.meta.url), 'utf8');
  const lines = text.trim().split('\n').slice(0, count);
  return lines.map((line) => JSON.parse(line) as { id: string; question: string; options: string[] });
}

function rotated(id: string, question: string, options: readonly string[]): ExamplePrompt {
  const rotations = options.map((_, r) => {
    const shown = options.map((_, p) => `${'ABCDE'[p]}. ${options[(p + r) % options.length]}`);
    const continuations = options.map((_, k) => 'ABCDE'[(k - r + options.length) % options.length]!);
    return { text: `${question}\n${shown.join('\n')}\nAnswer:`, continuations };
  });
  return { id, ...rotations[0]!, mode: 'rotations', rotations, answerPrefix: null };
}

const letters = (prompts: readonly ExamplePrompt[]): ExamplePrompt[] =>
  prompts.flatMap(({ id, rotations }) =>
    rotations!.map((rotation, r) => ({ id: `${id} ${r}`, ...rotation, mode: 'letter' as const, answerPrefix: null })),
  );

/** As scoring asks where the plain scores are there: the first order is theirs. */
const withoutFirst = (prompts: readonly ExamplePrompt[]): ExamplePrompt[] =>
  prompts.map((prompt) => ({ ...prompt, rotations: prompt.rotations!.slice(1) }));

// Rows of 3, 4 and 5 options, of very different lengths, some with a common beginning.
const SETS = {
  short: ['demo-facts', 'demo-arithmetic', 'demo-sentiment'].flatMap((file) =>
    questions(file, 8).map(({ id, question, options }) => rotated(id, `Question: ${question}`, options)),
  ),
  introduced: questions('demo-facts', 8).map(({ id, question, options }) =>
    rotated(id, `${INTRODUCTION}Question: ${question}`, options),
  ),
};

const found = new Map<string, Map<string, ScoredRow>>();

/** Plain prompts and the other orders of their options, two jobs a set; the sets have some ids in common. */
async function scoreTogether(file: string) {
  const sets = Object.entries(SETS).map(async ([name, prompts]) => {
    const plain = prompts.map(({ rotations: _, ...prompt }) => ({ ...prompt, mode: 'letter' as const }));
    const letters = await score(file, `${name} plain`, plain, 16);
    const orders = await score(file, `${name} with plain`, withoutFirst(prompts), 16);
    return [
      ...letters.jobs.map((each) => ({ ...each, dataset: name, asks: 'plain' as const })),
      ...orders.jobs.map((each) => ({ ...each, dataset: name, asks: 'other-orders' as const })),
    ];
  });
  return { ...(await score(file, 'together', [], 16)), jobs: (await Promise.all(sets)).flat() };
}

async function score(file: string, name: string, prompts: readonly ExamplePrompt[], sequences: number) {
  const rows = new Map<string, ScoredRow>();
  found.set(`${file} ${name}`, rows);
  const job = {
    model: {
      id: `${file} ${name}`,
      role: 'base' as const,
      bucket: 'demo',
      prompt: 'raw' as const,
      scoring: { sequences },
    },
    place: { kind: 'gguf' as const, path: folder + file, bytes: statSync(folder + file).size },
    jobs: [
      {
        dataset: 'd',
        prompts,
        sharing: sharedBeginning(prompts),
        onRows: async (group: readonly ScoredRow[]) => {
          for (const row of group) rows.set(row.id, row);
        },
      },
    ],
  };
  return job;
}

beforeAll(async () => {
  const jobs = [];
  for (const file of FILES) {
    for (const [name, prompts] of Object.entries(SETS)) {
      jobs.push(await score(file, `${name} rotations`, prompts, 16));
      jobs.push(await score(file, `${name} few`, prompts, 3));
      jobs.push(await score(file, `${name} letters`, letters(prompts), 16));
      jobs.push(await score(file, `${name} others`, withoutFirst(prompts), 16));
    }
    jobs.push(await scoreTogether(file));
    jobs.push(await score(file, 'lone', SETS.short.slice(3, 4), 16));
  }
  const outcomes = await scoreModels(jobs, { device: 'cpu', cores: 2 }, {});
  for (const outcome of outcomes) if (outcome.kind === 'failed') throw new Error(outcome.reason);
}, 120_000);

const logitsOf = (name: string, id: string): number[] => {
  const row = found.get(name)!.get(id)!;
  if (row.status === 'failed') throw new Error(`${name}, ${id}: ${row.reason}`);
  return Array.from(row.logits);
};
const largestGap = (a: readonly number[], b: readonly number[]) =>
  a.length === b.length ? Math.max(...a.map((value, n) => Math.abs(value - b[n]!))) : Number.POSITIVE_INFINITY;

describe.each(FILES)('rotations on the real model %s', (file) => {
  it.each(Object.entries(SETS))('have the logits of the plain letter prompts to 1e-4 (%s)', (name, prompts) => {
    for (const { id, rotations } of prompts) {
      const plain = rotations!.flatMap((_, r) => logitsOf(`${file} ${name} letters`, `${id} ${r}`));
      expect(largestGap(logitsOf(`${file} ${name} rotations`, id), plain)).toBeLessThan(1e-4);
    }
  });

  it.each(Object.entries(SETS))('do not depend on the number of sequences (%s)', (name, prompts) => {
    for (const { id } of prompts) {
      expect(largestGap(logitsOf(`${file} ${name} rotations`, id), logitsOf(`${file} ${name} few`, id))).toBeLessThan(
        1e-4,
      );
    }
  });

  it.each(Object.entries(SETS))(
    'are the plain prompts and the orders after the first, to the last bit (%s)',
    (name, prompts) => {
      // A recurrent state cannot be cut back: the stem is evaluated again, in other pieces.
      const largest = file.includes('recurrent') ? 1e-4 : 0;
      for (const { id } of prompts) {
        const joined = [...logitsOf(`${file} ${name} letters`, `${id} 0`), ...logitsOf(`${file} ${name} others`, id)];
        expect(largestGap(joined, logitsOf(`${file} ${name} rotations`, id))).toBeLessThanOrEqual(largest);
        // A row that was scored with its plain prompt brings the first order; nothing else is another than apart.
        const first = logitsOf(`${file} ${name} plain`, id);
        const together = logitsOf(`${file} ${name} with plain`, id);
        const brought = file.includes('recurrent') ? [] : first;
        const others = logitsOf(`${file} ${name} others`, id);
        expect([first, together]).toEqual([joined.slice(0, first.length), [...brought, ...others]]);
      }
    },
  );

  it('do not depend on the rows beside them: one alone has the same', () => {
    const { id } = SETS.short[3]!;
    expect(largestGap(logitsOf(`${file} lone`, id), logitsOf(`${file} short rotations`, id))).toBeLessThan(1e-4);
  });
});
