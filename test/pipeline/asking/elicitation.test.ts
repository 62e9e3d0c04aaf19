import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { listEntries, verifyEntries } from '../../../src/cache/list-entries.js';
import { readComplete } from '../../../src/cache/read-entry.js';
import { allEntries, planScores } from '../../../src/pipeline/score/score-plan.js';
import { loadWorkspace } from '../../../src/pipeline/workspace/load-workspace.js';
import type { Results } from '../../../src/results/results-schema.js';
import { wordProblems } from '../demo-workspace.js';
import { quizWorkspace } from '../quiz-workspace.js';

const METHODS = ['vanilla', 'elicitation', 'elicitation-unparsed-wrong', 'elicitation-ensemble', 'p-true'];

/** The demo models, a few word problems and a suite that asks for replies. */
function asking(settings = '{}', methods: readonly string[] = METHODS, rows = wordProblems(20)) {
  const workspace = quizWorkspace(rows);
  const write = (to: string, elicitation: string) =>
    writeFileSync(
      workspace.file('models.yaml'),
      readFileSync(to, 'utf8').replace(
        /suites:[\s\S]*/,
        `suites:\n  s: {datasets: [quiz], seeds: [1, 2], combinationSizes: [1], methods: [${methods}], elicitation: ${elicitation}}\n`,
      ),
    );
  write(workspace.file('models.yaml'), settings);
  const json = (name: string) => JSON.parse(readFileSync(workspace.file(`out/${name}`), 'utf8'));
  return {
    ...workspace,
    set: (elicitation: string) => write(workspace.file('models.yaml'), elicitation),
    results: (): Results => json('results.json'),
    replies: () => json('diagnostics.json').elicitation,
    async table(kind: string) {
      const name = readdirSync(workspace.file('cache')).find(
        (each) => each.includes(`--${kind}-`) && each.endsWith('.json'),
      )!;
      const file = workspace.file(`cache/${name}`);
      const state = await readComplete(file, readFileSync(file, 'utf8'), null);
      if (state.kind !== 'complete') throw new Error(state.kind);
      return state.table;
    },
  };
}

describe('the pipeline with replies of a real model', () => {
  const workspace = asking('{samples: 3}');
  let first: Awaited<ReturnType<typeof workspace.table>>;
  beforeAll(async () => {
    const { code, stderr } = await workspace.run('pipeline', '--log-level', 'info');
    expect([code, stderr.match(/error.*/)]).toEqual([0, null]);
    first = await workspace.table('elicitation-ensemble');
  }, 60_000);

  it('keeps every sample with its text, seed, answer and confidence, and verify knows the entries', async () => {
    expect(first.ids.slice(0, 4)).toEqual(['w000#1', 'w000#2', 'w000#3', 'w001#1']);
    const { texts, answers, confidences, seeds, verdicts } = first.replies!;
    expect(new Set(seeds).size).toBe(60);
    expect(new Set(verdicts)).toEqual(new Set(['parsed']));
    texts.forEach((text, n) => {
      const said = JSON.parse(text!);
      expect(['ABCD'.indexOf(said.answer), said.confidence]).toEqual([answers[n], confidences[n]]);
    });
    expect(new Set(texts).size).toBeGreaterThan(3);
    const entries = await verifyEntries(workspace.file('cache'));
    expect(new Set(entries.map(({ state }) => state))).toEqual(new Set(['complete']));
    // The reference is not scored: no method wants it.
    expect(entries).toHaveLength(5);
  });

  it('has the methods in the order of the suite, with answers and confidences of their own', () => {
    const runs = workspace.results().runs.filter(({ seed }) => seed === 1);
    expect(runs.map(({ method }) => method)).toEqual(METHODS);
    for (const run of runs.slice(1)) expect(run).toMatchObject({ coverage: 1, ece: expect.any(Number), nll: null });
    expect(runs[0]!.coverage).toBeNull();
    expect(runs[4]!.accuracy).toBe(runs[0]!.accuracy);
    expect(runs[1]!.meanConfidence).not.toBe(runs[0]!.meanConfidence);
  });

  it('reports how many replies could be read', () => {
    expect(workspace.replies()).toEqual([
      expect.objectContaining({
        target: 'target',
        kind: 'elicitation',
        replies: 20,
        parsed: 20,
        refusals: 0,
        failed: 0,
      }),
      expect.objectContaining({ kind: 'elicitation-ensemble', replies: 60, parsed: 60, temperature: 0.7 }),
    ]);
    expect(readFileSync(workspace.file('out/report.md'), 'utf8')).toMatch(
      /### Replies[\s\S]*\| target \| 20 \| 100.0 \|/,
    );
  });

  it('a second run loads nothing; one in other batches has the same replies', async () => {
    const again = await workspace.run('pipeline', '--log-level', 'info');
    expect(again.stderr).toMatch(/0 rows to score, 140 in the cache/);
    const models = readFileSync(workspace.file('models.yaml'), 'utf8');
    writeFileSync(workspace.file('models.yaml'), models.replace('id: target,', 'id: target, scoring: {sequences: 3},'));
    for (const name of readdirSync(workspace.file('cache')))
      if (name.includes('--elicitation')) rmSync(workspace.file(`cache/${name}`));
    expect((await workspace.run('score')).code).toBe(0);
    const other = await workspace.table('elicitation-ensemble');
    expect(other.replies!.texts).toEqual(first.replies!.texts);
    writeFileSync(workspace.file('models.yaml'), models);
  }, 60_000);
});

describe('a model that is asked through its chat template', () => {
  it.each(['grammar', 'text'])(
    'replies in its own turn, held to the form or free (%s)',
    async (structured) => {
      const methods = ['vanilla', 'elicitation', 'elicitation-ensemble', 'p-true'];
      const workspace = asking(`{samples: 2, structured: ${structured}, maxTokens: 24}`, methods, wordProblems(12));
      const models = readFileSync(workspace.file('models.yaml'), 'utf8');
      writeFileSync(workspace.file('models.yaml'), models.replace('id: target,', 'id: target, prompt: chat,'));
      expect((await workspace.run('pipeline')).code).toBe(0);
      const { replies } = await workspace.table('elicitation-ensemble');
      // Nothing stands between the header of the turn and the object; a raw prompt's "Reply:" has a space after it.
      for (const text of replies!.texts) expect(text).toMatch(/^\{"answer": "[A-D]", "confidence": \d{1,3}\}$/);
      expect(workspace.replies()).toEqual([
        expect.objectContaining({
          kind: 'elicitation',
          structured,
          replies: 12,
          parsed: 12,
          refusals: 0,
          outOfRange: 0,
        }),
        expect.objectContaining({ kind: 'elicitation-ensemble', replies: 24, parsed: 24, cut: 0, failed: 0 }),
      ]);
      const runs = workspace.results().runs.filter(({ seed }) => seed === 1);
      expect(runs.map(({ method, coverage }) => [method, coverage])).toEqual([
        ['vanilla', null],
        ...methods.slice(1).map((method) => [method, 1]),
      ]);
    },
    60_000,
  );
});

describe('what changes a reply', () => {
  it('has another entry; what only reads replies has the same', async () => {
    const workspace = asking('{samples: 1, maxTokens: 3}', ['vanilla', 'elicitation-ensemble'], wordProblems(10));
    /** Names of the entries of replies that a run would fill. */
    const open = async (settings: string) => {
      workspace.set(settings);
      const plans = await planScores(await loadWorkspace(workspace.options), 'cpu');
      const entries = plans.flatMap(allEntries).filter(({ way }) => way === 'elicitation-ensemble');
      return entries.flatMap(({ entry }) => (entry.kind === 'open' ? [entry.key.name] : []));
    };
    const first = await open('{samples: 1, maxTokens: 3}');
    expect([first.length, (await workspace.run('score')).code]).toEqual([1, 0]);
    expect(await open('{samples: 1, maxTokens: 3}')).toEqual([]);
    expect(await open('{samples: 1, maxTokens: 3, aggregator: consistency, minimumCoverage: 0}')).toEqual([]);
    const names = new Set(first);
    for (const change of [
      '{samples: 2, maxTokens: 3}',
      '{samples: 1, maxTokens: 3, temperature: 1.5}',
      '{samples: 1, maxTokens: 3, seed: 2}',
      '{samples: 1, maxTokens: 3, structured: text}',
      '{samples: 1, maxTokens: 4}',
      "{samples: 1, maxTokens: 3, prompt: 'Say {labels}.'}",
    ]) {
      const changed = await open(change);
      expect([change, changed.length, names.has(changed[0] ?? '')]).toEqual([change, 1, false]);
      for (const name of changed) names.add(name);
    }
    expect((await listEntries(workspace.file('cache'))).every(({ state }) => state === 'complete')).toBe(true);
  });
});

describe('replies that cannot be read', () => {
  it('leave no ECE below half coverage, and one where it is asked for; unparsed as wrong has all rows', async () => {
    const workspace = asking(
      '{maxTokens: 3}',
      ['vanilla', 'elicitation', 'elicitation-unparsed-wrong'],
      wordProblems(10),
    );
    expect((await workspace.run('pipeline')).code).toBe(0);
    const [vanilla, plain, wrong] = workspace.results().runs;
    expect(plain).toMatchObject({ method: 'elicitation', coverage: 0, ece: null, accuracy: null, labelledCount: 0 });
    expect(wrong).toMatchObject({ coverage: 1, accuracy: 0, meanConfidence: 0.25, ece: 0.25 });
    expect(vanilla!.ece).not.toBeNull();
    expect(workspace.replies()[0]).toMatchObject({ replies: 10, parsed: 0, cut: 10 });
    expect(readFileSync(workspace.file('out/report.md'), 'utf8')).toMatch(/target · Elicit\. 0\.0 %/);
  }, 60_000);
});
