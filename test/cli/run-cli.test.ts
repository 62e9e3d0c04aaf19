import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { run } from './fake-io.js';
import { type ImportedSuite, importAll, importedSuite, rowsOf } from './imported-suite.js';

describe('supportcal --help', () => {
  it('names every command, examples and the exit codes, on stdout with code 0', async () => {
    const { code, stdout, stderr } = await run(['--help']);
    expect([code, stderr]).toEqual([0, '']);
    const commands = [
      'pipeline',
      'score',
      'calibrate',
      'report',
      'compare',
      'validate',
      'ls',
      'import',
      'export',
      'predict',
    ];
    for (const command of commands) {
      expect(stdout).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
    }
    expect(stdout).toMatch(/Examples:[\s\S]*Exit codes:/);
  });

  it('explains the flags of a command', async () => {
    const { code, stdout } = await run(['calibrate', '--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/--seeds <list>/);
    expect(stdout.replace(/\s+/g, ' ')).toMatch(
      /--out <dir> .*a run replaces the one that is there, .* --dataset, --target/,
    );
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });
});

describe('the flags of a run', () => {
  it.each([
    ['pipeline', ['--gpu', '--limit', '--refresh', '--cache'], []],
    ['calibrate', ['--gpu', '--limit', '--cache'], ['--refresh']],
    ['report', ['--suite', '--out'], ['--gpu', '--limit', '--refresh', '--cache', '--models']],
    ['ls', ['--models', '--cache'], ['--gpu', '--limit', '--refresh', '--out']],
    ['predict', ['--gpu', '--cache'], ['--limit', '--refresh', '--suite']],
  ])('are listed by %s where it uses them', async (command, used, unused) => {
    const { stdout } = await run([command, '--help']);
    const listed = (flag: string) => new RegExp(`^  ${flag}\\b`, 'm').test(stdout);
    expect(used.filter(listed)).toEqual(used);
    expect(unused.filter(listed)).toEqual([]);
  });

  it('are taken by every stage all the same, so that one list of flags serves a whole run', async () => {
    const { code, stderr } = await run(['report', '--out', 'nowhere', '--gpu', 'off', '--limit', '3', '--refresh']);
    expect([code, stderr]).toEqual([3, expect.stringMatching(/nowhere\/results\.json/)]);
  });
});

describe('exit code 2', () => {
  it.each([
    [['frobnicate'], /unknown command/],
    [['pipeline', '--suit', 'x'], /unknown option '--suit'[\s\S]*Did you mean --suite/],
    [['calibrate', '--seeds', '1,a'], /expected whole numbers/],
    [['calibrate', '--seeds', '1,1'], /stands twice/],
    [['calibrate', '--calibration-fraction', '1'], /between 0 and 1/],
    [['pipeline', '--gpu', 'abacus'], /Allowed choices/],
    [['calibrate', '--bin-edges', 'round'], /Allowed choices are equal-width, equal-mass/],
    [['calibrate', '--edge-rule', 'both'], /Allowed choices are left-owned, right-owned/],
    [['calibrate', '--bootstrap', '-1'], /0 or more, or auto/],
    [['import', 'x.jsonl', '--model', 'm'], /required option/],
  ])('is for usage: %j', async (argv, message) => {
    const { code, stdout, stderr } = await run(argv);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  it('is one JSON document on stdout too where --json asked for one', async () => {
    const { code, stdout, stderr } = await run(['pipeline', '--suit', 'x', '--json']);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/unknown option '--suit'/)]);
    expect(JSON.parse(stdout)).toEqual({
      schemaVersion: 1,
      status: 'failed',
      error: { code: 'usage', faults: [{ message: expect.stringMatching(/^unknown option '--suit'/) }] },
    });
    expect((await run(['pipeline', '--json', '--help'])).stdout).toMatch(/^Usage/);
  });

  it.each(['calibrate', 'validate', 'doctor'])('is for a suite that is not in models.yaml: %s', async (command) => {
    const suite = importedSuite();
    const { code, stderr } = await run([command, '--suite', 'z', '--gpu', 'off', ...suite.flags]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/no suite "z"; did you mean "s"/)]);
  });
});

describe('a suite of imported scores', () => {
  let suite: ImportedSuite;
  beforeAll(async () => {
    suite = importedSuite();
    await importAll(suite);
  });
  const calibrate = (...flags: string[]) =>
    run(['calibrate', '--suite', 's', '--out', suite.file('out'), ...suite.flags, ...flags]);

  it('calibrates with code 0 and no model file', async () => {
    const { code, stdout, stderr } = await calibrate();
    expect(code).toBe(0);
    // 28 evaluation examples are few, and that is all there is to warn about.
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringMatching(
        /quiz: 28 labelled evaluation examples.*below 300.*a verdict, which allows for both, takes 100/,
      ),
    ]);
    expect(stdout).toMatch(/quiz/);
    // Programs read tables too: no line ends in blanks, and the command that is named reads this run.
    expect(stdout).not.toMatch(/ $/m);
    expect(stdout).toMatch(
      /\nresults: .*out\/results\.json \(supportcal report --out .*out makes report\.html of it\)\n(verdict: .*\n)+$/,
    );
    const results = JSON.parse(readFileSync(suite.file('out/results.json'), 'utf8'));
    expect(results).toMatchObject({ schemaVersion: 1, suite: 's', status: 'complete', skipped: [] });
    expect(results.runs).toHaveLength(2 * 8);
  });

  it('bins by models.yaml, and by the flags before it; the rule is in results.json and report.md', async () => {
    const written = readFileSync(suite.file('models.yaml'), 'utf8');
    const fields = 'bins: 5, binEdges: equal-mass, edgeRule: right-owned, bootstrap: 40';
    writeFileSync(suite.file('models.yaml'), written.replace('seeds: [1, 2]', `seeds: [1, 2], ${fields}`));
    const protocolOf = async (...flags: string[]) => JSON.parse((await calibrate('--json', ...flags)).stdout).protocol;
    const yaml = await protocolOf();
    const flags = await protocolOf('--bins', '20', '--bin-edges', 'equal-width', '--bootstrap', '0');
    await run(['report', '--suite', 's', '--out', suite.file('out'), ...suite.flags]);
    writeFileSync(suite.file('models.yaml'), written);
    expect(yaml).toMatchObject({
      bins: 5,
      binEdges: 'equal-mass',
      edgeRule: 'right-owned',
      bootstrap: { resamples: { quiz: 40 } },
    });
    expect(yaml.eceRule).toMatch(/^equal-mass bins/);
    expect(flags).toMatchObject({
      bins: 20,
      binEdges: 'equal-width',
      edgeRule: 'right-owned',
      bootstrap: { resamples: { quiz: 0 } },
    });
    expect(readFileSync(suite.file('out/report.md'), 'utf8')).toContain('20 bins; equal-width bins with edges');
    expect(readFileSync(suite.file('out/report.md'), 'utf8')).toContain('right-owned');
  });

  it('tests every pair of label-free methods, and gives every ECE an interval, a total error and what calibrated models show', async () => {
    const { comparisons, summary, macro } = JSON.parse((await calibrate('--json', '--bootstrap', '100')).stdout);
    const of = (a: string, b: string) =>
      comparisons.filter((each: { methodA: string; methodB: string }) => each.methodA === a && each.methodB === b);
    expect(comparisons).toHaveLength((7 * 6) / 2);
    expect(of('supportcal', 'daca')).toHaveLength(2);
    expect(comparisons.some((each: { methodA: string }) => each.methodA === 'oracle-ts')).toBe(false);
    const meanOf = (method: string) => summary.find((row: { method: string }) => row.method === method).eceMeanPp;
    const [pair] = of('daca', 'vanilla');
    expect(pair).toMatchObject({ dataset: 'quiz', target: 'chat', resamples: 100, targets: 1 });
    expect(pair.differencePp).toBeCloseTo(meanOf('daca') - meanOf('vanilla'), 10);
    expect(pair.lowPp <= pair.signedDifferencePp && pair.signedDifferencePp <= pair.highPp).toBe(true);
    expect(pair.pValue >= 0 && pair.pValue <= pair.pValueHolm && pair.pValueHolm <= 1).toBe(true);
    for (const row of summary) {
      expect(0 <= row.eceLowPp && row.eceLowPp <= row.eceHighPp && row.eceLowPp <= row.eceMeanPp).toBe(true);
      expect(row.eceTotalSePp > 0 && row.calibratedMeanPp < row.calibratedHighPp).toBe(true);
    }
    for (const row of [...summary, ...macro])
      expect(typeof row.tiedWithBest).toBe(row.method === 'oracle-ts' ? 'object' : 'boolean');
  });

  it('writes splits that hold every id once per seed, floor(0.3 N) of them for calibration', async () => {
    await calibrate();
    const splits = JSON.parse(readFileSync(suite.file('out/splits.json'), 'utf8'));
    for (const seed of ['1', '2']) {
      const { calibration, evaluation } = splits.quiz[seed];
      expect([calibration.length, evaluation.length]).toEqual([12, 28]);
      expect(new Set([...calibration, ...evaluation]).size).toBe(40);
    }
  });

  it('prints exactly one JSON document with --json', async () => {
    const { stdout } = await calibrate('--json');
    expect(JSON.parse(stdout)).toEqual(JSON.parse(readFileSync(suite.file('out/results.json'), 'utf8')));
  });

  it('goes from cached scores with other seeds, bins and fraction', async () => {
    const { stdout } = await calibrate('--json', '--seeds', '11,12,13', '--bins', '5', '--calibration-fraction', '0.5');
    const results = JSON.parse(stdout);
    expect(results.protocol).toMatchObject({ seeds: [11, 12, 13], bins: 5, calibrationFraction: 0.5 });
    expect(results.runs[0]).toMatchObject({ seed: 11, calibrationCount: 20, evaluationCount: 20 });
  });

  it('writes no control character when stdout is no terminal, and colour when it is', async () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: looking for them is the test
    const controlCode = /\u001b\[/;
    expect((await calibrate()).stdout).not.toMatch(controlCode);
    const argv = ['calibrate', '--suite', 's', '--out', suite.file('out'), ...suite.flags];
    expect((await run(argv, { tty: true })).stdout).toMatch(controlCode);
    expect((await run(argv, { tty: true, env: { NO_COLOR: '1' } })).stdout).not.toMatch(controlCode);
    expect((await run(argv, { tty: true, env: { TERM: 'dumb' } })).stdout).not.toMatch(controlCode);
  });

  it('reports again from results.json alone', async () => {
    await calibrate();
    const { code, stdout } = await run(['report', '--suite', 's', '--out', suite.file('out')]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/report: .*report\.html, report\.md/);
    expect(readFileSync(suite.file('out/report.md'), 'utf8')).toMatch(/quiz/);
    expect(existsSync(suite.file('out/tables/runs.csv'))).toBe(true);
  });

  it('prints the tables of a report in the asked format and nothing else', async () => {
    await calibrate();
    const report = async (...more: string[]) => run(['report', '--suite', 's', '--out', suite.file('out'), ...more]);
    expect((await report('--format', 'csv')).stdout).toMatch(/^dataset,target,method,.*\nquiz,chat,vanilla,/);
    expect((await report('--format', 'markdown')).stdout).toMatch(/^### quiz: ECE in pp/);
    expect((await report('--format', 'json')).stdout).toBe((await report('--json')).stdout);
    expect((await report('--format', 'pdf')).code).toBe(2);
  });

  it('draws reliability bars where a terminal can show them, and nowhere else', async () => {
    const argv = ['calibrate', '--suite', 's', '--out', suite.file('out'), ...suite.flags];
    const drawn = async (options: Parameters<typeof run>[1]) => /[▁▂▃▄▅▆▇█]/.test((await run(argv, options)).stdout);
    expect(await drawn({ tty: true, env: { LANG: 'en_US.UTF-8' } })).toBe(true);
    expect(await drawn({ tty: true, env: { LANG: 'C' } })).toBe(false);
    expect(await drawn({ tty: true, env: { LANG: 'en_US.UTF-8', TERM: 'linux' } })).toBe(false);
    expect(await drawn({ env: { LANG: 'en_US.UTF-8' } })).toBe(false);
  });

  it('keeps the command in manifest.json without what opens doors', async () => {
    const argv = ['calibrate', '--suite', 's', '--out', suite.file('out'), ...suite.flags];
    await run(argv, { env: { MY_TOKEN: suite.file('out') } });
    const { command, run: record } = JSON.parse(readFileSync(suite.file('out/manifest.json'), 'utf8'));
    expect(command.slice(0, 5)).toEqual(['calibrate', '--suite', 's', '--out', '***']);
    expect(record.stages.map(({ stage }: { stage: string }) => stage)).toEqual(['load', 'calibrate']);
  });

  it('runs the whole pipeline without scoring anything', async () => {
    const { code, stdout } = await run(['pipeline', '--suite', 's', '--out', suite.file('out2'), ...suite.flags]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/report\.md/);
  });

  it('keeps a log of the run beside its results', async () => {
    await calibrate();
    expect(readFileSync(suite.file('out/run.log'), 'utf8')).toMatch(/info: stage calibrate/);
  });
});

describe('exit code 3', () => {
  it('is for a missing models.yaml, named as the user wrote it', async () => {
    const { code, stderr } = await run(['pipeline', '--models', 'nowhere/models.yaml']);
    expect([code, stderr]).toEqual([
      3,
      'error: nowhere/models.yaml: no such file; `supportcal init` writes one, `--models FILE` names another\n',
    ]);
  });

  it('reports all faults of a broken import at once and keeps the earlier one', async () => {
    const suite = importedSuite();
    await importAll(suite);
    const broken = [{ id: 'a', logits: [1] }, { id: 'a', logits: [1, 2], label: 2 }, { logits: [1, 2] }];
    const { code, stderr } = await suite.import('chat', broken);
    expect(code).toBe(3);
    for (const line of [1, 2, 3]) expect(stderr).toMatch(new RegExp(`chat\\.jsonl:${line}\\b`));
    expect((await run(['calibrate', '--suite', 's', '--out', suite.file('out'), ...suite.flags])).code).toBe(0);
  });

  it.each(['out', 'cache'])('is for an --%s that is a file, before anything is scored', async (flag) => {
    const suite = importedSuite();
    await importAll(suite);
    writeFileSync(suite.file('taken'), '');
    const argv = [
      'pipeline',
      '--suite',
      's',
      '--out',
      suite.file('o'),
      ...suite.flags,
      `--${flag}`,
      suite.file('taken'),
    ];
    const { code, stderr } = await run(argv);
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/error: .*taken: cannot be written: a file of that name is in the way/),
    ]);
  });

  it('says what to do when there are no scores at all', async () => {
    const suite = importedSuite();
    const { code, stderr } = await run(['calibrate', '--suite', 's', '--out', suite.file('out'), ...suite.flags]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/chat on quiz: .*no file .*no imported scores/);
    expect(existsSync(suite.file('out/results.json'))).toBe(false);
  });

  it('carries the same status in --json', async () => {
    const { code, stdout } = await run(['calibrate', '--json', '--models', 'nowhere.yaml']);
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'failed',
      error: { code: 'missing-file', faults: [{ file: 'nowhere.yaml' }] },
    });
  });

  it('refuses imports whose number of options differs between models', async () => {
    const suite = importedSuite();
    await importAll(suite);
    await suite.import('ref-a', [{ id: 'q0', logits: [1, 2] }]);
    const { code, stderr } = await run(['calibrate', '--suite', 's', '--out', suite.file('out'), ...suite.flags]);
    expect([code, stderr]).toEqual([3, expect.stringMatching(/row q0: model "ref-a" has 2 option logits, expected 3/)]);
  });
});

describe('exit code 4', () => {
  it('is for examples that some model lacks; they count for no method', async () => {
    const suite = importedSuite();
    await importAll(suite);
    await suite.import('ref-b', [...rowsOf(1, 2).slice(1), { id: 'q0', logits: [null, 1, 2] }]);
    const { code, stdout } = await run([
      'calibrate',
      '--suite',
      's',
      '--json',
      '--out',
      suite.file('out'),
      ...suite.flags,
    ]);
    const results = JSON.parse(stdout);
    expect(code).toBe(4);
    expect(results.status).toBe('partial');
    expect(results.skipped).toEqual([{ dataset: 'quiz', model: 'ref-b', example: 'q0', reason: expect.any(String) }]);
    for (const each of results.runs) expect(each.calibrationCount + each.evaluationCount).toBe(39);
  });
});

describe('a label that one row lacks', () => {
  it.each([
    ['imported', null, 'warn: quiz: 1 of 40 examples have no label; they take part in the fit, not in the metrics'],
    [
      'of a file',
      'source: quiz.jsonl\nfields: {id: id, options: options, label: {field: answer, labelBase: 0}}\n' +
        'prompt: {template: "{id}\\n{options}\\n"}\n',
      'warn: quiz: 1 of 40 rows without a label (they take part in the fit, not in the metrics): q3',
    ],
  ])('is warned of once: %s', async (_, yaml, warning) => {
    const suite = importedSuite();
    const rows = (scale: number, shift: number) =>
      rowsOf(scale, shift).map(({ label, ...row }) => (row.id === 'q3' ? row : { ...row, label }));
    if (yaml !== null) {
      const written = rows(1, 0).map((row) => ({ answer: null, ...row, options: ['x', 'y', `z ${row.id}`] }));
      const lines = written.map((row) => JSON.stringify({ ...row, ...('label' in row && { answer: row.label }) }));
      writeFileSync(suite.file('datasets/quiz.yaml'), yaml);
      writeFileSync(suite.file('datasets/quiz.jsonl'), `${lines.join('\n')}\n`);
    }
    await suite.import('base', rows(1, 0));
    await suite.import('ref-a', rows(1, 0.5));
    await suite.import('ref-b', rows(1, 2));
    await suite.import('chat', rows(5, 0.4));
    const { stderr } = await run(['calibrate', '--suite', 's', '--out', suite.file('out'), ...suite.flags]);
    expect(stderr.split('\n').filter((line) => line.includes('label') && !line.includes('below 300'))).toEqual([
      warning,
    ]);
  });
});

describe('a data set without labels', () => {
  it('gets temperatures and no metrics, with the reason', async () => {
    const suite = importedSuite();
    const unlabelled = (scale: number, shift: number) =>
      rowsOf(scale, shift).map((row) => ({ ...row, label: undefined }));
    await suite.import('base', unlabelled(1, 0));
    await suite.import('ref-a', unlabelled(1, 0.5));
    await suite.import('ref-b', unlabelled(1, 2));
    await suite.import('chat', unlabelled(5, 0.4));
    const { code, stdout, stderr } = await run([
      'calibrate',
      '--suite',
      's',
      '--json',
      '--out',
      suite.file('out'),
      ...suite.flags,
    ]);
    const results = JSON.parse(stdout);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/quiz: no example has a label; temperatures are fitted/)]);
    const daca = results.runs.find((each: { method: string }) => each.method === 'daca');
    expect(daca).toMatchObject({
      temperatureKind: 'finite',
      labelledCount: 0,
      evaluationCount: 28,
      accuracy: null,
      ece: null,
    });
  });
});

describe('supportcal ls and validate', () => {
  it('list what there is, imported entries included', async () => {
    const suite = importedSuite();
    await importAll(suite);
    const { code, stdout } = await run(['ls', ...suite.flags]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /suites\n {2}suite .*\n {2}s .*all 1 .*quiz[\s\S]*chat {3}post-trained of base[\s\S]*ref-b {2}quiz {2}complete {2}40 rows/,
    );
  });

  it('check files and show the first prompt', async () => {
    const suite = importedSuite();
    writeFileSync(suite.file('datasets/rows.jsonl'), '{"id":"r1","q":"Two?","opts":["1","2"],"a":"B"}\n');
    writeFileSync(
      suite.file('datasets/quiz.yaml'),
      'source: rows.jsonl\nfields: {id: id, options: opts, label: {field: a, as: letter}}\nprompt: {template: "Q: {q}\\n{options}\\nAnswer:"}\n',
    );
    const { code, stdout } = await run(['validate', '--suite', 's', ...suite.flags]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\| Q: Two\?\n {4}\| A\. 1\n {4}\| B\. 2\n {4}\| Answer:/);
  });
});
