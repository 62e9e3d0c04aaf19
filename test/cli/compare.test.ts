import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { run } from './fake-io.js';
import { type ImportedSuite, importAll, importedSuite, rowsOf } from './imported-suite.js';

let suite: ImportedSuite;

beforeAll(async () => {
  suite = importedSuite();
  await importAll(suite);
  await calibrate('first');
  await calibrate('same');
  await calibrate('bins', '--bins', '5');
  await suite.import('chat', rowsOf(4, 0.9));
  await calibrate('other');
});

const calibrate = (out: string, ...flags: string[]) =>
  run(['calibrate', '--suite', 's', '--out', suite.file(out), '--bootstrap', '0', ...suite.flags, ...flags]);

const compare = (a: string, b: string, ...flags: string[]) => run(['compare', suite.file(a), suite.file(b), ...flags]);

describe('supportcal compare', () => {
  it('finds every number of a repeated run the same', async () => {
    const { code, stdout, stderr } = await compare('first', 'same', '--fail-above', '0');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/8 rows in both runs, and every number is the same\./);
    expect(stdout).not.toMatch(/inputs that differ/);
  });

  it('shows what moved and says that the imported scores are others', async () => {
    const { code, stdout } = await compare('first', 'other');
    expect(code).toBe(0);
    expect(stdout).toMatch(/quiz +chat +Vanilla +[\d.]+ ± [\d.]+ +[\d.]+ ± [\d.]+ +[+-][\d.]+ ± [\d.]+/);
    expect(stdout).toMatch(/inputs that differ\n +1 +scores of chat on quiz: .*/);
    expect(stdout).toMatch(/mean over the targets of both/);
  });

  it('takes results.json for its folder', async () => {
    const whole = await compare('first', 'other', '--json');
    const files = await compare('first/results.json', 'other/results.json', '--json');
    const { a, b, ...rest } = JSON.parse(whole.stdout);
    expect(JSON.parse(files.stdout)).toMatchObject(rest);
    expect([a.suite, b.suite]).toEqual(['s', 's']);
  });

  it('prints one JSON document with every row, unrounded', async () => {
    const { stdout } = await compare('first', 'other', '--json');
    const { schemaVersion, status, rows, inputs, checked } = JSON.parse(stdout);
    expect([schemaVersion, status, checked, rows.length]).toEqual([1, 'complete', null, 8]);
    const summaryOf = (name: string) =>
      JSON.parse(readFileSync(suite.file(`${name}/results.json`), 'utf8')).summary as {
        method: string;
        eceMeanPp: number;
      }[];
    const row = rows.find(({ method }: { method: string }) => method === 'daca');
    const [a, b] = ['first', 'other'].map((name) => summaryOf(name).find(({ method }) => method === 'daca')!.eceMeanPp);
    expect([row.a.eceMeanPp, row.b.eceMeanPp]).toEqual([a, b]);
    expect(row.differencePp).toBeCloseTo(b! - a!, 10);
    expect(row.causes.map((n: number) => inputs[n].subject)).toContain('chat on quiz');
  });

  it('prints Markdown, and one line when quiet', async () => {
    expect((await compare('first', 'other', '--format', 'markdown')).stdout).toMatch(
      /^### What changed[\s\S]*\| data set \| target/,
    );
    const { stdout } = await compare('first', 'other', '--quiet');
    expect(stdout.trimEnd().split('\n')).toEqual([expect.stringMatching(/^8 rows in both runs: \d changed/)]);
  });

  it('warns that other bins are another rule', async () => {
    const { stdout } = await compare('first', 'bins');
    expect(stdout).toMatch(/do not measure ECE by the same rule/);
    expect(stdout).toMatch(/1 +bins: 10 → 5/);
  });

  it('ends with code 3 beyond --fail-above, naming the rows, and with 0 within it', async () => {
    const beyond = await compare('first', 'other', '--fail-above', '0.5');
    expect(beyond.code).toBe(3);
    expect(beyond.stderr).toMatch(/error: beyond the limit: quiz, chat, vanilla: [+-][\d.]+ pp/);
    expect((await compare('first', 'other', '--fail-above', '0.5', '--quiet')).stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/^error: beyond the limit: \d+ rows?, the first is quiz, chat, /),
    ]);
    expect((await compare('first', 'other', '--fail-above', '100')).code).toBe(0);
    const { stdout } = await compare('first', 'other', '--fail-above', '0.5', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ status: 'failed', checked: { limitPp: 0.5 } });
  });

  it('takes a row that the second run lacks for a change beyond any limit', async () => {
    mkdirSync(suite.file('less'), { recursive: true });
    const results = JSON.parse(readFileSync(suite.file('first/results.json'), 'utf8'));
    const runs = results.runs.filter(({ method }: { method: string }) => method !== 'daca');
    writeFileSync(suite.file('less/results.json'), JSON.stringify({ ...results, runs }));
    const { code, stderr } = await compare('first', 'less', '--fail-above', '100');
    expect([code, stderr]).toEqual([3, expect.stringMatching(/chat, daca: not in the second run/)]);
    expect((await compare('less', 'first', '--fail-above', '100')).code).toBe(0);
  });

  it('does not take a manifest of another run for its own', async () => {
    mkdirSync(suite.file('mixed'), { recursive: true });
    copyFileSync(suite.file('first/results.json'), suite.file('mixed/results.json'));
    copyFileSync(suite.file('other/manifest.json'), suite.file('mixed/manifest.json'));
    const { stdout } = await compare('first', 'mixed');
    expect(stdout).toMatch(/no usable manifest\.json of the run beside B/);
  });

  it.each([
    ['no such folder', ['nowhere'], 3, /nowhere: no such file or folder; name the output folder/],
    ['a folder without a run', ['datasets'], 3, /results\.json: no such file: the folder holds no finished run/],
    ['another schema version', ['v2.json'], 3, /v2\.json: schemaVersion: expected 1, found 2/],
    ['no JSON', ['models.yaml'], 3, /expected a JSON document/],
    ['nothing in common', ['apart.json'], 3, /nothing to compare:[\s\S]*chat on quiz[\s\S]*other on quiz/],
    ['a limit that is no number', ['same', '--fail-above', '-1'], 2, /percentage points of 0 or more/],
  ])('refuses %s', async (_, [second, ...flags], expected, message) => {
    const results = readFileSync(suite.file('first/results.json'), 'utf8');
    writeFileSync(suite.file('v2.json'), results.replace('"schemaVersion": 1', '"schemaVersion": 2'));
    writeFileSync(suite.file('apart.json'), results.replaceAll('"target": "chat"', '"target": "other"'));
    const { code, stdout, stderr } = await compare('first', second!, ...flags);
    expect([code, stdout]).toEqual([expected, '']);
    expect(stderr).toMatch(message);
  });
});
