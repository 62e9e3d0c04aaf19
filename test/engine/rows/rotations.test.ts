import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ExamplePrompt } from '../../../src/contract/prompt.js';
import type { ScoredRow } from '../../../src/contract/scored-row.js';
import type { ModelJob } from '../../../src/contract/scorer.js';
import { sharedBeginning } from '../../../src/contract/shared-beginning.js';
import { scoreModels } from '../../../src/scoring/score-models.js';

const folder = fileURLToPath(new URL('../../../models/demo/', import.meta.url));
// llama, qwen3, gemma3 with a sliding window of 64 tokens, which the long prompts exceed, and a recurrent state beside
// attention, which cannot be cut back.
const FILES = ['tern-dpo.gguf', 'heron-rl.gguf', 'dunlin-rl.gguf', '../../test/fixtures/recurrent/jamba.gguf'];
/** Sequences of a batch. */
const MANY = 8;
const FEW = 2;
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

// Rows of 3, 4 and 5 options, of very different lengths, some with a common beginning; more short ones than a batch
// takes.
const SETS = {
  short: ['demo-facts', 'demo-arithmetic', 'demo-sentiment'].flatMap((file) =>
    questions(file, 3).map(({ id, question, options }) => rotated(id, `Question: ${question}`, options)),
  ),
  introduced: questions('demo-facts', 3).map(({ id, question, options }) =>
    rotated(id, `${INTRODUCTION}Question: ${question}`, options),
  ),
};

/** A vocabulary of single letters makes five times as many tokens: one row of each number of options. */
function setsOf(file: string): typeof SETS {
  if (!file.includes('recurrent')) return SETS;
  return { short: SETS.short.filter((_, n) => n % 3 === 0), introduced: SETS.introduced.slice(0, 2) };
}

const found = new Map<string, Map<string, ScoredRow>>();

type Job = ModelJob['jobs'][number];

/** A job whose rows are found under that name. */
function job(name: string, prompts: readonly ExamplePrompt[], asks?: Job['asks']): Job {
  const rows = new Map<string, ScoredRow>();
  found.set(name, rows);
  return {
    dataset: name,
    prompts,
    sharing: sharedBeginning(prompts),
    onRows: async (group) => {
      for (const row of group) rows.set(row.id, row);
    },
    ...(asks !== undefined && { asks }),
  };
}

/** Both sets in one child: what has another beginning never shares a batch. */
function bothSets(file: string, kind: string, of: (prompts: readonly ExamplePrompt[]) => readonly ExamplePrompt[]) {
  return Object.entries(setsOf(file)).map(([name, prompts]) => job(`${file} ${name} ${kind}`, of(prompts)));
}

/** Plain prompts and the other orders of their options, two jobs a set; the sets have some ids in common. */
function scoredTogether(file: string): Job[] {
  return Object.entries(setsOf(file)).flatMap(([name, prompts]) => {
    const plain = prompts.map(({ rotations: _, ...prompt }) => ({ ...prompt, mode: 'letter' as const }));
    const letters = job(`${file} ${name} plain`, plain, 'plain');
    const orders = job(`${file} ${name} with plain`, withoutFirst(prompts), 'other-orders');
    return [letters, orders].map((each) => ({ ...each, dataset: name }));
  });
}

function modelJob(file: string, id: string, jobs: readonly Job[], sequences = MANY): ModelJob {
  return {
    model: { id: `${file} ${id}`, role: 'base', bucket: 'demo', prompt: 'raw', scoring: { sequences } },
    place: { kind: 'gguf', path: folder + file, bytes: statSync(folder + file).size },
    jobs,
  };
}

beforeAll(async () => {
  const jobs = FILES.flatMap((file) => [
    modelJob(
      file,
      'rotations',
      bothSets(file, 'rotations', (prompts) => prompts),
    ),
    modelJob(
      file,
      'few',
      bothSets(file, 'few', (prompts) => prompts),
      FEW,
    ),
    modelJob(file, 'letters', bothSets(file, 'letters', letters)),
    modelJob(file, 'others', bothSets(file, 'others', withoutFirst)),
    modelJob(file, 'together', scoredTogether(file)),
    modelJob(file, 'lone', [job(`${file} lone`, SETS.short.slice(3, 4))]),
  ]);
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
  it.each(Object.entries(setsOf(file)))('have the logits of the plain letter prompts to 1e-4 (%s)', (name, prompts) => {
    for (const { id, rotations } of prompts) {
      const plain = rotations!.flatMap((_, r) => logitsOf(`${file} ${name} letters`, `${id} ${r}`));
      expect(largestGap(logitsOf(`${file} ${name} rotations`, id), plain)).toBeLessThan(1e-4);
    }
  });

  it.each(Object.entries(setsOf(file)))('do not depend on the number of sequences (%s)', (name, prompts) => {
    for (const { id } of prompts) {
      expect(largestGap(logitsOf(`${file} ${name} rotations`, id), logitsOf(`${file} ${name} few`, id))).toBeLessThan(
        1e-4,
      );
    }
  });

  it.each(Object.entries(setsOf(file)))(
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
