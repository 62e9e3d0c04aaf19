import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseArtefact } from '../../src/pipeline/artefact/parse-artefact.js';
import { DEFAULT_LIMITS } from '../../src/serve/service-settings.js';
import { startService } from '../../src/serve/start-service.js';
import { run } from '../cli/fake-io.js';
import { workerProcesses } from '../scoring/worker-processes.js';
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

  it('is what supportcal serve answers, whose model stays and takes questions one by one', async () => {
    const predicted = (await predict()).stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const common = { models: '', datasets: '', cache: project.file('cache'), gpu: 'off' } as const;
    const options = { ...common, model: project.demoModel('target') };
    const settings = { host: '127.0.0.1', port: 0, token: null, upstream: null, limits: DEFAULT_LIMITS };
    const served = { artefact: parseArtefact(readFileSync(artefact, 'utf8'), artefact), options };
    const context = { onLog: () => undefined, signal: new AbortController().signal };
    const other = { ...served.artefact, dataset: { ...served.artefact.dataset, id: 'other' } };
    const both = [served, { ...served, artefact: other }];
    const service = await startService(both, settings, context);
    // One model file is loaded once.
    expect(workerProcesses('llama-backend')).toHaveLength(1);
    const answers = questions.slice(10, 16).map(async ({ answer: _, ...question }) => {
      const body = JSON.stringify({ artefact: 'target/quiz', ...question });
      const headers = { 'content-type': 'application/json' };
      return (await fetch(`${service.address}/v1/score`, { method: 'POST', body, headers })).json();
    });
    const rows = await Promise.all(answers);
    await service.close();
    // Only the company in a batch differs, which moves the last digits of a logit.
    const shown = ({ id, prediction, predictionText, confidence }: (typeof predicted)[number]) =>
      [id, prediction, predictionText, confidence.toFixed(3)].join(' ');
    expect(rows.map((row) => shown(row as (typeof predicted)[number]))).toEqual(predicted.map(shown));
    await expect(fetch(`${service.address}/healthz`)).rejects.toThrow();
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
    const methods = 'methods: [vanilla, cape, elicitation, p-true, auto]';
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

describe('predict --model, with nothing but the artefact and the model file', () => {
  const input = project.file('new.jsonl');
  const cache = path.join(mkdtempSync(path.join(tmpdir(), 'supportcal-alone-')), 'cache');
  const alone = (model: 'target' | 'reference', flags: readonly string[], stdin: Iterable<string> = []) => {
    const nowhere = ['--models', 'nowhere.yaml', '--datasets', 'nowhere', '--cache', cache];
    const common = ['predict', '--artefact', artefact, '--model', project.demoModel(model), '--gpu', 'off', '--quiet'];
    return run([...common, ...nowhere, ...flags], { stdin });
  };
  const rowsOf = (stdout: string) =>
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  it('asks as the fit did, few-shot block and all, in the order of the file', async () => {
    const reversed = project.file('reversed.jsonl');
    writeFileSync(reversed, readFileSync(input, 'utf8').trimEnd().split('\n').reverse().join('\n'));
    const [own, { code, stdout, stderr }] = [await predict(), await alone('target', ['--input', reversed])];
    const [expected, found] = [rowsOf(own.stdout).reverse(), rowsOf(stdout)];
    expect([code, stderr, found.map(({ id }) => id)]).toEqual([0, '', expected.map(({ id }) => id)]);
    for (const [n, { confidence, predictionText }] of found.entries()) {
      expect(confidence).toBeCloseTo(expected[n].confidence, 3);
      expect(predictionText).toBe(expected[n].predictionText);
    }
  }, 60_000);

  it('answers standard input as it comes: a row that is no question fails alone, one without an id has its number', async () => {
    const lines = readFileSync(input, 'utf8').trimEnd().split('\n');
    const { id: _, ...nameless } = JSON.parse(lines[1]!);
    const stdin = [`${lines[0]}\n`, `${JSON.stringify(nameless)}\n{"question": "What?"}\n`];
    const { code, stdout, stderr } = await alone('target', ['--input', '-'], stdin);
    const rows = rowsOf(stdout);
    expect(stderr).toMatch(
      /warn: 2 of 3 rows have no usable id in the field "id": their answers have the number of the row/,
    );
    expect([code, rows.map(({ id, status }) => [id, status])]).toEqual([
      4,
      [
        [JSON.parse(lines[0]!).id, 'ok'],
        ['2', 'ok'],
        ['3', 'failed'],
      ],
    ]);
    expect(rows[2].reason).toMatch(/options: the field "options" is missing/);
  }, 60_000);

  it('gives back the field id where the id field of the data set is not there, and says so', async () => {
    const own = JSON.parse(readFileSync(artefact, 'utf8'));
    own.asking.dataset.fields.id = 'nr';
    const named = project.file('nr.json');
    writeFileSync(named, JSON.stringify(own));
    const { code, stdout, stderr } = await alone('target', ['--artefact', named, '--input', input]);
    expect([code, rowsOf(stdout).map(({ id }) => id)]).toEqual([0, questions.slice(10, 16).map(({ id }) => id)]);
    expect(stderr).toMatch(
      /6 of 6 rows have no usable id in the field "nr": their answers have the id in their field "id"/,
    );
  }, 60_000);

  it('refuses another model file, and says of every answer that it was taken all the same', async () => {
    const refused = await alone('reference', ['--input', input]);
    expect([refused.code, refused.stderr]).toEqual([
      3,
      expect.stringMatching(/is another model: .*quantisation.*--allow-other-model/),
    ]);
    const { code, stdout, stderr } = await alone('reference', ['--input', input, '--allow-other-model']);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/warn: .* is another model: .*confidences may be off/)]);
    expect(rowsOf(stdout).map(({ otherModel }) => otherModel)).toEqual(Array(6).fill(true));
  }, 60_000);

  it('says what an artefact of an earlier version lacks, and takes the YAML in its place', async () => {
    const { asking: _, ...earlier } = JSON.parse(readFileSync(artefact, 'utf8'));
    const old = project.file('old.json');
    writeFileSync(old, JSON.stringify(earlier));
    const flags = ['--artefact', old, '--input', input];
    expect(await alone('target', flags)).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(
        /old\.json: asking: .*before artefacts said how questions are put; .*--dataset quiz/,
      ),
    });
    const yaml = ['--dataset', 'quiz', '--datasets', project.file('datasets')];
    const [taken, own] = [await alone('target', [...flags, ...yaml]), await alone('target', ['--input', input])];
    expect([taken.code, taken.stdout]).toEqual([0, own.stdout]);
  }, 60_000);
});

describe('docs/in-use.md', () => {
  it('has commands that run in their order', async () => {
    const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/in-use.md'), 'utf8');
    const lines = [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, text]) => text!.trim().split('\n'));
    expect(lines.length).toBeGreaterThan(6);
    const points = [
      { maxError: 0.2, guaranteed: null, estimated: { threshold: 0.3, coverage: 1, risk: 0.2, observedRisk: null } },
    ];
    const thresholds = { rule: 'r', level: 0.95, labelled: 0, examples: 20, points, vanilla: points };
    writeFileSync(
      project.file('tern.json'),
      JSON.stringify({ ...JSON.parse(readFileSync(artefact, 'utf8')), thresholds }),
    );
    writeFileSync(project.file('questions.jsonl'), readFileSync(project.file('new.jsonl'), 'utf8'));
    writeFileSync(project.file('scores.jsonl'), '{"logits": [2, 1, 0, 0]}\n');
    const here = (word: string) =>
      word === 'tern-dpo.gguf' ? project.demoModel('target') : /\.jsonl?$/.test(word) ? project.file(word) : word;
    for (const line of lines) {
      const [, piped, command = ''] = /^(?:cat (\S+) \| )?supportcal (.*)$/.exec(line)!;
      const argv = command.split(' ').map(here);
      const extra = argv.includes('--model') ? ['--gpu', 'off', '--cache', project.file('cache')] : [];
      const stdin = piped === undefined ? [] : [readFileSync(here(piped), 'utf8')];
      const { code, stdout } = await run([...argv, ...extra], { stdin });
      expect([line, code, stdout !== '']).toEqual([line, 0, true]);
    }
  }, 60_000);
});
