import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { evaluate } from '../../src/metrics/evaluate.js';
import { raggedRows } from '../../src/numeric/ragged-rows.js';
import { parseArtefact } from '../../src/pipeline/artefact/parse-artefact.js';
import { thresholdText } from '../../src/pipeline/predict/answer-threshold.js';
import { run } from './fake-io.js';
import { type ImportedSuite, importAll, importedSuite, rowsOf } from './imported-suite.js';

let suite: ImportedSuite;

beforeAll(async () => {
  suite = importedSuite();
  await importAll(suite);
});

const exported = (...flags: string[]) =>
  run([
    'export',
    '--suite',
    's',
    '--bootstrap',
    '50',
    ...suite.flags,
    ...(flags.includes('--out') ? [] : ['--out', suite.file('out')]),
    ...flags,
  ]);
const artefactOf = async (...flags: string[]) => {
  const file = suite.file('artefact.json');
  const { code, stderr } = await exported('--out', file, ...flags);
  expect([code, stderr.match(/^error/m)]).toEqual([0, null]);
  return parseArtefact(readFileSync(file, 'utf8'), file);
};
const withoutLabels = (rows: readonly object[]) => rows.map((row) => ({ ...row, label: undefined }));

describe('supportcal export', () => {
  it('takes the place of an earlier export, and of no other file', async () => {
    const file = suite.file('rows.csv');
    writeFileSync(file, 'id,question\n1,mine\n');
    const { code, stderr } = await exported('--format', 'csv', '--out', file);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/rows\.csv: is there already, and no export wrote it/)]);
    expect(readFileSync(file, 'utf8')).toBe('id,question\n1,mine\n');
    writeFileSync(file, '');
    for (const format of ['csv', 'csv', 'json', 'json'])
      expect((await exported('--format', format, '--out', file)).code).toBe(0);
  });

  it('fits on every row that there is, and names what it was fitted against', async () => {
    const artefact = await artefactOf('--method', 'supportcal');
    expect(artefact).toMatchObject({
      temperatureKind: 'finite',
      fit: { rows: 40 },
      target: { id: 'chat', sha256: null, importedFrom: expect.stringMatching(/^[0-9a-f]{64}$/) },
      method: { name: 'supportcal', combinationSize: 1, usesLabels: false, ownBase: { id: 'base' } },
      dataset: { id: 'quiz', title: 'A quiz' },
      prompt: null,
      optionLabels: null,
      expected: { optionCounts: { 3: 40 } },
    });
    expect(artefact.inverseTemperature).toBeCloseTo(1 / artefact.temperature!, 14);
    expect(artefact.method.references!.map(({ id }) => id)).toHaveLength(1);
    expect(artefact.fit.perSeed.map(({ seed, calibrationCount }) => [seed, calibrationCount])).toEqual([
      [1, 12],
      [2, 12],
    ]);
  });

  it('takes the method of the verdict, which calibrate prints too, and says so in the file', async () => {
    const { method, verdict } = await artefactOf();
    expect([method.name, method.usesLabels, verdict!.chosenBy]).toEqual(['auto', false, 'rule']);
    const out = suite.file('verdict');
    const flags = ['--suite', 's', '--out', out, '--bootstrap', '50', ...suite.flags];
    expect((await run(['calibrate', ...flags])).stdout).toContain(`verdict: chat on quiz: ${verdict!.sentence}\n`);
    // 28 labelled questions check nothing.
    expect(verdict!.sentence).toMatch(/^use \d\S* \(Auto\): chosen without labels; 28 labelled questions are too few/);
    const named = await artefactOf('--method', 'daca');
    expect(named.verdict!.sentence).toMatch(/^use \d\S* \(DACA\): /);
  });

  it('gives the ECE that calibrate reports, with its interval', async () => {
    const { ece } = await artefactOf('--method', 'daca');
    const out = suite.file('calibrated');
    const flags = ['--suite', 's', '--out', out, '--bootstrap', '50', '--json', ...suite.flags];
    const { summary } = JSON.parse((await run(['calibrate', ...flags])).stdout);
    const daca = summary.find(({ method }: { method: string }) => method === 'daca');
    expect(ece!.method.meanPp).toBe(daca.eceMeanPp);
    expect(ece!.method.sePp).toBe(daca.eceSePp);
    expect(ece!.method.lowPp! <= ece!.method.meanPp! && ece!.method.lowPp! <= ece!.method.highPp!).toBe(true);
    expect(ece!.vanilla.meanPp).toBe(summary.find(({ method }: { method: string }) => method === 'vanilla').eceMeanPp);
  });

  it('gives the ECE of the very temperature that it writes, on all labelled rows', async () => {
    const { ece: found, inverseTemperature } = await artefactOf('--method', 'daca');
    const rows = rowsOf(5, 0.4);
    const logits = raggedRows(rows.map((row) => row.logits));
    const labels = Int32Array.from(rows, ({ label }) => label);
    const indexes = Int32Array.from(rows, (_, n) => n);
    expect(found!.exported!.pp).toBeCloseTo(100 * evaluate({ logits, indexes, labels }, inverseTemperature)!.ece, 10);
    expect(found!.exported!.rows).toBe(40);
  });

  it('says from which confidence on the target may answer alone, before and after', async () => {
    const { thresholds } = await artefactOf();
    expect(thresholds).toMatchObject({ level: 0.95, labelled: 40, examples: 40 });
    expect(thresholds!.points.map(({ maxError }) => maxError)).toEqual([0.01, 0.02, 0.05, 0.1, 0.2]);
    // The labels are arbitrary: raw confidences claim what is not so, and nothing can be guaranteed.
    expect(thresholds!.points.every(({ guaranteed }) => guaranteed === null)).toBe(true);
    const raw = thresholds!.vanilla.at(-1)!.estimated!;
    expect([raw.risk <= 0.2, raw.observedRisk! > 0.5]).toEqual([true, true]);
    expect((await exported()).stdout).toMatch(/chat on quiz: no confidence is shown to have at most 5 % errors/);
    // What the confidences claim is not offered where labels did not show it.
    const claimed = thresholds!.vanilla.at(-1)!;
    expect(thresholdText(claimed, 40)).toBeNull();
    expect(thresholdText(claimed, 0)).toMatch(/by its confidences alone \(an estimate, no label says so\)/);
  });

  it('writes one file per target and data set into calibration/ of the output folder', async () => {
    const { code, stdout } = await exported();
    expect(code).toBe(0);
    const file = suite.file('out/calibration/chat--quiz--auto.json');
    expect(existsSync(file)).toBe(true);
    expect(stdout).toContain(path.relative('', file));
  });

  it('says why the temperature in the file is not the one that the verdict names', async () => {
    const { stdout } = await exported();
    expect(stdout).toMatch(
      /^verdict: chat on quiz: .*\nuse the temperature in the file, fitted on all rows; a verdict names the mean over the splits/m,
    );
  });

  it('prints the artefacts with --json', async () => {
    const { stdout } = await exported('--json');
    const { schemaVersion, status, exported: list } = JSON.parse(stdout);
    expect([schemaVersion, status, list.length]).toEqual([1, 'complete', 1]);
    expect(list[0].artefact.target.id).toBe('chat');
  });

  it.each([
    [['--method', 'vanilla'], /fits no temperature; methods that do: daca/],
    [['--method', 'cape'], /gives probabilities of its own and fits no temperature/],
    [['--method', 'suportcal'], /no method "suportcal" fits a temperature; did you mean "supportcal"/],
    [
      ['--method', 'oracle-ts'],
      /oracle-ts reads the labels[^.]*nor a bound[\s\S]*--allow-labels[\s\S]* --method auto$/m,
    ],
    [['--method', 'auto-labels'], /auto-labels reads the labels[\s\S]*--allow-labels/],
    [['--method', 'daca', '--combination-size', '1'], /is for methods with references/],
    [['--combination-size', '0'], /1 or more/],
    [['--combination-size', '1'], /needs a --method that it is for/],
    [['--target', 'nobody'], /--target "nobody" is not part of suite/],
  ])('refuses %j as usage', async (flags, message) => {
    const { code, stderr } = await exported(...flags);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  it('does not put several artefacts into one file, and writes none of them then', async () => {
    const other = importedSuite();
    writeFileSync(other.file('datasets/second.yaml'), 'title: Another quiz\n');
    const models = readFileSync(other.file('models.yaml'), 'utf8');
    writeFileSync(other.file('models.yaml'), models.replace('[quiz]', '[quiz, second]'));
    await importAll(other);
    const { code, stderr } = await run(['export', '--suite', 's', '--out', other.file('one.json'), ...other.flags]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/one file cannot take 2 artefacts/)]);
    expect(existsSync(other.file('one.json'))).toBe(false);
    const rest = await run(['export', '--suite', 's', '--out', other.file('folder'), ...other.flags]);
    expect([rest.code, rest.stderr]).toEqual([4, expect.stringMatching(/chat on second: .*no imported scores/)]);
    expect(existsSync(other.file('folder/calibration/chat--quiz--auto.json'))).toBe(true);
  });

  it('exports the labelled fit when it is asked for by name, and says that it is one', async () => {
    const file = suite.file('labelled.json');
    // The labels are arbitrary, so that no temperature is high enough for them.
    expect((await exported('--out', file, '--method', 'oracle-ts', '--allow-labels')).code).toBe(4);
    const artefact = parseArtefact(readFileSync(file, 'utf8'), file);
    expect([artefact.method.usesLabels, artefact.fit.rule]).toEqual([true, expect.stringMatching(/reads labels/)]);
  });

  it('names a target without a temperature and ends with code 3 when there is none at all', async () => {
    const { code, stderr } = await exported('--method', 'supportcal', '--combination-size', '3');
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/chat on quiz: M = 3, but only 2 references have scores/),
    ]);
  });

  it('gives the same temperature without any label, and no ECE', async () => {
    const labelled = await artefactOf();
    const other = importedSuite();
    for (const [model, scale, shift] of [
      ['base', 1, 0],
      ['ref-a', 1, 0.5],
      ['ref-b', 1, 2],
      ['chat', 5, 0.4],
    ] as const) {
      await other.import(model, withoutLabels(rowsOf(scale, shift)));
    }
    const file = other.file('artefact.json');
    const { code } = await run(['export', '--suite', 's', '--out', file, ...other.flags]);
    const artefact = parseArtefact(readFileSync(file, 'utf8'), file);
    expect([code, artefact.ece]).toEqual([0, null]);
    expect(artefact.temperature).toBe(labelled.temperature);
  });

  it('exports an infinite temperature as what it is', async () => {
    const other = importedSuite();
    const rows = (logits: number[]) => Array.from({ length: 20 }, (_, n) => ({ id: `q${n}`, logits }));
    await other.import('chat', rows([2, 0]));
    for (const base of ['base', 'ref-a', 'ref-b']) await other.import(base, rows([Math.log(0.3), Math.log(0.7)]));
    const file = other.file('artefact.json');
    const flags = ['--suite', 's', '--method', 'full-kl', ...other.flags];
    const { code, stdout: table, stderr } = await run(['export', '--out', file, ...flags]);
    expect([code, table]).toEqual([4, expect.stringMatching(/infinite/)]);
    // All rows disagree alike, so that every fit to these bases runs away.
    expect(stderr).toMatch(/chat on quiz: the temperature of full-kl is infinite.*--method oracle-ts --allow-labels/);
    expect(parseArtefact(readFileSync(file, 'utf8'), file)).toMatchObject({
      temperatureKind: 'infinite',
      temperature: null,
      inverseTemperature: 0,
      expected: { confidence: { low: 0.5, median: 0.5, high: 0.5 }, temperature: null },
    });
    writeFileSync(other.file('new.jsonl'), '{"id": "n", "logits": [3, 1, 0, -5]}\n');
    const { stdout } = await run(['predict', '--artefact', file, '--logits', other.file('new.jsonl')]);
    expect(JSON.parse(stdout)).toMatchObject({
      prediction: 0,
      confidence: 0.25,
      probabilities: [0.25, 0.25, 0.25, 0.25],
    });
  });
});

describe('export --format csv', () => {
  it('is safe for a spreadsheet, and import gives ids, labels and logits back as they were', async () => {
    const other = importedSuite();
    const ids = ['=HYPERLINK("x")', '-2+3 = ?', 'a "quoted", label\nof two lines', "'=already", '+1', '7', ' @x'];
    const rows = (scale: number) =>
      ids.map((id, n) => ({ id, logits: [0, 1, 2].map((k) => scale * Math.sin(7 * n + 3 * k)), label: n % 3 }));
    for (const [model, scale] of [
      ['base', 1],
      ['ref-a', 1.1],
      ['ref-b', 0.9],
      ['chat', 5],
    ] as const)
      await other.import(model, rows(scale));
    const file = other.file('rows.csv');
    const flags = ['--suite', 's', '--method', 'full-kl', ...other.flags];
    expect((await run(['export', '--format', 'csv', '--out', file, ...flags])).code).toBe(0);
    const text = readFileSync(file, 'utf8');
    for (const cell of [`"'=HYPERLINK(""x"")"`, "'-2+3 = ?", `"a ""quoted"", label\nof two lines"`, "''=already"]) {
      expect(text).toContain(`,${cell},`);
    }
    // A negative margin or logit is a number, not text.
    expect(text).toMatch(/,-\d+\.\d+,/);
    expect(text).not.toMatch(/,'-\d+\.\d+,/);

    const imported = await run([
      'import',
      file,
      '--model',
      'chat',
      '--dataset',
      'quiz',
      '--unit',
      'logits',
      ...other.flags,
    ]);
    expect([imported.code, imported.stdout]).toEqual([
      0,
      expect.stringMatching(/imported 7 rows .*\(7 with a label\)/),
    ]);
    const again = other.file('again.csv');
    expect((await run(['export', '--format', 'csv', '--out', again, ...flags])).code).toBe(0);
    expect(readFileSync(again, 'utf8')).toBe(text);
    const { stdout } = await run(['predict', '--artefact', await artefact(other), '--logits', file]);
    expect(
      new Set(
        stdout
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line).id),
      ),
    ).toEqual(new Set(ids));
  });

  it('keeps the apostrophe of an id in a file that it did not write', async () => {
    const other = importedSuite();
    writeFileSync(other.file('own.csv'), `id,logit_0,logit_1\n'=x,1,2\n`);
    await run([
      'import',
      other.file('own.csv'),
      '--model',
      'chat',
      '--dataset',
      'quiz',
      '--unit',
      'logits',
      ...other.flags,
    ]);
    const { stdout } = await run(['predict', '--artefact', await artefact(suite), '--logits', other.file('own.csv')]);
    expect(JSON.parse(stdout).id).toBe("'=x");
  });
});

async function artefact(of: ImportedSuite): Promise<string> {
  const file = of.file('some.json');
  await run(['export', '--suite', 's', '--method', 'full-kl', '--bootstrap', '0', '--out', file, ...of.flags]);
  return file;
}
