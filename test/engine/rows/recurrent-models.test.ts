import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ExamplePrompt } from '../../../src/contract/prompt.js';
import type { ScoredRow } from '../../../src/contract/scored-row.js';
import type { ScoringJob } from '../../../src/contract/scorer.js';
import { sharedBeginning } from '../../../src/contract/shared-beginning.js';
import { scoreModels } from '../../../src/scoring/score-models.js';

const folder = fileURLToPath(new URL('../../fixtures/recurrent/', import.meta.url));
// Every layer recurrent; one recurrent layer and one of attention. generate.py beside them says how they are made.
const FILES = ['mamba.gguf', 'jamba.gguf'];
const MODES = ['letter', 'text'] as const;
type Mode = (typeof MODES)[number];

const SHARED = 'Is five even?\nA. yes\nB. no\nAnswer: B\n\n'.repeat(4);
/** One begins another, all branch late, all branch at once. */
const TEXTS = [
  ['yes', 'yes, it is', 'no'],
  ['it is', 'it is not', 'it was'],
  ['red', 'seven', 'no'],
];

function promptsOf(mode: Mode, shared = SHARED): ExamplePrompt[] {
  return Array.from({ length: 10 }, (_, n) => ({
    id: `q${n}`,
    text: `${shared}${'Red and blue. '.repeat((n * 3) % 5)}Is ${n} more than seven?\nAnswer:`,
    mode,
    continuations: mode === 'letter' ? ['A', 'B', 'C'] : TEXTS[n % TEXTS.length]!,
    answerPrefix: null,
  }));
}

type AskName = 'shared' | 'whole' | 'reversed' | 'split' | 'neighbours' | 'alone' | 'other' | 'lone';
type Ask = Pick<ScoringJob, 'prompts' | 'sharing'> & { readonly scoring?: { sequences: number; batchSize?: number } };

function asksOf(mode: Mode): Record<AskName, Ask> {
  const prompts = promptsOf(mode);
  const sharing = sharedBeginning(prompts);
  return {
    shared: { prompts },
    whole: { prompts, sharing: null },
    reversed: { prompts: [...prompts].reverse(), scoring: { sequences: 3 } },
    split: { prompts, scoring: { sequences: 4, batchSize: 256 } },
    neighbours: { prompts: prompts.filter((_, n) => n % 3 === 0), sharing },
    alone: { prompts: prompts.slice(4, 5), sharing },
    other: { prompts: promptsOf(mode, `Was${SHARED.slice(2)}`) },
    // One path a row: equal texts are evaluated once.
    lone: {
      prompts:
        mode === 'letter'
          ? prompts
          : prompts.flatMap(({ id, continuations, ...rest }) =>
              continuations.map((text, k) => ({ ...rest, id: `${id} ${k}`, continuations: [text, text] })),
            ),
    },
  };
}

const asks = { letter: asksOf('letter'), text: asksOf('text') };
const found = new Map<string, Map<string, ScoredRow>>();
const logs: string[] = [];

beforeAll(async () => {
  const jobs = FILES.flatMap((file) =>
    (Object.keys(asks.letter) as AskName[]).map((name) => ({
      model: {
        id: `${file} ${name}`,
        role: 'base' as const,
        bucket: 'tiny',
        prompt: 'raw' as const,
        ...(asks.letter[name].scoring !== undefined && { scoring: asks.letter[name].scoring }),
      },
      place: { kind: 'gguf' as const, path: folder + file, bytes: statSync(folder + file).size },
      jobs: MODES.map((mode) => {
        const rows = new Map<string, ScoredRow>();
        found.set(`${file} ${mode} ${name}`, rows);
        const ask: Ask = asks[mode][name];
        return {
          dataset: mode,
          prompts: ask.prompts,
          ...(ask.sharing !== undefined && { sharing: ask.sharing }),
          onRows: async (group: readonly ScoredRow[]) => {
            for (const row of group) rows.set(row.id, row);
          },
        };
      }),
    })),
  );
  const outcomes = await scoreModels(jobs, { device: 'cpu', cores: 1 }, { onLog: (_, line) => logs.push(line) });
  expect(outcomes.filter((outcome) => outcome.kind === 'failed')).toEqual([]);
}, 60_000);

describe.each(FILES.flatMap((file) => MODES.map((mode) => ({ file, mode }))))(
  '$file in $mode mode',
  ({ file, mode }) => {
    const rowsOf = (name: AskName) => {
      const rows = [...found.get(`${file} ${mode} ${name}`)!.values()];
      expect(rows).toHaveLength(asks[mode][name].prompts.length);
      return new Map(
        rows.map((row) => {
          if (row.status !== 'ok') throw new Error(`${row.id}: ${row.reason}`);
          return [row.id, [...Array.from(row.logits), row.logZ]];
        }),
      );
    };
    const differences = (one: AskName, other: AskName): number[] => {
      const a = rowsOf(one);
      return [...rowsOf(other)].flatMap(([id, values]) => values.map((value, k) => Math.abs(value - a.get(id)![k]!)));
    };

    it.each<AskName>(['whole', 'reversed', 'split', 'neighbours', 'alone'])(
      'gives a row the same scores to 1e-4 (%s)',
      (name) => {
        expect(Math.max(...differences('shared', name))).toBeLessThan(1e-4);
      },
    );

    it('still sees the first word of the long beginning, so that a lost one would show', () => {
      expect(Math.max(...differences('shared', 'other'))).toBeGreaterThan(0.01);
    });
  },
);

describe.each(FILES)('the texts of %s', (file) => {
  it('have the scores that each has without others to branch from', () => {
    const branched = found.get(`${file} text shared`)!;
    const lone = found.get(`${file} text lone`)!;
    expect(lone.size).toBe(3 * branched.size);
    const worst = [...lone].map(([id, row]) => {
      const [question, k] = id.split(' ');
      const other = branched.get(question!)!;
      if (row.status !== 'ok' || other.status !== 'ok') throw new Error(`${id} failed`);
      return Math.abs(row.logits[0]! - other.logits[Number(k)]!);
    });
    expect(Math.max(...worst)).toBeLessThan(1e-4);
  });
});

describe('a recurrent state', () => {
  it('cannot be cut back to the tokens that prompts share, so none are kept', () => {
    expect(logs.filter((line) => line.includes('evaluated once per sequence'))).toEqual([]);
  });
});
