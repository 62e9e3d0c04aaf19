import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { listEntries, verifyEntries } from '../../../src/cache/list-entries.js';
import { removeEntry } from '../../../src/cache/remove-entry.js';
import type { ModelFacts, Scorer } from '../../../src/contract/scorer.js';
import { contentHash } from '../../../src/files/content-hash.js';
import { scoreStage } from '../../../src/pipeline/score-stage.js';
import { verifyCache } from '../../../src/pipeline/verify-cache.js';
import type { ScoringPlan } from '../../../src/pipeline/workspace/pipeline-events.js';
import { wordProblems } from '../demo-workspace.js';
import { quizWorkspace } from '../quiz-workspace.js';
import { STUB_FACTS } from '../stub-scorer.js';

const never = new AbortController().signal;
type Row = Record<string, unknown> & { id: string };
const problems = () => wordProblems(24) as unknown as Row[];

const FACTS: ModelFacts = { ...STUB_FACTS, selfCheck: { maxDifference: 0, tolerance: 0, compared: 2, flips: 0 } };

/** Scores by the text of a prompt alone, with what the self-check of its models finds. */
const byText =
  (facts: ModelFacts = FACTS): Scorer =>
  async (jobs, _settings, events) => {
    const outcomes = jobs.map(
      ({ model }) => ({ kind: 'done', model: model.id, facts, seconds: 1, tokens: 1 }) as const,
    );
    for (const { model, jobs: parts } of jobs)
      for (const { dataset, prompts, onRows } of parts) {
        const rows = prompts.map(({ id, text, continuations }) => ({
          status: 'ok' as const,
          id,
          logZ: 30,
          optionMass: 0.9,
          promptTokens: text.length,
          logits: continuations.map((_, k) => Number.parseInt(contentHash([model.id, text, k]).slice(0, 6), 16)),
        }));
        await onRows(rows, facts);
        events.onRows?.(model.id, dataset, rows.length, 1);
      }
    return outcomes;
  };

/** A workspace whose rows can be changed, and how many rows of each model a run scores. */
function changing(scorer?: Scorer) {
  const workspace = quizWorkspace(problems());
  const { options, file } = workspace;
  const arrows = (cache: string) =>
    new Map(
      readdirSync(cache)
        .filter((name) => name.endsWith('.arrow'))
        .map((name) => [name, readFileSync(path.join(cache, name))]),
    );
  const score = async (rows: readonly Row[] | null, more: object = {}) => {
    if (rows !== null)
      writeFileSync(file('datasets/quiz.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const scored = new Map<string, number>();
    const onRows = (model: string, _: string, count: number) =>
      void scored.set(model, (scored.get(model) ?? 0) + count);
    let planned: readonly number[] = [];
    const onScoringPlan = ({ toScore, cached }: ScoringPlan) => {
      planned = [toScore, cached];
    };
    const { status } = await scoreStage({ ...options, ...more }, { onRows, onScoringPlan }, never, scorer);
    expect(status).toBe('complete');
    return { scored: [...scored.values()], planned };
  };
  /** Every entry of the cache that a run without it makes, too, has the same bytes. */
  const expectFresh = async () => {
    const cache = file('fresh');
    rmSync(cache, { recursive: true, force: true });
    await score(null, { cache });
    const [fresh, own] = [arrows(cache), arrows(options.cache)];
    expect(fresh.size).toBe(3);
    for (const [name, bytes] of fresh) expect(own.get(name)?.equals(bytes)).toBe(true);
  };
  return { ...workspace, score, expectFresh };
}

describe('rows of another version of a data set', () => {
  it('are taken over where all that is asked in them is the same, with the bytes of a fresh run', async () => {
    const { options, score, expectFresh } = changing();
    const rows = problems();
    expect((await score(rows)).scored).toEqual([24, 24, 24]);
    // Neither the first nor the last in the order of their texts: these two decide which tokens are kept.
    const texts = rows.map(({ question }) => question as string).sort();
    const inner = rows.findIndex(({ question }) => question === texts[12]);

    const changed = rows.map((row, n) => (n === inner ? { ...row, options: ['11', '12', '13', '14'] } : row));
    expect(await score(changed)).toEqual({ scored: [1, 1, 1], planned: [3, 69] });
    await expectFresh();
    const entries = (await verifyEntries(options.cache)).filter(({ state }) => state === 'complete');
    expect(entries.map(({ manifest }) => (manifest!.facts as ModelFacts).takenOver?.[0]?.rows)).toEqual(
      expect.arrayContaining([23, undefined]),
    );
  });

  it('are found for rows that are added, removed, renamed, moved or labelled otherwise', async () => {
    const { score, expectFresh } = changing(byText());
    const rows = problems();
    await score(rows);
    const texts = rows.map(({ question }) => question as string).sort();
    const inner = rows.findIndex(({ question }) => question === texts[12]);
    const added = [...rows, { ...rows[inner], id: 'new', question: `${texts[12]} (again)` } as Row];
    expect((await score(added)).scored).toEqual([1, 1, 1]);
    await expectFresh();

    // Nothing is left to score: other labels, names and order, and a row less.
    const renamed = rows.map((row, n) => ({ ...row, id: `z${99 - n}`, answer: 'B' })).filter((_, n) => n !== inner);
    expect((await score(renamed)).scored).toEqual([]);
    await expectFresh();
  });

  it('are found for every row, a part of the rows and more of them where prompts share too little to keep', async () => {
    const { score, expectFresh } = changing(byText());
    const rows = problems();
    await score(rows);
    const ends = ['!', '~'].map((question, n) => ({ ...rows[n], id: `end ${n}`, question }) as Row);
    expect((await score([...rows, ...ends])).scored).toEqual([2, 2, 2]);
    await expectFresh();
    expect((await score([...ends, ...rows.slice(0, 7)])).scored).toEqual([]);
    await expectFresh();
  });

  it('are scored again where the kept tokens may be others, the prompt is another one, or a run asks for that', async () => {
    const { options, score, file, expectFresh } = changing(byText());
    const rows = problems();
    const yaml = readFileSync(file('datasets/quiz.yaml'), 'utf8').replace('Question', 'A question to read with care');
    writeFileSync(file('datasets/quiz.yaml'), yaml);
    await score(rows);
    const first = { ...rows[0], id: 'first', question: '!' } as Row;
    expect((await score([first, ...rows])).scored).toEqual([25, 25, 25]);
    expect((await score(null, { refresh: true })).scored).toEqual([25, 25, 25]);
    writeFileSync(file('datasets/quiz.yaml'), yaml.replace('Answer:', 'The answer:'));
    expect((await score(null)).scored).toEqual([25, 25, 25]);
    await expectFresh();
    // An entry that was written before rows were written down, or whose list is damaged, is read as ever.
    for (const name of readdirSync(options.cache).filter((each) => each.endsWith('.rows')))
      writeFileSync(path.join(options.cache, name), '{"rows": [');
    const { damaged, entries } = await verifyCache(options.cache);
    expect(entries.map(({ state }) => state)).toEqual(Array(entries.length).fill('complete'));
    expect(damaged.map(({ file }) => path.basename(file))).toEqual(
      readdirSync(options.cache).filter((each) => each.endsWith('.rows')),
    );
    for (const { advice } of damaged) expect(advice).toMatch(/^remove it: the scores beside it are found as before/);
    expect((await score(null)).scored).toEqual([]);
    expect((await score([first, ...rows.slice(1)])).scored).toEqual([24, 24, 24]);
  });

  it.each([
    ['a GPU, where company moves bits', { backend: 'cuda' as const }],
    ['a difference that was found', { selfCheck: { maxDifference: 1e-6, tolerance: 0 } }],
    ['a run that did not look', { selfCheck: null as never }],
  ])('are scored again after %s', async (_, more) => {
    const { score } = changing(byText({ ...FACTS, ...more }));
    await score(problems());
    expect((await score(problems().slice(1))).scored).toEqual([23, 23, 23]);
  });

  it('survive a damaged entry and leave nothing when their entry is removed', async () => {
    const { options, score, expectFresh } = changing(byText());
    const rows = problems();
    await score(rows);
    const [damaged, ...others] = await listEntries(options.cache);
    const arrow = path.join(options.cache, `${damaged!.name}.arrow`);
    const bytes = readFileSync(arrow);
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(arrow, bytes);
    const texts = rows.map(({ question }) => question as string).sort();
    const changed = rows.filter(({ question }) => question !== texts[12]);
    expect((await score(changed)).scored).toEqual([23]);
    await expectFresh();
    for (const { name } of [damaged!, ...others]) await removeEntry(options.cache, name);
    const names = readdirSync(options.cache);
    expect(names.filter((name) => name.startsWith(others[0]!.name))).toEqual([]);
    expect(names.filter((name) => name.endsWith('.rows'))).toHaveLength(3);
  });
});
