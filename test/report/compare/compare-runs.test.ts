import { describe, expect, it } from 'vitest';
import { compareRuns } from '../../../src/report/compare/compare-runs.js';
import { comparisonDocument } from '../../../src/report/compare/comparison-document.js';
import { comparisonMarkdown } from '../../../src/report/compare/comparison-markdown.js';
import { manifestSchema, type RunManifest } from '../../../src/results/manifest-schema.js';
import type { Results } from '../../../src/results/results-schema.js';
import type { RunResult } from '../../../src/results/run-schema.js';
import { exampleResults } from '../example-results.js';

const shape = { datasets: ['facts'], targets: ['chat', 'expert'], seeds: [1, 2, 3] };
const alone = (results: Results) => ({ results, manifest: null });
const compare = (a: Results, b: Results) => compareRuns(alone(a), alone(b));
const of = (rows: ReturnType<typeof compareRuns>['rows'], target: string, method: string) =>
  rows.find((row) => row.target === target && row.method === method)!;

/** Changes the runs of chat, daca. */
const changed = (change: (run: RunResult) => Partial<RunResult>) =>
  exampleResults(shape, (run) => (run.target === 'chat' && run.method === 'daca' ? { ...run, ...change(run) } : run));

const manifest = (model: { sha256?: string; settings?: object } = {}): RunManifest =>
  manifestSchema.parse({
    schemaVersion: 1,
    createdAt: 'now',
    modelsFile: { file: 'models.yaml', sha256: 'y1' },
    datasets: [{ dataset: 'facts', file: 'facts.yaml', sha256: 'f', rows: 800, contentHash: 'c', rules: [] }],
    models: ['chat', 'expert'].map((id) => ({
      model: id,
      file: `${id}.gguf`,
      sha256: id === 'chat' ? (model.sha256 ?? 'aa') : 'bb',
      scores: [
        {
          dataset: 'facts',
          prompts: 'plain',
          entry: 'e',
          checksum: 'k',
          facts: null,
          key: {
            kind: 'scored',
            model: id,
            dataset: 'facts',
            promptHash: 'p',
            settings: model.settings ?? { threads: 2 },
          },
        },
      ],
    })),
  });

describe('compareRuns', () => {
  it('finds nothing between a run and itself', () => {
    const { rows, onlyA, onlyB, inputs, macro } = compare(exampleResults(shape), exampleResults(shape));
    expect(rows).toHaveLength(14);
    expect(rows.every(({ unchanged, differencePp }) => unchanged && differencePp === 0)).toBe(true);
    expect([onlyA, onlyB, inputs]).toEqual([[], [], []]);
    expect(macro.every(({ differencePp, targets }) => differencePp === 0 && targets === 2)).toBe(true);
  });

  it('gives the difference with the SE of the differences seed by seed', () => {
    const a = changed(({ seed }) => ({ ece: 0.1 * seed }));
    const b = changed(({ seed }) => ({ ece: 0.1 * seed + 0.01 * seed }));
    const row = of(compare(a, b).rows, 'chat', 'daca');
    // Differences of 1, 2 and 3 pp: mean 2, SE 1 / sqrt(3); the SE of either mean is ten times as large.
    expect([row.paired, row.unchanged]).toEqual([true, false]);
    expect(row.differencePp).toBeCloseTo(2, 10);
    expect(row.differenceSePp).toBeCloseTo(1 / Math.sqrt(3), 10);
    expect(row.differenceTotalSePp).toBeNull();
  });

  it('has the total error of both beside it, of rows and of means over the same targets', () => {
    const withTotals = (error: number) => {
      const results = exampleResults(shape);
      const add = <T extends object>(row: T) => ({ ...row, eceTotalSePp: error });
      return { ...results, summary: results.summary.map(add), macro: results.macro.map(add) };
    };
    const { rows, macro } = compare(withTotals(0.3), withTotals(0.4));
    expect(of(rows, 'chat', 'daca')).toMatchObject({ paired: true, differenceTotalSePp: expect.closeTo(0.5, 12) });
    for (const each of macro) expect(each.differenceTotalSePp).toBeCloseTo(0.5, 12);
    expect(of(compare(withTotals(0.3), exampleResults(shape)).rows, 'chat', 'daca').differenceTotalSePp).toBeNull();
  });

  it('takes the total standard error of common resamples where both runs drew the same examples', () => {
    const noise = [0.1, -0.3, 0.5, -0.2, 0.4, -0.5];
    const run = (draws: string, by: number, spread: number) => ({
      ...alone(exampleResults(shape)),
      resamples: shape.targets.map((target, t) => ({
        dataset: 'facts',
        target,
        method: 'daca',
        combinationSize: null,
        draws,
        ecesPp: [1, 5, 2, 8, 3, 9].map((ece, r) => ece + by + spread * (noise[(r + t) % 6] ?? 0)),
      })),
    });
    const row = (a: ReturnType<typeof run>, b: ReturnType<typeof run>) => compareRuns(a, b);
    // What both runs have in common, from 1 to 9 pp, cancels.
    const { rows, macro } = row(run('d1', 0, 0), run('d1', 2, 1));
    const deviation = Math.sqrt(noise.reduce((sum, each) => sum + each ** 2, 0) / 5);
    expect(of(rows, 'chat', 'daca')).toMatchObject({
      commonResamples: true,
      differenceTotalSePp: expect.closeTo(deviation, 12),
    });
    const mean = macro.find(({ method }) => method === 'daca');
    expect(mean?.commonResamples).toBe(true);
    expect(mean?.differenceTotalSePp).toBeLessThan(deviation);
    const apart = of(row(run('d1', 0, 0), run('d2', 2, 1)).rows, 'chat', 'daca');
    expect(apart).toMatchObject({ commonResamples: false, differenceTotalSePp: null });
    const document = comparisonDocument(
      { name: 'a', ...run('d1', 0, 0) },
      { name: 'b', ...run('d1', 2, 1) },
      row(run('d1', 0, 0), run('d1', 2, 1)),
      Number.POSITIVE_INFINITY,
    );
    expect(document.legend).toContain('of the differences resample by resample.');
    expect(JSON.stringify(document.rows)).toContain(`(total ${deviation.toFixed(2)})`);
  });

  it('takes two independent means where the seeds differ', () => {
    const a = exampleResults(shape);
    const b = exampleResults({ ...shape, seeds: [4, 5, 6] });
    const row = of(compare(a, b).rows, 'chat', 'daca');
    expect(row.paired).toBe(false);
    expect(row.differenceSePp).toBeCloseTo(Math.hypot(row.a.eceSePp!, row.b.eceSePp!), 12);
  });

  it('has no SE for one seed', () => {
    const one = exampleResults({ ...shape, seeds: [1] });
    expect(of(compare(one, one).rows, 'chat', 'daca').differenceSePp).toBeNull();
  });

  it('puts the largest change first, up or down, and an ECE that is gone before all', () => {
    const a = exampleResults(shape);
    const b = exampleResults(shape, (run) => {
      if (run.method === 'vanilla') return { ...run, ece: run.target === 'chat' ? null : run.ece! - 0.2 };
      return run.method === 'daca' ? { ...run, ece: run.ece! + 0.1 } : run;
    });
    const [gone, first, second] = compare(a, b).rows;
    expect([gone!.target, gone!.method, gone!.differencePp]).toEqual(['chat', 'vanilla', null]);
    expect([first!.target, first!.method]).toEqual(['expert', 'vanilla']);
    expect(first!.differencePp).toBeCloseTo(-20, 10);
    expect(second!.differencePp).toBeCloseTo(10, 10);
  });

  it('averages over the targets that both have', () => {
    const a = exampleResults(shape);
    const b = exampleResults({ ...shape, targets: ['chat', 'other'] });
    const { macro, onlyA, onlyB } = compare(a, b);
    expect(new Set(macro.map(({ targets }) => targets))).toEqual(new Set([1]));
    expect(new Set(onlyA.map(({ target }) => target))).toEqual(new Set(['expert']));
    expect(new Set(onlyB.map(({ target }) => target))).toEqual(new Set(['other']));
  });

  it('names the temperatures and the references that each run chose', () => {
    const a = changed(({ seed }) => ({ temperature: seed, selectedReferences: ['m'] }));
    const b = changed(({ seed }) =>
      seed === 1
        ? { temperature: null, temperatureKind: 'infinite', selectedReferences: ['m'] }
        : { temperature: 4, selectedReferences: ['n'] },
    );
    const row = of(compare(a, b).rows, 'chat', 'daca');
    expect(row.a.temperature).toEqual({ mean: 2, finite: 3, infinite: 0, none: 0 });
    expect(row.b.temperature).toEqual({ mean: 4, finite: 2, infinite: 1, none: 0 });
    expect(row.b.references).toEqual([
      { ids: ['n'], seeds: 2 },
      { ids: ['m'], seeds: 1 },
    ]);
    expect(row.unchanged).toBe(false);
  });

  it('says which recorded inputs differ, and which rows they can have moved', () => {
    const [a, b] = [exampleResults(shape), changed(() => ({ ece: 0.5 }))];
    const { inputs, rows } = compareRuns(
      { results: a, manifest: manifest() },
      { results: b, manifest: manifest({ sha256: 'a2' }) },
    );
    expect(inputs.map(({ kind, subject, field, a, b }) => [kind, subject, field, a, b])).toEqual([
      ['model', 'chat', 'sha256', 'aa', 'a2'],
    ]);
    expect(of(rows, 'chat', 'daca').causes).toEqual([0]);
    expect(of(rows, 'expert', 'daca').causes).toEqual([]);
  });

  it('holds a changed YAML file to be the cause only where nothing finer is known', () => {
    const run = { results: exampleResults(shape), manifest: manifest() };
    const yaml = { ...manifest(), modelsFile: { file: 'models.yaml', sha256: 'y2' } };
    const coarse = compareRuns(run, { ...run, manifest: yaml });
    expect(of(coarse.rows, 'chat', 'daca').causes).toEqual([0]);
    const fine = compareRuns(run, {
      ...run,
      manifest: { ...manifest({ settings: { threads: 4 } }), modelsFile: yaml.modelsFile },
    });
    const causes = of(fine.rows, 'chat', 'daca').causes.map((n) => fine.inputs[n]!);
    expect(causes.map(({ subject, field, a, b }) => [subject, field, a, b])).toEqual([
      ['chat on facts', 'settings.threads', '2', '4'],
    ]);
  });

  it('does not take for a difference what an earlier version did not record', () => {
    const run = { results: exampleResults(shape), manifest: manifest() };
    const { modelsFile: _, ...earlier } = structuredClone(run.manifest);
    for (const { scores } of earlier.models) for (const each of scores) delete each.key;
    expect(compareRuns({ ...run, manifest: earlier }, run).inputs).toEqual([]);
  });

  it('does not take the same file under another path for another file', () => {
    const run = { results: exampleResults(shape), manifest: manifest() };
    const moved = structuredClone(run.manifest);
    moved.models[0]!.file = '/elsewhere/chat.gguf';
    expect(compareRuns(run, { ...run, manifest: moved }).inputs).toEqual([]);
  });
});

describe('the comparison as a document', () => {
  const document = (a: Results, b: Results) =>
    comparisonDocument({ name: 'a', ...alone(a) }, { name: 'b', ...alone(b) }, compare(a, b), 40);

  it('says "as expected" of small changes of the same inputs alone', () => {
    const a = changed(() => ({ ece: 0.1 }));
    const b = (ece: number) => changed(() => ({ ece }));
    expect(document(a, b(0.1029)).headline).toMatch(/\+0\.29 pp \(.*\): as expected of another processor\.$/);
    expect(document(a, b(0.1032)).headline).not.toContain('as expected');
    const otherBins = { ...b(0.1029), protocol: { ...a.protocol, bins: 15 } };
    expect(document(a, otherBins).headline).not.toContain('as expected');
    const otherCard = { ...b(0.1029), tool: { ...a.tool, gpu: 'cuda' } };
    expect(document(a, otherCard).headline).toContain('as expected');
  });

  it('shows the rows that changed and no column in which nothing differs', () => {
    const { rows, headline } = document(
      exampleResults(shape),
      changed(() => ({ ece: 0.9 })),
    );
    expect(rows.head).toEqual(['data set', 'target', 'method', 'ECE A', 'ECE B', 'B - A']);
    expect(rows.rows).toHaveLength(1);
    expect(headline).toMatch(/^14 rows in both runs: 1 changed, 13 as before; the largest change is \+\d+\.\d\d pp/);
  });

  it('warns before the numbers where ECE is not measured alike', () => {
    const a = exampleResults(shape);
    const { notes } = document(a, { ...a, protocol: { ...a.protocol, bins: 15 } });
    expect(notes.join(' ')).toMatch(/do not measure ECE by the same rule/);
  });

  it('says that inputs are unknown without a manifest', () => {
    const { notes } = document(exampleResults(shape), exampleResults(shape));
    expect(notes.join(' ')).toMatch(/no usable manifest\.json of the run beside A and B/);
  });

  it('joins what the other run lacks as a whole', () => {
    const more = exampleResults({ ...shape, datasets: ['facts', 'sums'], targets: ['chat', 'expert', 'new'] });
    expect(document(exampleResults(shape), more).onlyIn).toEqual([
      'only in B: facts, new (7 rows)',
      'only in B: data set sums (21 rows)',
    ]);
  });

  it('shows text from data literally in Markdown', () => {
    const hostile = { ...shape, targets: ['<img src=x>|`a`'] };
    const [a, b] = [exampleResults(hostile), exampleResults(hostile, (run) => ({ ...run, ece: 0.5 }))];
    const markdown = comparisonMarkdown(document(a, b));
    expect(markdown).toContain('&lt;img src=x&gt;\\|\\`a\\`');
    expect(markdown).not.toContain('<img');
  });
});
