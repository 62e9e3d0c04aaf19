import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Results } from '../../src/results/results-schema.js';
import { wordProblems } from './demo-workspace.js';
import { QUIZ, quizWorkspace } from './quiz-workspace.js';

type Workspace = ReturnType<typeof quizWorkspace>;

const ROWS = wordProblems(40);

const resultsOf = (workspace: Workspace): Results =>
  JSON.parse(readFileSync(workspace.file('out/results.json'), 'utf8'));
const entriesOf = (workspace: Workspace) =>
  new Map(
    readdirSync(workspace.file('cache'))
      .filter((name) => name.endsWith('.arrow'))
      .map((name) => [name, readFileSync(workspace.file(`cache/${name}`))]),
  );
const withoutTime = (results: Results) => ({ ...results, createdAt: '' });

describe('the pipeline on real models', () => {
  let workspace: Workspace;
  let firstEntries: ReadonlyMap<string, Buffer>;
  beforeAll(async () => {
    workspace = quizWorkspace(ROWS);
    const { code, stderr } = await workspace.run('pipeline');
    expect([code, stderr.match(/error.*/)]).toEqual([0, null]);
    firstEntries = entriesOf(workspace);
  });

  it('goes on where an interrupted run stopped, and ends with the same bytes', async () => {
    const cut = quizWorkspace(ROWS);
    const cancel = await cut.run('score', '--limit', '15');
    expect([cancel.code, cancel.stdout]).toEqual([0, expect.stringMatching(/target {2}quiz {2}scored {2}15 rows/)]);
    expect((await cut.run('score')).code).toBe(0);
    const entries = entriesOf(cut);
    const common = [...firstEntries.keys()].filter((name) => entries.has(name));
    expect(common).toHaveLength(3);
    for (const name of common) expect(entries.get(name)?.equals(firstEntries.get(name) ?? Buffer.alloc(0))).toBe(true);
  });

  it('scores every row of every model and writes the contract files', () => {
    const results = resultsOf(workspace);
    expect(results).toMatchObject({ status: 'complete', skipped: [], tool: { gpu: 'cpu' } });
    expect(results.runs.map((run) => run.calibrationCount + run.evaluationCount)).toEqual(Array(2 * 7).fill(40));
    const out = readdirSync(workspace.file('out'));
    for (const name of ['results.json', 'splits.json', 'report.md', 'manifest.json', 'run.log', 'tables', 'figures']) {
      expect(out).toContain(name);
    }
  });

  it('gives numbers of real models: they know most answers, and put nearly all mass on the options', () => {
    const { models } = JSON.parse(readFileSync(workspace.file('out/diagnostics.json'), 'utf8'));
    const base = models.find((model: { model: string }) => model.model === 'base');
    expect(base.accuracy).toBeGreaterThan(0.4);
    expect(base.medianOptionMass).toBeGreaterThan(0.5);
  });

  it('loads no model the second time and gives the same numbers', async () => {
    const before = withoutTime(resultsOf(workspace));
    const { code, stderr } = await workspace.run('pipeline', '--log-level', 'info');
    expect(code).toBe(0);
    expect(stderr).toMatch(/0 rows to score, 120 in the cache/);
    expect(stderr).not.toMatch(/stage score/);
    expect(withoutTime(resultsOf(workspace))).toEqual(before);
  });

  it('gives the same numbers when everything is scored again', async () => {
    const before = withoutTime(resultsOf(workspace));
    const { stderr } = await workspace.run('pipeline', '--refresh', '--log-level', 'info');
    expect(stderr).toMatch(/120 rows to score, 0 in the cache/);
    expect(withoutTime(resultsOf(workspace))).toEqual(before);
  });

  it('builds a damaged cache entry again and names it', async () => {
    const before = withoutTime(resultsOf(workspace));
    const entry = readdirSync(workspace.file('cache')).find((name) => /^target.*\.arrow$/.test(name))!;
    const bytes = readFileSync(workspace.file(`cache/${entry}`));
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(workspace.file(`cache/${entry}`), bytes);
    const { code, stderr } = await workspace.run('pipeline', '--log-level', 'info');
    expect(code).toBe(0);
    expect(stderr.split('\n').filter((line) => line.includes('damaged'))).toEqual([
      expect.stringMatching(new RegExp(`^warn: .*${entry} is damaged .*; the entry is scored again$`)),
    ]);
    expect(stderr).toMatch(/40 rows to score, 80 in the cache/);
    expect(withoutTime(resultsOf(workspace))).toEqual(before);
  });

  it('changes its numbers when one GGUF file changes; rows of the same file under another id are not scored again', async () => {
    const before = resultsOf(workspace);
    const copy = workspace.file('target.gguf');
    copyFileSync(workspace.demoModel('base'), copy);
    workspace.writeModels({ target: copy });
    const { code, stderr } = await workspace.run('pipeline', '--log-level', 'info');
    expect(code).toBe(0);
    expect(stderr).toMatch(/\b0 rows to score, 80 in the cache/);
    const after = resultsOf(workspace);
    // The target is now its own base: they agree everywhere, and its temperature is 1.
    expect(after.runs.find((run) => run.method === 'daca')).toMatchObject({
      disagreementRate: 0,
      temperature: expect.closeTo(1, 6),
    });
    expect(after.runs[0]!.ece).not.toBe(before.runs[0]!.ece);
  });

  it('goes on without a reference whose file is gone: exit code 4, and the file is named', async () => {
    workspace.writeModels({ reference: workspace.file('gone.gguf') });
    const { code, stderr } = await workspace.run('pipeline');
    expect(code).toBe(4);
    expect(stderr).toMatch(/reference: .*gone\.gguf.*no such model file/);
    const results = resultsOf(workspace);
    expect(results.status).toBe('partial');
    expect(results.warnings.join('\n')).toMatch(/supportcal with M = 1 left out/);
  });

  it('ends with exit code 3 when the own base is gone, since nothing can be calibrated', async () => {
    workspace.writeModels({ base: workspace.file('gone.gguf') });
    const { code, stderr } = await workspace.run('pipeline');
    expect(code).toBe(3);
    expect(stderr).toMatch(/gone\.gguf/);
  });

  it('refuses a folder, an empty file and a text file before any native code sees them', async () => {
    writeFileSync(workspace.file('empty.gguf'), '');
    writeFileSync(workspace.file('text.gguf'), 'hello, this is text\n'.repeat(10));
    const files = {
      base: workspace.file(''),
      reference: workspace.file('empty.gguf'),
      target: workspace.file('text.gguf'),
    };
    workspace.writeModels(files);
    const { code, stderr } = await workspace.run('validate');
    expect(code).toBe(3);
    for (const [n, what] of ['is a folder', '0 bytes', 'is no GGUF file'].entries())
      expect(stderr).toMatch(new RegExp(`models\\.yaml:${n + 2}:\\d+: models\\.${n}\\.file.*${what}`));
  });
});

describe('a data set added by YAML alone', () => {
  it('runs with other field names, 1-based labels and 2 to 10 options per row', async () => {
    const rows = Array.from({ length: 30 }, (_, n) => {
      const k = 2 + (n % 9);
      const choices = Array.from({ length: k }, (_, i) => `${20 + n + i} coins`);
      return { nr: 1000 + n, stem: `One pear costs ${20 + n} coins. What does it cost?`, choices, gold: 1 + (n % k) };
    });
    const yaml = `source: quiz.jsonl
fields: {id: nr, options: choices, label: {field: gold, labelBase: 1}}
prompt: {template: "Question: {stem}\\n{options}\\nAnswer:"}
`;
    const workspace = quizWorkspace(rows, yaml);
    const { code, stderr } = await workspace.run('pipeline');
    expect([code, stderr.match(/error.*/)]).toEqual([0, null]);
    for (const run of resultsOf(workspace).runs) expect(run.calibrationCount + run.evaluationCount).toBe(30);
  });

  it('runs with labels given by the text of the option', async () => {
    const rows = wordProblems(12).map(({ options, answer, ...rest }) => ({
      ...rest,
      options,
      answer: options['ABCD'.indexOf(answer)],
    }));
    const workspace = quizWorkspace(rows, QUIZ.replace('as: letter', 'as: text'));
    expect((await workspace.run('pipeline')).code).toBe(0);
    const byText = resultsOf(workspace).runs;
    const lines = wordProblems(12).map((row) => `${JSON.stringify(row)}\n`);
    writeFileSync(workspace.file('datasets/quiz.jsonl'), lines.join(''));
    writeFileSync(workspace.file('datasets/quiz.yaml'), QUIZ);
    // Scores do not depend on labels: those of the first run are there.
    expect((await workspace.run('calibrate')).code).toBe(0);
    expect(resultsOf(workspace).runs).toEqual(byText);
    expect(byText.every(({ accuracy }) => accuracy !== null)).toBe(true);
  });

  it('reports every fault of the file at once with exit code 3, before anything is scored or written', async () => {
    const rows: object[] = wordProblems(6);
    rows[1] = { ...rows[1], answer: 'E' };
    rows[2] = { ...rows[2], options: ['1', '', '3', '4'] };
    rows[3] = { ...rows[3], id: 'w000' };
    rows[4] = { ...rows[4], options: ['1'] };
    const workspace = quizWorkspace(rows);
    const { code, stderr } = await workspace.run('pipeline');
    expect(code).toBe(3);
    for (const line of [2, 3, 4, 5]) expect(stderr).toMatch(new RegExp(`quiz\\.jsonl:${line}\\b`));
    expect(readdirSync(workspace.folder).sort()).toEqual(['datasets', 'models.yaml']);
  });
});

describe('an over-long example', () => {
  it('is refused with a reason and left out of every model and method', async () => {
    const rows = wordProblems(10);
    rows[4] = { ...rows[4]!, question: 'pears and '.repeat(4000) };
    const workspace = quizWorkspace(rows);
    const { code } = await workspace.run('pipeline');
    const results = resultsOf(workspace);
    expect(code).toBe(4);
    expect(new Set(results.skipped.map((each) => each.example))).toEqual(new Set(['w004']));
    for (const run of results.runs) expect(run.calibrationCount + run.evaluationCount).toBe(9);
  });
});
