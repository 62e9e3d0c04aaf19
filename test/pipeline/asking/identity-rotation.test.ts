import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeTable } from '../../../src/cache/table/encode-table.js';
import { scoreTable } from '../../../src/cache/table/score-table.js';
import type { ExamplePrompt } from '../../../src/contract/prompt.js';
import type { ScoredRow } from '../../../src/contract/scored-row.js';
import type { ModelFacts, Scorer } from '../../../src/contract/scorer.js';
import { addIdentityRotation, identityRotationAdder } from '../../../src/pipeline/asking/identity-rotation.js';
import { scoreStage } from '../../../src/pipeline/score-stage.js';
import { loadWorkspace } from '../../../src/pipeline/workspace/load-workspace.js';
import { quizWorkspace } from '../quiz-workspace.js';

/** @param numbers option mass, logZ, tokens of the prompt */
const ok = (id: string, logits: number[], numbers: readonly [number, number, number]): ScoredRow => {
  const [optionMass, logZ, promptTokens] = numbers;
  return { status: 'ok', id, logits: Float32Array.from(logits), optionMass, logZ, promptTokens };
};
const failed = (id: string, reason: string): ScoredRow => ({ status: 'failed', id, reason, promptTokens: 7 });

const plain = scoreTable([
  failed('c', 'the logit of option 1 is NaN'),
  ok('a', [1, 2, 3], [0.9, 5, 40]),
  ok('b', [7, 8], [0.25, 6, 30]),
  { ...ok('u', [7, 8], [0.25, 0, 30]), untold: 2 } as ScoredRow,
]);
const add = addIdentityRotation(plain);

describe('addIdentityRotation', () => {
  it('puts the logits of the plain row in front, whatever the order of the rows and the number of options', () => {
    const rows = add([ok('b', [9, 10], [0.75, 1, 33]), ok('a', [4, 5, 6, 7, 8, 9], [0.6, 2, 55])]);
    expect(rows.map((row) => row.status === 'ok' && Array.from(row.logits))).toEqual([
      [7, 8, 9, 10],
      [1, 2, 3, 4, 5, 6, 7, 8, 9],
    ]);
  });

  it('has the logZ of the first order, the mean option mass of all orders, and the tokens of those evaluated', () => {
    const [row] = add([ok('a', [4, 5, 6, 7, 8, 9], [0.6, 2, 55])]);
    expect(row).toMatchObject({ logZ: 5, promptTokens: 55 });
    // (0.9 + 0.6 + 0.6) / 3
    expect(row).toMatchObject({ optionMass: expect.closeTo(0.7, 12) });
  });

  it('fails a row of whose first order an option was not told', () => {
    const [row] = add([ok('u', [1, 2], [0.5, 1, 9])]);
    expect(row).toEqual({
      status: 'failed',
      id: 'u',
      promptTokens: 9,
      reason: 'rotation 1: the server did not tell every option',
    });
  });

  it('fails a row whose first order failed, and leaves one that failed by itself as it is', () => {
    const other = failed('a', 'rotation 2: the logit of option 1 is NaN');
    expect(add([ok('c', [1, 2, 3, 4], [0.5, 1, 9]), other])).toEqual([
      { status: 'failed', id: 'c', reason: 'rotation 1: the logit of option 1 is NaN', promptTokens: 9 },
      other,
    ]);
  });

  it('never makes up a first order: a row without a plain one is a fault', () => {
    expect(() => add([ok('d', [1, 2, 3, 4], [0.5, 1, 9])])).toThrow(/no plain scores/);
  });
});

describe('identityRotationAdder', () => {
  it('leaves rows that bring their first order as they are, and asks for no plain scores', async () => {
    const orders = Array.from({ length: 3 }, () => ({ text: 'a', continuations: ['A', 'B', 'C'] }));
    const prompt = { id: 'a', ...orders[0]!, mode: 'rotations' as const, rotations: orders, answerPrefix: null };
    let asked = 0;
    const finish = identityRotationAdder([prompt], async () => {
      asked++;
      return plain;
    });
    const whole = ok('a', [9, 9, 9, 4, 5, 6, 7, 8, 9], [0.7, 5, 55]);
    expect([await finish([whole]), asked]).toEqual([[whole], 0]);
    const [same, added] = await finish([whole, ok('a', [4, 5, 6, 7, 8, 9], [0.6, 2, 55])]);
    expect([same, asked]).toEqual([whole, 1]);
    expect(added).toMatchObject({ logits: Float32Array.from([1, 2, 3, 4, 5, 6, 7, 8, 9]), logZ: 5 });
  });
});

/** A scorer without models: a logit follows from the text of its prompt and its label alone. */
const scorer: Scorer = async (jobs) => {
  const facts = { warnings: [] } as unknown as ModelFacts;
  for (const { jobs: parts } of jobs) {
    for (const { prompts, onRows } of parts) {
      const rows = prompts.map(({ id, rotations, ...prompt }): ScoredRow => {
        const logits = (rotations ?? [prompt]).flatMap(logitsOf);
        return ok(id, logits, [0.5, 1, rotations?.length ?? 1]);
      });
      for (let from = 0; from < rows.length; from += 5) await onRows(rows.slice(from, from + 5), facts);
    }
  }
  return jobs.map(({ model }) => ({ kind: 'done', model: model.id, facts, seconds: 1, tokens: 1 }));
};
const logitsOf = ({ text, continuations }: Pick<ExamplePrompt, 'text' | 'continuations'>) =>
  continuations.map((label) =>
    Array.from(text + label).reduce((sum, each) => (31 * sum + each.charCodeAt(0)) % 997, 7),
  );

describe('the identity rotation in the cache', () => {
  const workspace = (methods: string) => {
    const made = quizWorkspace();
    const models = readFileSync(made.options.models, 'utf8');
    writeFileSync(made.options.models, models.replace('combinationSizes', `methods: ${methods}, combinationSizes`));
    const score = async () => {
      const warnings: string[] = [];
      const onLog = (level: string, message: string) => void (level === 'warn' && warnings.push(message));
      const { status, entries } = await scoreStage(made.options, { onLog }, new AbortController().signal, scorer);
      return { status, warnings, states: entries.map(({ state }) => state) };
    };
    const entries = () => {
      const names = readdirSync(made.options.cache).filter((name) => /^target--quiz-.*\.arrow$/.test(name));
      return names.sort().map((name) => [name, readFileSync(made.file(`cache/${name}`))] as const);
    };
    return { ...made, score, entries };
  };

  it('is the plain scores of the same run, and the whole entry what all K orders would have given', async () => {
    const { score, entries, options } = workspace('[vanilla, cape]');
    expect((await score()).status).toBe('complete');
    const [rotated, plain] = entries().map(([, bytes]) => decodeTable(bytes));
    const { datasets, suite } = await loadWorkspace(options);
    const form = datasets[0]!.content!.rendered.get('rotations')!.promptsOf(suite.targets[0]!.target)!;
    for (const [row, { id, text, rotations }] of form.prompts.entries()) {
      expect([rotated!.ids[row], plain!.ids[row], rotations![0]!.text]).toEqual([id, id, text]);
      expect(form.evaluated[row]!.rotations).toEqual(rotations!.slice(1));
      expect(Array.from(rotated!.logits.values.subarray(16 * row, 16 * row + 16))).toEqual(
        rotations!.flatMap(logitsOf),
      );
      expect(rotated!.promptTokens[row]).toBe(3);
    }
  });

  it('is taken from the cache where an earlier run left it: the entry is the same to the byte', async () => {
    const together = workspace('[vanilla, cape]');
    await together.score();
    const apart = workspace('[vanilla]');
    await apart.score();
    const models = readFileSync(apart.options.models, 'utf8');
    writeFileSync(apart.options.models, models.replace('[vanilla]', '[vanilla, cape]'));
    expect((await apart.score()).states).toEqual(['cached', 'cached', 'scored']);
    expect(apart.entries()).toHaveLength(2);
    expect(apart.entries()).toEqual(together.entries());
  });

  it('stays when the plain entry is damaged and scored again, and the manifest says where it came from', async () => {
    const { score, entries, file } = workspace('[vanilla, cape]');
    await score();
    const before = entries();
    const [[rotated], [plain]] = before as [(typeof before)[0], (typeof before)[0]];
    writeFileSync(file(`cache/${plain}`), 'gone');
    const { warnings, states } = await score();
    expect([warnings, states]).toEqual([[expect.stringContaining(plain)], ['cached', 'scored', 'cached']]);
    expect(entries()).toEqual(before);
    const manifest = JSON.parse(readFileSync(file(`cache/${rotated.replace('.arrow', '.json')}`), 'utf8'));
    expect(manifest.facts.firstOrder).toBe('plain');
  });
});
