import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseArtefact } from '../../src/pipeline/artefact/parse-artefact.js';
import { run } from '../cli/fake-io.js';
import { demoWorkspace, wordProblems } from './demo-workspace.js';

const project = demoWorkspace();
const yaml = `source: quiz.jsonl
fields: { id: id, options: options, label: { field: answer, as: letter } }
prompt:
  template: "Question: {question}\\n{options}\\nAnswer:"
  fewShot: { count: 1, seed: 1 }
`;
const questions = wordProblems(20);
const json = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const artefact = project.file('target.json');

beforeAll(async () => {
  writeFileSync(project.file('datasets/quiz.yaml'), yaml);
  writeFileSync(project.file('datasets/quiz.jsonl'), json(questions));
  // New rows have no answer; they are rows of the fit under the same prompt.
  writeFileSync(project.file('new.jsonl'), json(questions.slice(10, 16).map(({ answer: _, ...rest }) => rest)));
  expect((await project.run('score', '--quiet')).code).toBe(0);
  const flags = ['--suite', 's', '--models', project.file('models.yaml'), '--datasets', project.file('datasets')];
  const exported = await run(['export', ...flags, '--cache', project.file('cache'), '--gpu', 'off', '--out', artefact]);
  expect(exported.code).toBe(0);
}, 60_000);

const predict = (...flags: string[]) =>
  run([
    ...['predict', '--artefact', artefact, '--gpu', 'off', '--quiet'],
    ...(flags.includes('--input') ? [] : ['--input', project.file('new.jsonl')]),
    ...[
      '--models',
      project.file('models.yaml'),
      '--datasets',
      project.file('datasets'),
      '--cache',
      project.file('cache'),
    ],
    ...flags,
  ]);

describe('predict --input with a demo model', () => {
  it('asks new questions as those of the fit were asked, few-shot block and all', async () => {
    const { code, stdout } = await predict();
    expect(code).toBe(0);
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows.map(({ id }) => id)).toEqual(questions.slice(10, 16).map(({ id }) => id));
    const csv = project.file('rows.csv');
    const flags = ['--suite', 's', '--models', project.file('models.yaml'), '--datasets', project.file('datasets')];
    await run(['export', ...flags, '--cache', project.file('cache'), '--gpu', 'off', '--format', 'csv', '--out', csv]);
    const fitted = new Map(
      readFileSync(csv, 'utf8')
        .split('\n')
        .map((line) => line.split(','))
        .map((cells) => [cells[3]!, Number(cells[8])]),
    );
    let known = 0;
    for (const { id, confidence, predictionText } of rows) {
      expect(questions.find((each) => each.id === id)!.options).toContain(predictionText);
      if (!fitted.has(id)) continue;
      known += 1;
      // Only the batch differs, which moves the last digits of a logit.
      expect(confidence).toBeCloseTo(fitted.get(id)!, 3);
    }
    expect(known).toBeGreaterThanOrEqual(5);
  }, 60_000);

  it('takes what is scored from the cache: the same bytes, and no model is loaded', async () => {
    const before = await predict();
    const again = await predict('--log-level', 'info');
    expect(again.stdout).toBe(before.stdout);
    expect(again.stderr).not.toMatch(/tokens in/);
  }, 60_000);

  it('takes paired text files, each for its field', async () => {
    const rows = questions.slice(10, 16);
    const pairs = (['id', 'question', 'options'] as const).flatMap((field) => {
      const file = project.file(`${field}.txt`);
      writeFileSync(
        file,
        rows.map((row) => `${field === 'options' ? JSON.stringify(row.options) : row[field]}\n`).join(''),
      );
      return ['--input', `${field}=${file}`];
    });
    expect((await predict(...pairs)).stdout).toBe((await predict()).stdout);
    expect(await predict('--input', 'a.txt', '--input', 'b.txt')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/expected one FILE, or FIELD=FILE/),
    });
  }, 60_000);

  it('says of a question that the rules of the data set leave out that it does', async () => {
    writeFileSync(project.file('datasets/quiz.yaml'), `${yaml}emptyOptions: skip\n`);
    const [first] = questions;
    const file = project.file('empty.jsonl');
    writeFileSync(file, json([first!, { ...first, id: 'empty', options: ['1', '', '2', '3'] }]));
    const { code, stdout } = await predict('--input', file);
    writeFileSync(project.file('datasets/quiz.yaml'), yaml);
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([code, rows.map(({ id, status }) => [id, status])]).toEqual([
      4,
      [
        [first!.id, 'ok'],
        ['empty', 'failed'],
      ],
    ]);
    expect(rows[1].reason).toMatch(/empty/);
  }, 60_000);

  it('refuses another model file and another prompt, unless it is told to take them', async () => {
    project.writeModels({ target: project.demoModel('reference') });
    writeFileSync(project.file('datasets/quiz.yaml'), yaml.replace('Answer:', 'Reply:'));
    const refused = await predict();
    const allowed = await predict('--allow-other-model', '--allow-other-prompt');
    project.writeModels();
    writeFileSync(project.file('datasets/quiz.yaml'), yaml);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toMatch(/is another model: sha256 .* --allow-other-model/);
    expect(refused.stderr).toMatch(
      /questions are put in another way .*template.*Answer:.*Reply:.*--allow-other-prompt/,
    );
    expect(allowed.code).toBe(0);
  }, 60_000);

  it('records hash and prompt of the target in the artefact', () => {
    const { target, prompt, optionLabels } = parseArtefact(readFileSync(artefact, 'utf8'), artefact);
    expect([target.sha256, target.importedFrom]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), null]);
    expect(prompt!.settings).toMatchObject({
      scoringMode: 'letter',
      prompt: 'raw',
      fewShot: [{ label: expect.any(Number) }],
    });
    expect(optionLabels).toEqual(['A', 'B', 'C', 'D']);
  });

  it('exports from plain scores, though other methods of the suite lack theirs', async () => {
    const models = readFileSync(project.file('models.yaml'), 'utf8');
    const methods = 'methods: [vanilla, cape, elicitation, p-true, supportcal]';
    writeFileSync(project.file('models.yaml'), models.replace('{datasets: [quiz],', `{datasets: [quiz], ${methods},`));
    const out = project.file('again.json');
    const flags = ['--suite', 's', '--models', project.file('models.yaml'), '--datasets', project.file('datasets')];
    const { code, stderr } = await run([
      'export',
      ...flags,
      '--cache',
      project.file('cache'),
      '--gpu',
      'off',
      '--out',
      out,
    ]);
    writeFileSync(project.file('models.yaml'), models);
    expect([code, stderr]).toEqual([0, '']);
    const temperatureIn = (file: string) => parseArtefact(readFileSync(file, 'utf8'), file).temperature;
    expect(temperatureIn(out)).toBe(temperatureIn(artefact));
  });
});
