import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { printable, printableJson, printableLines } from '../../src/cli/terminal/log.js';
import { html } from '../../src/report/html/page/markup.js';
import { run } from './fake-io.js';

/**
 * Clears the screen, sets the title, turns the direction, goes up, opens a link, hides characters, begins a line of its
 * own.
 */
const EVIL = 'x\u001b[2J\u001b]0;t\u0007\u202e\u009b1A\u001b]8;;http://h\u001b\\\u200b\u{e0041}\r\nerror: all lost';
const ACTIVE = /(?![\t\n])\p{Cc}|[\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;
const CANARY = 'hf_CANARYcanary123456789';

describe('printable', () => {
  it('shows control characters and direction overrides as escapes, and drops colours', () => {
    expect(printable(EVIL)).toBe(
      'x\\u001b[2J\\u001b]0;t\\u0007\\u202e\\u009b1A\\u001b]8;;http://h\\u001b\\\\u200b\\udb40\\udc41\\r\\nerror: all lost',
    );
    expect(printable('\u001b[31mred\u001b[0m é 日本 🦙')).toBe('red é 日本 🦙');
    expect(printable(printable(EVIL))).toBe(printable(EVIL));
  });

  it('shows what nobody sees and what makes one name look like another, and leaves emoji and other scripts alone', () => {
    const hidden = ['\u00ad', '\u200b', '\u200d', '\u2060', '\ufeff', '\u3164', '\u180e', '\ufff9'];
    for (const each of hidden) expect(printable(`cha${each}t`)).toMatch(/^cha\\u[0-9a-f]{4}t$/);
    const fine = '👩\u200d🔬 ❤\ufe0f می\u200cخواهم 🦙 日本 é';
    expect(printable(fine)).toBe(fine);
  });

  it.each([
    [
      'emoji of several parts, flags and keycaps',
      '👩\u200d👩\u200d👧 ❤\ufe0f\u200d🔥 👨🏽\u200d🚀 1\ufe0f\u20e3 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    ],
    ['joiners of India and Persia', 'क्\u200dष ශ්\u200dරී ക്\u200d می\u200cخواهم PDF\u200cها'],
    ['marks of direction in Hebrew and Arabic', 'שפת C++\u200f היא? שלום!\u200f مرحبا (5)\u200e'],
    ['shapes of ideographs, signs and Mongolian letters', '葛\u{e0100}城 ≨\ufe00 ©\ufe0f ᠠ\u180bᠨ\u180eᠠ'],
    ['letters with several marks', 'e\u0323\u0301 שְׁ بِسْمِ'],
  ])('leaves %s as they are written, in a terminal and on the page', (_, text) => {
    expect(printable(text)).toBe(text);
    expect(html`${text}`.text).toBe(text);
  });

  it.each([
    [
      'a selector of shapes behind a letter or a digit',
      ['a\ufe0f', '7\ufe0f', 'я\ufe0f', '❤\ufe0f\ufe0f', 'a\u{e0100}'],
    ],
    ['a joiner that joins nothing', ['модель\u200c', '模型\u200d', '한\u200d', 'ا\u200d\u200d']],
    ['a mark of direction that no text from right to left needs', ['a\u200f', '\u200e', 'ש\u200f\u200f']],
    ['an override or an isolate, whatever the text', ['שלום\u202e', 'אב\u2067', 'ا\u202d']],
    ['a tag of no flag', ['a\u{e0041}', '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e0067}\u{e0067}\u{e0067}']],
  ])('shows %s, and leaves it off the page', (_, texts) => {
    for (const text of texts) {
      expect(printable(text)).toMatch(/(\\u[0-9a-f]{4}){1,2}$/);
      expect(text.startsWith(html`${text}`.text) && html`${text}`.text !== text).toBe(true);
    }
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

const HOSTILE = {
  page: `"><img src=x onerror=alert(1)>'</title></style></script><script>alert(2)</script><!--`,
  markdown: '|a|`b`[x](javascript:alert(3)) **c** <b>d</b> ![i](http://h/p.png)\n- li\n\n---',
  latex: '\\input{/etc/passwd}\\write18{x}$x$&%#_{}~^ \\end{tabular}',
  sheet: '\r=HYPERLINK("http://h","x")',
};

/** What must not stand in a file of that kind. */
const ACTIVE_IN: ReadonlyArray<readonly [RegExp, RegExp]> = [
  [/\.(html|svg|md)$/, /<img src=x|<script>alert|<b>d|"><img|<!--"|onerror=alert\(1\)>/],
  [/\.md$/, /(?<!\\)\]\(javascript|(?<!\\)!\[i|^- li|^---$/m],
  [/\.tex$/, /\\input\{|\\write18|(?<!\\)\$x/],
  [/\.csv$/, /(^|,)"?\s*[=+@]|\r/m],
];

describe('names that would be markup, commands or formulas', () => {
  it('are only text in every file of the report, whatever its format, and in what is exported', async () => {
    const project = mkdtempSync(path.join(tmpdir(), 'supportcal-evil-'));
    const at = (name: string) => path.join(project, name);
    mkdirSync(at('datasets'));
    writeFileSync(at('datasets/quiz.yaml'), JSON.stringify({ title: Object.values(HOSTILE).join(' ') }));
    const { page, sheet, markdown, latex } = HOSTILE;
    const targets = [page, sheet, markdown, latex];
    const models = [
      ...[`${page}b`, `${sheet}b`].map((id) => ({ id, role: 'base' })),
      ...targets.map((id) => ({ id, role: 'post-trained', base: `${page}b` })),
    ];
    const suites = { s: { datasets: ['quiz'], seeds: [1, 2], title: page, combinationSizes: [1] } };
    writeFileSync(at('models.yaml'), JSON.stringify({ models, suites }));
    const where = ['--models', at('models.yaml'), '--datasets', at('datasets'), '--cache', at('cache')];
    for (const [m, { id }] of models.entries()) {
      const rows = Array.from({ length: 30 }, (_, n) => ({
        id: `${targets[n % 4]}${n}`,
        logits: n === m ? [null, 0] : [Math.sin(n * 3 + m) * 3, Math.cos(n * 5 + m) * 3],
        label: n % 2,
      }));
      writeFileSync(at('rows.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      const { code } = await run([
        'import',
        at('rows.jsonl'),
        `--model=${id}`,
        '--dataset=quiz',
        '--unit=logits',
        ...where,
      ]);
      expect(code).toBe(0);
    }
    const flags = ['--suite', 's', ...where, '--out', at('out')];
    expect((await run(['pipeline', ...flags])).code).toBe(4);
    const files = filesOf(at('out'));
    for (const [kind, active] of ACTIVE_IN) {
      const ofKind = files.filter((file) => kind.test(file));
      expect(ofKind.length, String(kind)).toBeGreaterThan(0);
      for (const file of ofKind) expect(readFileSync(file, 'utf8'), path.basename(file)).not.toMatch(active);
    }
  });
});

describe('a token', () => {
  it.each([
    ['user and password', 'http://user:CANARYpass@127.0.0.1:9'],
    ['query', 'http://127.0.0.1:9/?x=CANARYquery'],
  ])(
    'of the environment, an address (the %s of the hub) or a file reaches no output, log, cache or report',
    async (_, endpoint) => {
      const project = evilProject(CANARY);
      const env = { HF_TOKEN: CANARY, UNUSED_SECRET: 'CANARYofanotherkind' };
      vi.stubEnv('HF_TOKEN', CANARY);
      vi.stubEnv('HF_ENDPOINT', endpoint);
      onTestFinished(() => void vi.unstubAllEnvs());
      let all = '';
      for (const argv of [...commandsOf(project), ['pipeline', '--suite', CANARY, '--models', CANARY], [CANARY]]) {
        const { stdout, stderr } = await run(argv, { env });
        const said = `${stdout}${stderr}`.replaceAll(project, '');
        expect(said, argv.join(' ')).not.toContain('CANARY');
        all += said;
      }
      expect(all).toContain('HF_ENDPOINT is no address of a hub');
      for (const folder of ['out', 'cache']) {
        const files = filesOf(path.join(project, folder));
        expect(files.length).toBeGreaterThan(2);
        for (const file of files) expect(readFileSync(file, 'latin1'), file).not.toContain('CANARY');
      }
    },
  );
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
  writeFileSync(at('datasets/quiz.yaml'), JSON.stringify({ title: EVIL }));
  const models = [
    { id: 'base', role: 'base' },
    { id: 'ref', role: 'base' },
    { id: 'chat', role: 'post-trained', base: 'base' },
    { id: token === undefined ? EVIL : 'gone', role: 'post-trained', base: 'base', file: address },
    ...(token === undefined ? [] : [{ id: 'hub', role: 'post-trained', base: 'base', file: 'hf:org/repo/m.gguf' }]),
  ];
  const suites = { s: { datasets: ['quiz'], seeds: [1], title: EVIL } };
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
