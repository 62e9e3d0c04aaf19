import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { printable, printableJson, printableLines } from '../../src/cli/log.js';
import { run } from './fake-io.js';

/** Clears the screen, ends the row, sets the title, turns the direction, begins a line of its own. */
const EVIL = 'x\u001b[2J\u001b]0;t\u0007\u202e\u009b1A\r\nerror: all lost';
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to look for
const ACTIVE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
const CANARY = 'hf_CANARYcanary123456789';

describe('printable', () => {
  it('shows control characters and direction overrides as escapes, and drops colours', () => {
    expect(printable(EVIL)).toBe('x\\u001b[2J\\u001b]0;t\\u0007\\u202e\\u009b1A\\r\\nerror: all lost');
    expect(printable('\u001b[31mred\u001b[0m é 日本 🦙')).toBe('red é 日本 🦙');
    expect(printable(printable(EVIL))).toBe(printable(EVIL));
  });

  it('lets only colours and line breaks through where colour is wanted', () => {
    expect(printableLines('a\n\u001b[1mb\u001b[22m\u001b[2J', true)).toBe('a\n\u001b[1mb\u001b[22m\\u001b[2J');
    expect(printableLines('a\n\u001b[1mb', false)).toBe('a\nb');
  });

  it('writes JSON that is the same document and moves no cursor', () => {
    const value = { [EVIL]: [EVIL, 1] };
    expect(JSON.parse(printableJson(value))).toEqual(value);
    expect(printableJson(value)).not.toMatch(ACTIVE);
  });
});

describe('names and data of others', () => {
  it('reach no terminal, log or report as control characters, nor as lines of their own', async () => {
    const project = evilProject();
    for (const argv of commandsOf(project)) {
      const { stdout, stderr } = await run(argv);
      expect(`${argv[0]}: ${stdout}${stderr}`).not.toMatch(ACTIVE);
      expect(`${stdout}${stderr}`.split('\n')).not.toContain('error: all lost');
    }
    for (const file of filesOf(path.join(project, 'out'))) {
      if (!file.endsWith('.json')) expect(readFileSync(file, 'utf8'), file).not.toMatch(ACTIVE);
    }
  });
});

describe('a token', () => {
  it('of the environment, an address or a file reaches no output, log, cache or report', async () => {
    const project = evilProject(CANARY);
    const env = { HF_TOKEN: CANARY, UNUSED_SECRET: 'CANARYofanotherkind' };
    for (const argv of [...commandsOf(project), ['pipeline', '--suite', CANARY, '--models', CANARY], [CANARY]]) {
      const { stdout, stderr } = await run(argv, { env });
      const said = `${stdout}${stderr}`.replaceAll(project, '');
      expect(said, argv.join(' ')).not.toContain('CANARY');
    }
    for (const folder of ['out', 'cache']) {
      const files = filesOf(path.join(project, folder));
      expect(files.length).toBeGreaterThan(2);
      for (const file of files) expect(readFileSync(file, 'latin1'), file).not.toContain('CANARY');
    }
  });
});

/** Every command on imported scores, one of whose models has a file that cannot be had. */
function commandsOf(project: string): string[][] {
  const at = (name: string) => path.join(project, name);
  const where = ['--models', at('models.yaml'), '--datasets', at('datasets'), '--cache', at('cache')];
  const flags = ['--suite', 's', ...where, '--out', at('out')];
  const models = ['base', 'ref', 'chat'];
  return [
    ...models.map((model) => [
      'import',
      at(`${model}.jsonl`),
      '--model',
      model,
      '--dataset',
      'quiz',
      '--unit',
      'logits',
      ...where,
    ]),
    ['import', at('broken.jsonl'), '--model', 'chat', '--dataset', 'quiz', '--unit', 'logits', ...where],
    ...['pipeline', 'calibrate', 'report', 'ls', 'validate', 'score'].flatMap((name) => [
      [name, ...flags],
      [name, ...flags, '--json'],
    ]),
    ['pipeline', ...flags, '--dataset', EVIL],
    ['cache', 'ls', '--cache', at('cache')],
    ['cache', 'verify', '--cache', at('cache')],
  ];
}

/** Ids, titles and paths that hold escapes, or the given token inside an address. */
function evilProject(token?: string): string {
  const project = mkdtempSync(path.join(tmpdir(), 'supportcal-evil-'));
  const at = (name: string) => path.join(project, name);
  const address = token === undefined ? `${EVIL}.gguf` : `https://user:${token}@h/m.gguf?token=${token}`;
  mkdirSync(at('datasets'));
  writeFileSync(at('datasets/quiz.yaml'), JSON.stringify({ title: token ?? EVIL }));
  const models = [
    { id: 'base', role: 'base' },
    { id: 'ref', role: 'base' },
    { id: 'chat', role: 'post-trained', base: 'base' },
    { id: token === undefined ? EVIL : 'gone', role: 'post-trained', base: 'base', file: address },
  ];
  const suites = { s: { datasets: ['quiz'], seeds: [1], title: token ?? EVIL } };
  writeFileSync(at('models.yaml'), JSON.stringify({ models, suites }));
  for (const [m, model] of ['base', 'ref', 'chat'].entries()) {
    const rows = Array.from({ length: 20 }, (_, n) => ({
      id: token === undefined ? `${EVIL}${n}` : `q${n}`,
      logits: n === m ? [null, 0] : [Math.sin(n * 3 + m), Math.cos(n * 5 + m)],
      label: n % 2,
    }));
    writeFileSync(at(`${model}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  }
  const broken = [{ id: EVIL, logits: [EVIL, token ?? ''], label: EVIL }, { [EVIL]: 1 }];
  writeFileSync(at('broken.jsonl'), `${broken.map((row) => JSON.stringify(row)).join('\n')}\n{"id": "${token ?? 'x'}`);
  return project;
}

function filesOf(folder: string): string[] {
  return (readdirSync(folder, { recursive: true }) as string[])
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile());
}
