import { existsSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { stringifyArtefact } from '../../src/pipeline/artefact/parse-artefact.js';
import { exampleArtefact } from '../pipeline/artefact/example-artefact.js';
import { run } from './fake-io.js';

const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-predict-'));
const file = (name: string) => path.join(folder, name);
const write = (name: string, text: string) => {
  writeFileSync(file(name), text);
  return file(name);
};
const predict = (...flags: string[]) => run(['predict', '--artefact', file('a.json'), ...flags]);
const lines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

beforeAll(() => {
  write('a.json', stringifyArtefact(exampleArtefact()));
});

describe('supportcal predict --logits', () => {
  it('gives one line per question: prediction, both confidences and all probabilities', async () => {
    const scores = write(
      'scores.jsonl',
      '{"id": "q1", "logits": [0, 2, 0]}\n{"id": "q2", "logits": [4, 0, 0], "label": 0}\n',
    );
    const { code, stdout, stderr } = await predict('--logits', scores);
    expect([code, stderr]).toEqual([0, '']);
    const [first, second] = lines(stdout);
    const soft = (z: number) => Math.exp(z) / (Math.exp(z) + 2);
    expect(first).toMatchObject({ id: 'q1', status: 'ok', prediction: 1, predictionLabel: 'B', predictionText: null });
    expect(first.confidence).toBeCloseTo(soft(1), 12);
    expect(first.rawConfidence).toBeCloseTo(soft(2), 12);
    expect(first.probabilities.reduce((sum: number, p: number) => sum + p, 0)).toBeCloseTo(1, 12);
    expect(second.confidence).toBeCloseTo(soft(2), 12);
  });

  it('says which rows it cannot answer, answers the others (without an id by their number) and ends with code 4', async () => {
    const scores = write(
      'bad.jsonl',
      '{"id": "one", "logits": [1]}\n{"id": "ok", "logits": [1, 2, 3]}\n{"id": "nan", "logits": [1, null, 3]}\n{"logits": [1, 2, 3]}\n',
    );
    const { code, stdout, stderr } = await predict('--logits', scores);
    expect(code).toBe(4);
    expect(lines(stdout).map(({ id, status }) => [id, status])).toEqual([
      ['one', 'failed'],
      ['ok', 'ok'],
      ['nan', 'failed'],
      ['4', 'ok'],
    ]);
    expect(stderr).toMatch(/partial: 2 questions answered; 2 have no usable scores/);
  });

  it('prints ids as they are, though they look like tokens or addresses: the JSON stays the document that it is', async () => {
    const ids = ['hf_llama3base', 'https://x.org/?token=abc" def', 'https://user:pass@x.org'];
    const rows = ids.map((id) => `${JSON.stringify({ id, logits: [1, 2, 3] })}\n`).join('');
    const { code, stdout } = await predict('--logits', write('ids.jsonl', rows), '--json');
    expect(code).toBe(0);
    expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(ids[1]));
    for (const id of ids) expect(stdout).toContain(JSON.stringify(id));
    expect((await predict('--logits', file('ids.jsonl'))).stdout).toContain('"hf_llama3base"');
  });

  it('writes CSV by the ending of --out, whole or not at all', async () => {
    const scores = write('scores.csv', 'id,logit_0,logit_1,logit_2\n=x,1,2,3\n');
    const out = file('answers.csv');
    expect((await predict('--logits', scores, '--out', out)).stdout).toBe(`1 predictions in ${out}\n`);
    expect(readFileSync(out, 'utf8')).toMatch(
      /^id,status,prediction,.*\n'=x,ok,2,C,,0\.\d+,0\.\d+,"\[.*\]",,[^\n]*\n$/,
    );
    const broken = write('broken.jsonl', '{"id": "q1", "logits": [1, 2, 3]}\nnot json\n');
    const failed = await predict('--logits', broken, '--out', file('none.jsonl'));
    expect([failed.code, failed.stderr]).toEqual([3, expect.stringMatching(/broken\.jsonl:2/)]);
    expect(existsSync(file('none.jsonl'))).toBe(false);
  });

  it.each([
    ['JSON Lines', ['{"logits": [0, 2', ', 0]}\n{"id": "b", "logits": [1, 1, 3]}\n']],
    ['a JSON array', ['[{"logits": [0, 2, 0]}, {"id": "b", "logits": [1, 1, 3]}]']],
    ['CSV', ['id,logit_0,logit_1,logit_2\n1,0,2,0\nb,1,1,3\n']],
    ['TSV', ['id\tlogit_0\tlogit_1\tlogit_2\n1\t0\t2\t0\nb\t1\t1\t3\n']],
    ['packed JSON Lines', [gzipSync('{"logits": [0, 2, 0]}\n{"id": "b", "logits": [1, 1, 3]}\n')]],
  ])('reads %s from standard input, in order', async (_, stdin) => {
    const { code, stdout, stderr } = await run(['predict', '--artefact', file('a.json'), '--logits', '-'], { stdin });
    expect([code, stderr, lines(stdout).map(({ id, prediction }) => [id, prediction])]).toEqual([
      ...[0, ''],
      [
        ['1', 1],
        ['b', 2],
      ],
    ]);
  });

  it.each([
    ['nothing', [], /standard input: has no rows/],
    ['a binary table', ['PAR1....'], /standard input: is a binary table, which must be a file/],
    ['a broken line', ['{"logits": [1, 2]}\n{"logits"\n'], /standard input:2:/],
  ])('refuses %s on standard input', async (_, stdin, message) => {
    const { code, stderr } = await run(['predict', '--artefact', file('a.json'), '--logits', '-'], { stdin });
    expect([code, stderr]).toEqual([3, expect.stringMatching(message)]);
  });

  describe('with a threshold', () => {
    const guaranteed = {
      threshold: 0.6,
      answered: 63,
      errors: 2,
      coverage: 0.63,
      coverageLow: 0.5,
      coverageHigh: 0.7,
      risk: 0.03,
      riskLow: 0,
      riskHigh: 0.2,
    };
    const estimated = { threshold: 0.45, coverage: 0.8, risk: 0.05, observedRisk: 0.21 };
    const points = [
      { maxError: 0.01, guaranteed: null, estimated },
      { maxError: 0.05, guaranteed, estimated },
    ];
    const withPoints = (labelled: number) => {
      const thresholds = { rule: 'r', level: 0.95, labelled, examples: 100, points, vanilla: points };
      return write(`t${labelled}.json`, stringifyArtefact({ ...exampleArtefact(), thresholds }));
    };
    // Confidences 0.576 and 0.787 at temperature 2.
    const scores = () => write('two.jsonl', '{"logits": [2, 0, 0]}\n{"logits": [4, 0, 0]}\n');
    const statuses = async (labelled: number, ...flags: string[]) => {
      const { code, stdout, stderr } = await run([
        ...['predict', '--artefact', withPoints(labelled), '--logits', scores()],
        ...flags,
      ]);
      return { code, stderr, statuses: stdout === '' ? [] : lines(stdout).map(({ status }) => status) };
    };

    it('marks what is below --min-confidence, and keeps its prediction', async () => {
      expect(await statuses(100, '--min-confidence', '0.6')).toMatchObject({ code: 0, statuses: ['abstain', 'ok'] });
      const { stdout } = await run([
        ...['predict', '--artefact', withPoints(100), '--logits', scores(), '--min-confidence', '0.6', '--json'],
      ]);
      expect(JSON.parse(stdout)).toMatchObject({ answered: 1, abstained: 1, threshold: { basis: 'given' } });
      expect(JSON.parse(stdout).predictions[0]).toMatchObject({ status: 'abstain', prediction: 0 });
    });

    it('takes the threshold that labels show for --max-error, or for less', async () => {
      for (const rate of ['0.05', '0.3'])
        expect(await statuses(100, '--max-error', rate)).toEqual({ code: 0, stderr: '', statuses: ['abstain', 'ok'] });
    });

    it('takes what confidences claim where there is no label, and says that it is an estimate', async () => {
      const { stderr, statuses: found } = await statuses(0, '--max-error', '0.01');
      expect([found, stderr]).toEqual([['ok', 'ok'], expect.stringMatching(/an estimate, no label says so/)]);
    });

    it.each([
      ['0.01', 3, /no confidence is shown .* 0\.01 by 100 labelled rows .*have 21\.0 % errors.*take --max-error 0\.05/],
      ['0.001', 3, /has thresholds for --max-error 0\.01, 0\.05, none for 0\.001 or less/],
      ['2', 2, /expected a share from 0 to 1/],
    ])('refuses --max-error %s', async (rate, code, message) => {
      expect(await statuses(100, '--max-error', rate)).toEqual({
        code,
        statuses: [],
        stderr: expect.stringMatching(message),
      });
    });

    it('says of an artefact of an earlier version that it has none', async () => {
      const { code, stderr } = await predict('--logits', scores(), '--max-error', '0.05');
      expect([code, stderr]).toEqual([3, expect.stringMatching(/without thresholds; export it again/)]);
    });
  });

  it('does not write over what it reads', async () => {
    const text = '{"id": "q1", "logits": [1, 2, 3]}\n';
    const scores = write('kept.jsonl', text);
    const calibration = readFileSync(file('a.json'), 'utf8');
    symlinkSync(scores, file('link.jsonl'));
    for (const [out, flag] of [
      [scores, 'logits'],
      [file('link.jsonl'), 'logits'],
      [file('a.json'), 'artefact'],
    ] as const)
      expect(await predict('--logits', scores, '--out', out)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`is the file of --${flag}`),
      });
    expect([readFileSync(scores, 'utf8'), readFileSync(file('a.json'), 'utf8')]).toEqual([text, calibration]);
  });

  it('prints one JSON document with --json', async () => {
    const scores = write('one.jsonl', '{"id": "q1", "logits": [0, 2, 0]}\n');
    expect(JSON.parse((await predict('--logits', scores, '--json')).stdout)).toMatchObject({
      schemaVersion: 1,
      status: 'complete',
      target: 'chat',
      temperatureKind: 'finite',
      temperature: 2,
      predictions: [{ id: 'q1', prediction: 1 }],
    });
  });

  it('takes log-probabilities and probabilities by --unit, and asks about rows that look like probabilities', async () => {
    const scores = write('probs.jsonl', '{"id": "q1", "logits": [0.25, 0.5, 0.25]}\n');
    const [row] = lines((await predict('--logits', scores, '--unit', 'probabilities')).stdout);
    expect(row.rawConfidence).toBeCloseTo(0.5, 12);
    expect(row.confidence).toBeCloseTo(Math.SQRT2 / (Math.SQRT2 + 2), 12);
    expect((await predict('--logits', scores)).stderr).toMatch(/as probabilities; say `--unit probabilities`/);
  });

  it('refuses many rows of another unit by their looks, unless told to trust the unit', async () => {
    const cells = Array.from({ length: 20 }, (_, n) => `${n + 1},${90 - 2 * n},${9 + n}`);
    const scores = write(
      'percent.csv',
      `id,logit_0,logit_1,logit_2\n${cells.map((row, n) => `q${n},${row}\n`).join('')}`,
    );
    const { code, stderr } = await predict('--logits', scores, '--out', file('answers.jsonl'));
    expect([code, stderr]).toEqual([3, expect.stringMatching(/of every row add up to 1 as probabilities in per cent/)]);
    expect((await predict('--logits', scores, '--trust-unit')).code).toBe(0);
  });

  it('ends with code 3 where no question has usable scores', async () => {
    const scores = write('none.jsonl', '{"id": "q1", "logits": [null, 2, 0]}\n');
    const { code, stdout } = await predict('--logits', scores, '--json');
    expect([code, JSON.parse(stdout)]).toEqual([3, expect.objectContaining({ status: 'failed', failed: 1 })]);
  });

  it('says how many rows have the id of an earlier one; each keeps its answer', async () => {
    const row = (id: string) => `{"id": "${id}", "logits": [0, 2, 0]}\n`;
    const scores = write('twice.jsonl', row('q1') + row('q2') + row('q1') + row('q1'));
    const { code, stdout, stderr } = await predict('--logits', scores);
    expect([code, stdout.trim().split('\n').length]).toEqual([0, 4]);
    expect(stderr).toMatch(/2 rows have ids that an earlier row has, the first in row 3 \("q1"\)/);
  });

  it('warns of another number of options than the fit has seen', async () => {
    const scores = write('five.jsonl', '{"id": "q1", "logits": [0, 2, 0, 1, 1]}\n');
    const { code, stderr } = await predict('--logits', scores);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/1 questions have another number of options .*\(3\)/)]);
  });

  it.each([
    [['--input', 'a', '--logits', 'b'], 2, /name one file/],
    [[], 2, /name one file/],
    [['--logits', 'nowhere.jsonl'], 3, /nowhere\.jsonl/],
    [['--input', 'nowhere.jsonl'], 3, /nowhere\.jsonl: no such file; name one with questions/],
    [['--input', 'package.json', '--models', 'nowhere.yaml'], 3, /nowhere\.yaml/],
  ])('refuses %j', async (flags, expected, message) => {
    const { code, stdout, stderr } = await predict(...flags);
    expect([code, stdout, stderr]).toEqual([expected, '', expect.stringMatching(message)]);
  });

  it('refuses a file that is no artefact', async () => {
    const other = write('other.json', '{"schemaVersion": 1}');
    const { code, stderr } = await run(['predict', '--artefact', other, '--logits', file('one.jsonl')]);
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/is no calibration artefact; `supportcal export` writes them/),
    ]);
    const none = await run(['predict', '--artefact', file('none.json'), '--logits', file('one.jsonl')]);
    expect([none.code, none.stderr]).toEqual([
      3,
      expect.stringMatching(/no such file; `supportcal export` writes one/),
    ]);
  });
});
