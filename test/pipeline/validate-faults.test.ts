import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { run } from '../cli/fake-io.js';

const demo = (name: string) => path.resolve(import.meta.dirname, `../../models/demo/${name}.gguf`);
const roots: string[] = [];
afterAll(() => {
  for (const root of roots) rmSync(root, { recursive: true });
});

const MODELS = `models:
  - {id: base, role: base, file: ${demo('tern-base')}}
  - {id: heron, role: base, contextsize: 512, file: ${demo('heron-base')}}
  - {id: fake, role: base, file: fake.gguf}
  - {id: tern, role: post-trained, base: base, file: ${demo('tern-dpo')}, prompt: loud}
  - {id: lost, role: post-trained, base: bose, file: gone.gguf}
  - {id: chatty, role: base, prompt: chat, file: ${demo('heron-base')}}
suites:
  s:
    datasets: [good, misspelt, rows, absent]
    targets: [tern, lost, 7, turn]
    combinationSizes: [1]
`;
const QUIZ = `source: rows.jsonl
fields: {id: id, options: options, label: {field: answer, as: letter}}
prompt: {template: "Question: {question}\\n{options}\\nAnswer:"}
`;
const row = (id: string, options: unknown, answer: string) =>
  `${JSON.stringify({ id, question: `What is ${id}?`, options, answer })}\n`;

function project(files: Readonly<Record<string, string>>) {
  const root = mkdtempSync(path.join(tmpdir(), 'supportcal-validate-'));
  roots.push(root);
  mkdirSync(path.join(root, 'datasets'));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(root, name), text);
  const flags = ['--models', 'models.yaml', '--datasets', 'datasets', '--cache', 'cache'].map((each) =>
    each.startsWith('--') ? each : path.join(root, each),
  );
  const validate = async (...more: string[]) => {
    const end = await run(['validate', '--suite', 's', '--gpu', 'off', ...flags, ...more]);
    return { ...end, lines: end.stderr.replaceAll(`${root}/`, '').trim().split('\n').map(withoutStamp) };
  };
  return { root, validate };
}

function withoutStamp(line: string): string {
  return line.replace(/^(error|warn): /, '');
}

const FAULTY = {
  'models.yaml': MODELS,
  'fake.gguf': 'this is text, not a model\n',
  'datasets/good.yaml': QUIZ.replace('rows.jsonl', 'good.jsonl'),
  'datasets/good.jsonl': row('g1', ['one', 'two'], 'A'),
  'datasets/misspelt.yaml': `${QUIZ.replace('rows.jsonl', 'nowhere.jsonl').replace('{options}', '{options')}emptyOption: keep\n`,
  'datasets/rows.yaml': QUIZ,
  'datasets/rows.jsonl': [
    row('r1', ['one', 'two'], 'A'),
    row('r2', ['one', ''], 'A'),
    row('r3', ['one', 'two'], 'C'),
    row('r4', 'none', 'A'),
  ].join(''),
};

describe('validate in one pass', () => {
  it('names the faults of models.yaml, its references, data sets, rows, model files and vocabularies together', async () => {
    const { validate } = project(FAULTY);
    const { code, stdout, lines } = await validate();
    expect([code, stdout]).toEqual([3, '']);
    const [faults, unchecked] = [false, true].map((out) =>
      lines.filter((line) => line.startsWith('not checked: ') === out),
    );
    expect(faults).toEqual([
      expect.stringMatching(
        /^models\.yaml:3:29: models\.1\.contextsize: .*did you mean "contextSize" of the block `scoring:`/,
      ),
      expect.stringMatching(/^models\.yaml:4:28: models\.2\.file: fake\.gguf: is no GGUF file/),
      expect.stringMatching(/^models\.yaml:5:\d+: models\.3\.prompt: .*\(found "loud"\)$/),
      expect.stringMatching(/^models\.yaml:6:36: models\.4\.base: unknown base model "bose"; did you mean "base"/),
      expect.stringMatching(/^models\.yaml:6:48: models\.4\.file: gone\.gguf: no such model file/),
      expect.stringMatching(/^models\.yaml:7:44: models\.5\.file: .*no chat template/),
      expect.stringMatching(
        /^models\.yaml:10:38: suites\.s\.datasets\.3: no data set "absent" in datasets; .*misspelt/,
      ),
      expect.stringMatching(/^models\.yaml:11:27: suites\.s\.targets\.2: .*\(found 7\)/),
      expect.stringMatching(
        /^models\.yaml:11:30: suites\.s\.targets\.3: unknown post-trained model "turn"; did you mean "tern"/,
      ),
      expect.stringMatching(/^datasets\/misspelt\.yaml:1:1: source: datasets\/nowhere\.jsonl: no such file/),
      expect.stringMatching(/^datasets\/misspelt\.yaml:3:10: prompt\.template: the brace at character 22/),
      expect.stringMatching(
        /^datasets\/misspelt\.yaml:4:1: emptyOption: unknown key "emptyOption"; did you mean "emptyOptions"/,
      ),
      expect.stringMatching(/^datasets\/rows\.jsonl:2:\d+: options: row r2: option 2 is empty/),
      expect.stringMatching(/^datasets\/rows\.jsonl:3:\d+: answer: row r3: the label "C" is out of range/),
      expect.stringMatching(/^datasets\/rows\.jsonl:4:\d+: options: row r4: expected a list of option texts/),
    ]);
    expect(unchecked).toEqual([
      expect.stringMatching(/the rows of data set misspelt/),
      expect.stringMatching(/sizes of reference pools/),
    ]);
  });

  it('--json has the same faults, each with file, line, column and field, and what they keep from being checked', async () => {
    const { validate, root } = project(FAULTY);
    const { code, stdout } = await validate('--json');
    const { status, error } = JSON.parse(stdout);
    expect([code, status, error.code, error.faults.length, error.unchecked.length]).toEqual([
      3,
      'failed',
      'bad-input',
      15,
      2,
    ]);
    expect(error.faults[0]).toMatchObject({
      file: path.join(root, 'models.yaml'),
      line: 3,
      column: 29,
      field: 'models.1.contextsize',
    });
    expect(error.faults.find((fault: { row?: string }) => fault.row === 'r3')).toMatchObject({
      line: 3,
      field: 'answer',
    });
  });

  it('a models.yaml that is no YAML hides no fault of the data sets', async () => {
    const { validate } = project({ ...FAULTY, 'models.yaml': 'models: [\n' });
    const { code, lines } = await validate();
    expect(code).toBe(3);
    expect(lines.filter((line) => /^models\.yaml:\d+:\d+: /.test(line))).not.toEqual([]);
    expect(lines.filter((line) => line.startsWith('datasets/')).length).toBe(6);
    expect(lines.at(-2)).toMatch(/^not checked: models and suites/);
  });

  it('a prompt that names an unknown field, and faults of every part of one data set, hide none of its rows', async () => {
    const { validate } = project({
      ...FAULTY,
      'models.yaml': `models: [{id: b, role: base}, {id: t, role: post-trained, base: b}, text]
suites: {s: {datasets: [d, e], combinationSizes: [1], targets: [t], published: {file: nope.yaml}, methods: [vanila]}}
`,
      'models.local.yaml': 'models: [{id: x, file: y.gguf}]\n',
      'datasets/d.yaml': QUIZ.replace('{question}', '{'),
      'datasets/e.yaml': QUIZ.replace('{question}', '{qestion}'),
    });
    const { code, lines } = await validate();
    expect(code).toBe(3);
    expect(lines).toEqual([
      expect.stringMatching(/^models\.yaml:1:\d+: models\.2: expected object/),
      expect.stringMatching(/^models\.yaml:2:\d+: suites\.s\.published\.file: nope\.yaml: no such file/),
      expect.stringMatching(
        /^models\.yaml:2:\d+: suites\.s\.methods\.0: unknown method "vanila"; did you mean "vanilla"/,
      ),
      expect.stringMatching(/^models\.local\.yaml:1:11: models\.0\.id: no model "x" in models\.yaml; .*Known: b, t$/),
      expect.stringMatching(/^datasets\/d\.yaml:\d+:\d+: prompt\.template: the brace/),
      expect.stringMatching(/^datasets\/rows\.jsonl:2:47: options: row r2/),
      expect.stringMatching(/^datasets\/rows\.jsonl:3:\d+: answer: row r3/),
      expect.stringMatching(/^datasets\/rows\.jsonl:4:\d+: options: row r4/),
      expect.stringMatching(
        /^datasets\/e\.yaml:3:10: prompt\.template: no row has a field "qestion"; did you mean "question"/,
      ),
      expect.stringMatching(/^not checked: sizes of reference pools/),
    ]);
  });

  it('a suite of which nothing can be read is said to be unchecked, not unknown', async () => {
    const { validate } = project({ ...FAULTY, 'models.yaml': 'models: [{id: b, role: base}]\nsuites: {s: {}}\n' });
    const { lines } = await validate();
    expect(lines).toEqual([
      expect.stringMatching(/^models\.yaml:2:10: suites\.s\.datasets: /),
      expect.stringMatching(/^not checked: models and data sets of suite "s"/),
    ]);
  });
});

describe('validate of what is partly out of reach', () => {
  it('offline checks all but the rows that were never fetched, and says which those are', async () => {
    const { validate } = project({
      'models.yaml':
        'models:\n  - {id: b, role: base}\n  - {id: t, role: post-trained, base: b}\nsuites:\n  s: {datasets: [far, near]}\n',
      'datasets/far.yaml': `${QUIZ.replace('source: rows.jsonl', 'source: {hub: o/none, split: test}')}`,
      'datasets/near.yaml': QUIZ.replace('rows.jsonl', 'near.jsonl'),
      'datasets/near.jsonl': row('n1', ['one', 'two'], 'A'),
    });
    const { code, stdout, lines } = await validate('--offline');
    expect([code, lines]).toEqual([0, [expect.stringMatching(/^not checked: the rows of data set far, .*--offline/)]]);
    expect(stdout).toMatch(/no faults found in what could be checked[\s\S]*far: rows not checked[\s\S]*near: 1 rows/);
    const document = JSON.parse((await validate('--offline', '--json')).stdout);
    expect(document.unchecked).toEqual([expect.stringMatching(/data set far/)]);
  });

  it('keeps the sources that are right when one is named for a data set that the suite lacks', async () => {
    const { root, validate } = project({
      'models.yaml':
        'models:\n  - {id: b, role: base}\n  - {id: t, role: post-trained, base: b}\nsuites:\n  s: {datasets: [far]}\n',
      'datasets/far.yaml': `${QUIZ.replace('source: rows.jsonl', 'source: {hub: o/none, split: test}')}`,
      'own.jsonl': row('n1', ['one', 'two'], 'Z'),
    });
    const { code, lines } = await validate(
      '--source',
      `far=${path.join(root, 'own.jsonl')}`,
      '--source',
      'fra=x.jsonl',
    );
    expect(code).toBe(3);
    const text = lines.join('\n');
    expect(text).toMatch(/--source: no data set "fra" here; did you mean "far"/);
    // The rows of the right one were read, and the hub was not asked.
    expect(text).toMatch(/own\.jsonl:1.*n1/);
    expect(text).not.toMatch(/hub|o\/none/);
  });

  it('reads an absolute path of a shared YAML outside the project only where the user allows it', async () => {
    const outside = project({ 'private.jsonl': row('secret', ['one', 'two'], 'A') });
    const source = path.join(outside.root, 'private.jsonl');
    const { validate } = project({
      'models.yaml':
        'models:\n  - {id: b, role: base}\n  - {id: t, role: post-trained, base: b}\nsuites:\n  s: {datasets: [q]}\n',
      'datasets/q.yaml': QUIZ.replace('rows.jsonl', source),
    });
    const refused = await validate();
    expect([refused.code, refused.lines.join()]).toEqual([3, expect.stringMatching(/lies outside the project/)]);
    expect(`${refused.stdout}${refused.lines}`).not.toContain('secret');
    expect((await validate('--allow-outside')).code).toBe(0);
    expect((await validate('--source', `q=${source}`)).code).toBe(0);
  });
});
