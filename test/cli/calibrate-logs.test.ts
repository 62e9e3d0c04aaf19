import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from './fake-io.js';
import { importedSuite } from './imported-suite.js';

const logs = path.resolve(import.meta.dirname, '..', 'datasets', 'logits', 'harness', 'fixtures', 'lm-eval');
const folderOf = (model: string) => path.join(logs, model);
const colours = (model: string) => {
  const [inner] = readdirSync(folderOf(model));
  const names = readdirSync(path.join(folderOf(model), inner!));
  return path.join(folderOf(model), inner!, names.find((name) => name.startsWith('samples_colours_2'))!);
};
const temporary = () => mkdtempSync(path.join(tmpdir(), 'supportcal-logs-'));

describe('supportcal calibrate-logs', () => {
  it('goes from two folders of logs and a reference to the report', async () => {
    const out = path.join(temporary(), 'out');
    const folders = [folderOf('base'), folderOf('instruct'), '--reference', folderOf('reference')];
    const more = ['--task', 'colours', '--out', out, '--bootstrap', '0', '--seeds', '1,2'];
    const { code, stdout, stderr } = await run(['calibrate-logs', ...folders, ...more]);
    expect(stderr).not.toContain('option mass');
    expect(code).toBe(0);
    expect(stdout).toContain('SupportCal');
    const results = JSON.parse(readFileSync(path.join(out, 'results.json'), 'utf8')) as {
      status: string;
      runs: object[];
    };
    expect(results.status).toBe('complete');
    const methods = results.runs.map((each) => (each as { method: string }).method);
    expect(new Set(methods)).toContain('supportcal');
    expect(readdirSync(out)).toContain('report.html');
  });

  it('without a reference says that SupportCal uses the own base alone', async () => {
    const out = path.join(temporary(), 'out');
    const what = [folderOf('base'), folderOf('instruct'), '--task', 'colours_mutual', '--normalize', 'pmi'];
    const { code, stderr } = await run(['calibrate-logs', ...what, '--out', out, '--bootstrap', '0', '--seeds', '1']);
    expect(code).toBe(0);
    expect(stderr).toContain('SupportCal uses the own base alone');
    expect(stderr).toContain('the rows of filter "first" were taken');
  });

  it('names the folder that holds no log, and a task that no folder has', async () => {
    const empty = temporary();
    const one = await run(['calibrate-logs', empty, folderOf('instruct'), '--out', path.join(empty, 'out')]);
    expect(one.code).toBe(3);
    expect(one.stderr).toContain('holds no log of samples');
    const what = [folderOf('base'), folderOf('instruct'), '--task', 'color', '--out', path.join(empty, 'out')];
    const two = await run(['calibrate-logs', ...what]);
    expect(two.code).toBe(3);
    expect(two.stderr).toContain('no log is of the task "color"');
    expect(readdirSync(empty)).toEqual([]);
  });

  it('takes the newest log of a task', async () => {
    const folder = temporary();
    cpSync(folderOf('base'), path.join(folder, 'base'), { recursive: true });
    const older = 'samples_colours_2020-01-01T00-00-00.000000.jsonl';
    writeFileSync(path.join(folder, 'base', older), 'broken\n');
    mkdirSync(path.join(folder, 'out'));
    const what = [path.join(folder, 'base'), folderOf('instruct'), '--task', 'colours', '--seeds', '1'];
    const { code, stderr } = await run([
      'calibrate-logs',
      ...what,
      '--out',
      path.join(folder, 'out'),
      '--bootstrap',
      '0',
    ]);
    expect(stderr).toContain(`not the older ${path.join(folder, 'base', older)}`);
    expect(code).toBe(0);
  });
});

describe('supportcal calibrate-logs of Inspect', () => {
  const inspect = path.join(logs, '..', 'inspect');

  it('goes from two folders of logs to the report', async () => {
    const out = path.join(temporary(), 'out');
    const folders = [path.join(inspect, 'base'), path.join(inspect, 'other')];
    const { code, stdout } = await run([
      'calibrate-logs',
      ...folders,
      '--out',
      out,
      '--bootstrap',
      '0',
      '--seeds',
      '1',
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain('facts');
    expect(readdirSync(out)).toContain('report.html');
  });
});

describe('supportcal import --format lm-eval', () => {
  it('takes several logs at once by --map', async () => {
    const suite = importedSuite();
    const maps = ['base', 'instruct'].flatMap((model) => [
      '--map',
      `${colours(model)}=${model === 'base' ? 'base' : 'chat'}`,
    ]);
    const { code, stdout } = await run(['import', '--format', 'lm-eval', ...maps, '--dataset', 'quiz', ...suite.flags]);
    expect(code).toBe(0);
    expect(stdout).toBe(
      'imported 40 rows for base on quiz (40 with a label)\nimported 40 rows for chat on quiz (40 with a label)\n',
    );
  });

  it('refuses flags that say two things, as wrong usage', async () => {
    const suite = importedSuite();
    const all = ['--dataset', 'quiz', ...suite.flags];
    const file = colours('base');
    const usage = async (...words: string[]) => {
      const { code, stderr } = await run(['import', ...words, ...all]);
      expect(code).toBe(2);
      return stderr;
    };
    expect(await usage(file, '--model', 'base')).toContain('say what the numbers are');
    expect(await usage(file, '--format', 'lm-eval')).toContain('name a file and its model');
    expect(await usage(file, '--model', 'base', '--map', 'a=b')).toContain('--map names file and model');
    expect(await usage(file, '--model', 'base', '--format', 'lm-eval', '--unit', 'logits')).toContain('its own unit');
    expect(await usage(file, '--model', 'base', '--unit', 'logits', '--filter', 'x')).toContain('name their --format');
  });
});
