import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { METHOD_NAMES } from '../../../src/calibration/methods.js';
import type { Results } from '../../../src/results/results-schema.js';
import { wordProblems } from '../demo-workspace.js';
import { QUIZ, quizWorkspace } from '../quiz-workspace.js';

/** A workspace whose suite has the given methods. */
function workspaceWith(methods: readonly string[], rows: readonly object[] = wordProblems(40), yaml = QUIZ) {
  const workspace = quizWorkspace(rows, yaml);
  const models = readFileSync(workspace.file('models.yaml'), 'utf8');
  writeFileSync(
    workspace.file('models.yaml'),
    models.replace('combinationSizes', `methods: [${methods}], combinationSizes`),
  );
  return workspace;
}

const resultsOf = (workspace: ReturnType<typeof quizWorkspace>): Results =>
  JSON.parse(readFileSync(workspace.file('out/results.json'), 'utf8'));

describe('the pipeline with every method', () => {
  const workspace = workspaceWith(METHOD_NAMES);
  let stderr = '';
  beforeAll(async () => {
    const run = await workspace.run('pipeline', '--log-level', 'info');
    stderr = run.stderr;
    expect([run.code, run.stderr.match(/error.*/)]).toEqual([0, null]);
  }, 120_000);

  it('scores the rotated options of the target alone, and loads nothing the second time', async () => {
    expect(stderr).toMatch(/440 rows to score/);
    const entries = readdirSync(workspace.file('cache')).filter((name) => /--rotations-.*\.arrow$/.test(name));
    expect(entries).toEqual([expect.stringMatching(/^target--quiz--rotations-/)]);
    const before = resultsOf(workspace).runs;
    const again = await workspace.run('pipeline', '--log-level', 'info');
    expect(again.stderr).toMatch(/0 rows to score, 440 in the cache/);
    expect(resultsOf(workspace).runs).toEqual(before);
  }, 60_000);

  it('has one run per method, M and seed, in the order of the suite, on the same examples', () => {
    const { runs, skipped } = resultsOf(workspace);
    expect(skipped).toEqual([]);
    const ofSeed = runs.filter((run) => run.seed === 1);
    expect(ofSeed.map((run) => run.method)).toEqual(METHOD_NAMES);
    expect(new Set(ofSeed.map((run) => run.evaluationCount))).toEqual(new Set([28]));
    expect(new Set(ofSeed.map((run) => run.labelledCount))).toEqual(new Set([28]));
  });

  it('gives methods with answers of their own their own accuracy and no temperature', () => {
    const { runs } = resultsOf(workspace);
    const of = (method: string) => runs.find((run) => run.method === method && run.seed === 1)!;
    for (const method of ['cape', 'cape-log', 'own-base-average'])
      expect(of(method)).toMatchObject({
        temperature: null,
        temperatureKind: 'none',
        temperatureReason: null,
        nll: expect.any(Number),
        ece: expect.any(Number),
      });
    for (const method of ['cape-consistency', 'base-confidence'])
      expect(of(method)).toMatchObject({ ece: expect.any(Number), nll: null, brier: null, classwiseEce: null });
    expect(of('base-confidence').accuracy).toBe(of('vanilla').accuracy);
    expect(of('cape').accuracy).toBe(of('cape+daca').accuracy);
  });

  it("puts the temperature of daca and supportcal on CAPE's distribution", () => {
    const { runs } = resultsOf(workspace);
    for (const method of ['daca', 'supportcal'])
      for (const seed of [1, 2]) {
        const plain = runs.find((run) => run.method === method && run.seed === seed)!;
        const rotated = runs.find((run) => run.method === `cape+${method}` && run.seed === seed)!;
        const { temperature, combinationSize, selectedReferences, weightedBoundaryMargin } = plain;
        expect(rotated).toMatchObject({ temperature, combinationSize, selectedReferences, weightedBoundaryMargin });
        expect(rotated.meanConfidence).not.toBe(plain.meanConfidence);
      }
  });

  it('lists the rotated entry in the manifest', () => {
    const manifest = JSON.parse(readFileSync(workspace.file('out/manifest.json'), 'utf8'));
    const target = manifest.models.find((model: { model: string }) => model.model === 'target');
    expect(target.scores).toEqual([
      expect.objectContaining({ dataset: 'quiz', prompts: 'plain' }),
      ...['rotations', 'elicitation', 'elicitation-ensemble', 'p-true'].map((prompts) =>
        expect.objectContaining({ dataset: 'quiz', prompts, entry: expect.stringMatching(`--${prompts}-`) }),
      ),
    ]);
  });
});

describe('what rotating the options costs', () => {
  const rows = wordProblems(30);
  rows[3] = { ...rows[3]!, options: ['1', '2', 'both A and B', 'none of the above'], answer: 'C' };
  const workspace = workspaceWith(['vanilla', 'cape'], rows);
  beforeAll(async () => {
    expect((await workspace.run('pipeline')).code).toBe(0);
  }, 60_000);

  it('is counted from the cached rows: K - 1 passes more than the plain ones, and the tokens of stem and tails', () => {
    const { rotations } = JSON.parse(readFileSync(workspace.file('out/diagnostics.json'), 'utf8'));
    expect(rotations).toEqual([expect.objectContaining({ dataset: 'quiz', target: 'target', examples: 30 })]);
    const [cost] = rotations;
    expect([cost.plainPasses, cost.forwardPasses, cost.firstEvaluated]).toEqual([30, 90, false]);
    expect(cost.unsharedTokens).toBe(4 * cost.plainTokens);
    expect(cost.tokens).toBeGreaterThan(1.5 * cost.plainTokens);
    expect(cost.tokens).toBeLessThan(0.75 * cost.unsharedTokens);
    expect(cost.largestDifference).toBe(0);
  });

  it('stands in the report, with the options that speak of their place and the accuracies', () => {
    const report = readFileSync(workspace.file('out/report.md'), 'utf8');
    expect(report).toMatch(/### Cost of CAPE/);
    expect(report).toMatch(/\| target \| 30 \| 90 \|/);
    expect(report).toMatch(/2 options in 1 example speak of their place.*: w003\./);
  });
});

describe('methods of one data set', () => {
  it('are asked for there alone, and the report says what the other one goes without', async () => {
    const workspace = quizWorkspace(wordProblems(10));
    writeFileSync(workspace.file('datasets/other.yaml'), QUIZ);
    const models = readFileSync(workspace.file('models.yaml'), 'utf8');
    const methods = '{default: [vanilla, cape, elicitation, daca], other: [vanilla, daca]}';
    writeFileSync(
      workspace.file('models.yaml'),
      models.replace('datasets: [quiz]', `datasets: [quiz, other], methods: ${methods}`),
    );
    expect((await workspace.run('pipeline')).code).toBe(0);
    const { runs, protocol, skipped, warnings } = resultsOf(workspace);
    const on = (dataset: string) => [
      ...new Set(runs.filter((run) => run.dataset === dataset).map((run) => run.method)),
    ];
    expect([on('quiz'), on('other')]).toEqual([
      ['vanilla', 'cape', 'elicitation', 'daca'],
      ['vanilla', 'daca'],
    ]);
    expect([skipped, warnings.filter((warning) => /left out/.test(warning))]).toEqual([[], []]);
    expect(protocol.methodsByDataset.other).toEqual(['vanilla', 'daca']);
    const entries = readdirSync(workspace.file('cache')).filter((name) => /rotations|elicitation/.test(name));
    expect(entries.filter((name) => name.includes('--quiz--'))).toHaveLength(4);
    expect(entries).toHaveLength(4);
    for (const file of ['out/report.md', 'out/report.html'])
      expect(readFileSync(workspace.file(file), 'utf8')).toMatch(/other.*without cape, elicitation/);
  }, 60_000);
});

describe('rotations that cannot be had', () => {
  it('a data set in text mode leaves the methods out, with a warning, and needs no other scores', async () => {
    const yaml = QUIZ.replace('\\n{options}', '').concat('scoring: {mode: text}\n');
    const workspace = workspaceWith(['vanilla', 'cape'], wordProblems(10), yaml);
    const { code } = await workspace.run('pipeline');
    const { runs, warnings, skipped } = resultsOf(workspace);
    expect([code, skipped]).toEqual([0, []]);
    expect(new Set(runs.map((run) => run.method))).toEqual(new Set(['vanilla']));
    expect(warnings.join('\n')).toMatch(/quiz: left out \(cape\), `scoring.mode: text`.*letter mode/);
  }, 60_000);

  it('validate names them before anything is scored', async () => {
    const yaml = QUIZ.replace('\\n{options}', '').concat('scoring: {mode: text}\n');
    const { stdout } = await workspaceWith(['cape'], wordProblems(10), yaml).run('validate');
    expect(stdout).toMatch(/left out \(cape\)/);
  });

  it('a row whose rotations are too long is left out of every method, with the reason', async () => {
    const rows = wordProblems(10);
    rows[4] = { ...rows[4]!, question: 'pears and '.repeat(4000) };
    const workspace = workspaceWith(['vanilla', 'cape'], rows);
    const { code } = await workspace.run('pipeline');
    const { runs, skipped } = resultsOf(workspace);
    expect(code).toBe(4);
    expect(skipped.map((each) => each.reason).join('\n')).toMatch(
      /rotated options: the longest rotation of the prompt/,
    );
    for (const run of runs) expect(run.calibrationCount + run.evaluationCount).toBe(9);
  }, 60_000);
});
