import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import pc from 'picocolors';
import { beforeAll, describe, expect, it } from 'vitest';
import { calibrateStage } from '../../src/pipeline/calibrate-stage.js';
import { run } from './fake-io.js';
import { type ImportedSuite, importAll, importedSuite } from './imported-suite.js';

let suite: ImportedSuite;
beforeAll(async () => {
  suite = importedSuite();
  await importAll(suite);
});

const complete = async (...words: string[]) =>
  (await run(['__complete', '--', ...words])).stdout.split('\n').filter((line) => line !== '');

describe('supportcal completion', () => {
  it('knows commands, subcommands, flags and choices as the commands themselves do', async () => {
    expect(await complete('va')).toEqual(['validate']);
    expect(await complete('')).not.toContain('__complete');
    expect(await complete('cache', '')).toEqual(['ls', 'prune', 'verify']);
    expect(await complete('calibrate', '--se')).toEqual(['--seeds']);
    expect(await complete('pipeline', '--gpu', '')).toEqual(['auto', 'cuda', 'metal', 'off', 'vulkan']);
    expect(await complete('completion', '')).toEqual(['bash', 'fish', 'zsh']);
    // Files are completed by the shell.
    expect(await complete('import', '')).toEqual([]);
    expect(await complete('pipeline', '--out', '')).toEqual([]);
  });

  it('knows the ids of the models.yaml and the folder that the words name', async () => {
    const [, models, , datasets] = suite.flags;
    const at = ['pipeline', '--models', models!, '--datasets', datasets!];
    expect(await complete(...at, '--suite', '')).toEqual(['s']);
    expect(await complete(...at, '--target', 'c')).toEqual(['chat']);
    expect(await complete(...at, '--dataset', '')).toEqual(['quiz']);
    expect(await complete('validate', ...at.slice(1), '--model', 'ref')).toEqual(['ref-a', 'ref-b']);
    expect(await complete('pipeline', '--models', 'none.yaml', '--suite', '')).toEqual([]);
  });

  it('takes the value that an equals sign joins to its flag, and no name that cannot be typed', async () => {
    expect(await complete('pipeline', '--gpu=c')).toEqual(['--gpu=cuda']);
    const models = suite.file('odd.yaml');
    const odd = JSON.stringify([{ id: 'a\nb', role: 'base', bucket: 'x', file: 'm.gguf' }]);
    writeFileSync(models, `models: ${odd}\nsuites: {}\n`);
    expect(await complete('validate', '--models', models, '--model', '')).toEqual([]);
  });

  /** How each shell starts without settings, a stub of the program, and what it makes of the answers to a line. */
  const SHELLS = {
    bash: [
      '--norc',
      `supportcal() { printf '%s\\n' 'v; touch x' "$4-$3"; }`,
      `COMP_LINE='supportcal cache v'; COMP_POINT=18; _supportcal; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ],
    // The completion of zsh needs a line editor: its words are set, and compadd, which quotes, prints what it is given.
    zsh: [
      '-f',
      `supportcal() { print -l -- 'v; touch x' "$4-$3" }; compdef() {}; compadd() { print -l -- $found }`,
      `words=(supportcal cache v); CURRENT=3; _supportcal`,
    ],
    fish: [
      '--no-config',
      `function supportcal; printf '%s\\n' 'v; touch x' "$argv[4]-$argv[3]"; end`,
      `complete -C 'supportcal cache v'`,
    ],
  } as const;

  it.each(['bash', 'zsh', 'fish'] as const)('prints a script that %s reads', async (shell) => {
    const { stdout } = await run(['completion', shell]);
    const [plain, stub, ask] = SHELLS[shell];
    const { error, output } = spawnSync(shell, [plain, '-c', [stub, stdout, ask].join('\n')], { encoding: 'utf8' });
    if (error !== undefined) return expect(shell).not.toBe('bash');
    const quoted = shell === 'bash' ? 'v\\;\\ touch\\ x' : 'v; touch x';
    expect(output.slice(1)).toEqual([`${quoted}\nv-cache\n`, '']);
  });

  it('has no script for another shell', async () => {
    expect((await run(['completion', 'csh'])).code).toBe(2);
  });
});

describe('a line on a terminal', () => {
  it('that is an error or a warning begins in colour, unless NO_COLOR is set', async () => {
    const red = await run(['report', '--out', 'nowhere'], { tty: true });
    expect(red.stderr.startsWith(`${pc.createColors(true).red('error:')} nowhere`)).toBe(true);
    for (const options of [{ tty: true, env: { NO_COLOR: '1' } }, { tty: true, env: { TERM: 'dumb' } }, {}])
      expect((await run(['report', '--out', 'nowhere'], options)).stderr).toMatch(/^error: nowhere/);
  });
});

describe('calibrate', () => {
  it('that is interrupted stops between two targets and writes nothing', async () => {
    mkdirSync(suite.file('out'), { recursive: true });
    const [, models, , datasets, , cache] = suite.flags;
    const places = { models: models!, datasets: datasets!, cache: cache!, out: suite.file('out') };
    const options = { suite: 's', ...places, gpu: 'off', refresh: false } as const;
    const abort = new AbortController();
    const onStage = (stage: string) => stage === 'calibrate' && abort.abort();
    await expect(calibrateStage(options, { onStage }, abort.signal)).rejects.toMatchObject({ code: 'interrupted' });
    expect((await run(['report', '--out', suite.file('out')])).code).toBe(3);
  });
});
