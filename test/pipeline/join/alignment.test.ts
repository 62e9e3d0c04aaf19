import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../cli/fake-io.js';

const IDS = Array.from({ length: 30 }, (_, n) => `q${String(n).padStart(2, '0')}`);
const MODELS = ['base', 'ref-a', 'ref-b', 'chat'];

/** A data set with a source, and scores of four models for it that were computed elsewhere. */
function project(settings = '') {
  const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-align-'));
  const at = (name: string) => path.join(folder, name);
  mkdirSync(at('datasets'));
  writeFileSync(
    at('models.yaml'),
    `models:
  - {id: base, role: base}
  - {id: ref-a, role: base}
  - {id: ref-b, role: base}
  - {id: chat, role: post-trained, base: base}
suites:
  s: {datasets: [quiz], seeds: [1, 2], combinationSizes: [1]${settings}}
`,
  );
  writeFileSync(
    at('datasets/quiz.yaml'),
    JSON.stringify({
      source: 'quiz.jsonl',
      fields: { id: 'id', options: 'options', label: { field: 'answer', labelBase: 0 } },
      prompt: { template: '{question}\n{options}\nAnswer:' },
    }),
  );
  const where = ['--models', at('models.yaml'), '--datasets', at('datasets'), '--cache', at('cache')];
  const writeRows = (change: (id: string) => object = () => ({})) => {
    const rows = IDS.map((id, n) => ({
      id,
      question: `${id}?`,
      options: ['a', 'b', 'c'],
      answer: n % 3,
      ...change(id),
    }));
    writeFileSync(at('datasets/quiz.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  };
  writeRows();
  return {
    writeRows,
    async import(model: string, ids: readonly string[] = IDS) {
      const m = MODELS.indexOf(model) + 1;
      const rows = ids.map((id) => {
        const n = Number(id.slice(1));
        return { id, logits: [0, 1, 2].map((k) => (model === 'chat' ? 4 : 1) * Math.sin(5 * n + 3 * k + m / 3)) };
      });
      writeFileSync(at(`${model}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      return run(['import', at(`${model}.jsonl`), '--model', model, '--dataset', 'quiz', '--unit', 'logits', ...where]);
    },
    async calibrate(...more: string[]) {
      const ended = await run(['calibrate', '--suite', 's', ...where, '--out', at('out'), '--json', ...more]);
      return { ...ended, results: JSON.parse(ended.stdout) };
    },
    splits: () => JSON.parse(readFileSync(at('out/splits.json'), 'utf8')),
  };
}

describe('scores are joined by example id', () => {
  it('so that tables in any order give the same numbers', async () => {
    const [ordered, shuffled] = [project(), project()];
    for (const [m, model] of MODELS.entries()) {
      await ordered.import(model);
      const ids = IDS.map((_, n) => IDS[(n * [7, 11, 13, 29][m]! + m) % IDS.length]!);
      expect(new Set(ids).size).toBe(IDS.length);
      expect((await shuffled.import(model, ids)).code).toBe(0);
    }
    const [first, second] = [await ordered.calibrate(), await shuffled.calibrate()];
    expect(first.code).toBe(0);
    expect(second.results.runs).toEqual(first.results.runs);
    expect(second.results.runs.length).toBeGreaterThan(0);
    expect(shuffled.splits()).toEqual(ordered.splits());
  });

  it('and an example that one model lacks counts for none; skipped says which, for whom and why', async () => {
    const suite = project();
    for (const model of MODELS) await suite.import(model, model === 'ref-b' ? IDS.filter((id) => id !== 'q05') : IDS);
    const { code, results } = await suite.calibrate();
    expect(code).toBe(4);
    expect(results.status).toBe('partial');
    expect(results.skipped).toEqual([
      { dataset: 'quiz', model: 'ref-b', example: 'q05', reason: 'no scores for this example' },
    ]);
    for (const each of results.runs) expect(each.calibrationCount + each.evaluationCount).toBe(29);
  });
});

describe('examples: per-method', () => {
  const examplesOf = (runs: readonly { method: string; calibrationCount: number; evaluationCount: number }[]) =>
    Object.fromEntries(runs.map((each) => [each.method, each.calibrationCount + each.evaluationCount]));

  it('keeps an example for the methods that need no model that lacks it, and says so; common leaves it out for all', async () => {
    const lacking: Record<string, string> = { base: 'q06', 'ref-b': 'q05' };
    const [common, own] = [project(), project(', examples: per-method')];
    for (const suite of [common, own])
      for (const model of MODELS)
        await suite.import(
          model,
          IDS.filter((id) => id !== lacking[model]),
        );
    const { results } = await own.calibrate();
    expect(results.protocol.examples).toBe('per-method');
    expect(examplesOf(results.runs)).toEqual({
      vanilla: 30,
      daca: 29,
      'full-kl': 29,
      'relative-only': 29,
      supportcal: 28,
      auto: 28,
      'oracle-ts': 30,
    });
    expect(results.warnings).toContain(
      'quiz, chat: of 30 examples, 28 for supportcal, auto; 29 for daca, full-kl, relative-only; 30 for vanilla, oracle-ts, since other ' +
        'models lack some (base 1, ref-b 1); methods of different examples are not tested against each other',
    );
    const vanilla = results.runs.find((each: { method: string }) => each.method === 'vanilla');
    expect(vanilla).toMatchObject({ ownBaseAccuracy: null, disagreementRate: null, accuracy: expect.any(Number) });
    const pairs = results.comparisons.map(
      (each: { methodA: string; methodB: string }) => `${each.methodA} ${each.methodB}`,
    );
    expect([...new Set(pairs)].sort()).toEqual([
      'auto supportcal',
      'full-kl daca',
      'relative-only daca',
      'relative-only full-kl',
    ]);
    const { results: shared } = await common.calibrate();
    expect(new Set(Object.values(examplesOf(shared.runs)))).toEqual(new Set([28]));
    expect(shared.warnings).toContain(
      'quiz, chat: 2 of 30 examples count for no method, Vanilla too, since another model lacks them (base 1, ref-b 1); ' +
        '`examples: per-method` of the suite keeps them for the methods that need no such model',
    );
    // SupportCal needs all models: its numbers are the same either way.
    const ofSupportcal = (all: typeof results) =>
      all.runs.filter((each: { method: string }) => each.method === 'supportcal');
    expect(ofSupportcal(results)).toEqual(ofSupportcal(shared));
  });

  it('changes nothing where no example is lacking', async () => {
    const [common, own] = [project(), project(', examples: per-method')];
    for (const suite of [common, own]) for (const model of MODELS) await suite.import(model);
    const [{ results: one }, { results: other }] = [await common.calibrate(), await own.calibrate()];
    expect(other.runs).toEqual(one.runs);
    expect(other.summary).toEqual(one.summary);
    expect(other.comparisons).toEqual(one.comparisons);
  });
});

describe('a table made from other rows', () => {
  it.each([
    ['a question was changed', (id: string) => (id === 'q03' ? { question: 'another?' } : {})],
    ['an option was changed', (id: string) => (id === 'q03' ? { options: ['a', 'b', 'x'] } : {})],
    ['a label was changed', (id: string) => (id === 'q04' ? { answer: 2 } : {})],
    ['an id was changed', (id: string) => (id === 'q03' ? { id: 'q99' } : {})],
  ])('is refused: %s after the import', async (_, change) => {
    const suite = project();
    for (const model of MODELS) await suite.import(model);
    suite.writeRows(change);
    const { code, stderr } = await suite.calibrate();
    expect(code).toBe(3);
    expect(stderr).toContain(
      'the imported scores were made for other rows than data set "quiz" has now; import them again',
    );
  });

  it('leaves out its model alone where others were imported again', async () => {
    const suite = project();
    for (const model of MODELS) await suite.import(model);
    suite.writeRows((id) => (id === 'q03' ? { question: 'another?' } : {}));
    for (const model of MODELS.filter((each) => each !== 'ref-a')) await suite.import(model);
    const { code, results } = await suite.calibrate();
    expect(code).toBe(4);
    expect(results.skipped).toMatchObject([{ dataset: 'quiz', model: 'ref-a', example: null }]);
  });

  it('is not one of the whole data set that --limit shortens', async () => {
    const suite = project();
    for (const model of MODELS) await suite.import(model);
    const { code, results } = await suite.calibrate('--limit', '20');
    expect(code).toBe(0);
    for (const each of results.runs) expect(each.calibrationCount + each.evaluationCount).toBe(20);
  });

  it('with an id twice, or one that the data set lacks, is refused at import and the earlier one stays', async () => {
    const suite = project();
    for (const model of MODELS) await suite.import(model);
    expect((await suite.import('chat', [...IDS, 'q07'])).code).toBe(3);
    expect((await suite.import('chat', [...IDS.slice(1), 'q77'])).code).toBe(3);
    expect((await suite.calibrate()).code).toBe(0);
  });
});
