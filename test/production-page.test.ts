import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { writeDemo } from '../src/pipeline/starter/write-demo.js';
import { run } from './cli/fake-io.js';

const root = path.resolve(import.meta.dirname, '..');
const page = readFileSync(path.join(root, 'docs/production.md'), 'utf8');
const blocks = (language: string, text = page) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, block]) => block!);
const start = async (program: string, ...args: string[]) =>
  (await promisify(execFile)(program, args, { cwd: root })).stdout;

const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-production-'));
const started: ChildProcess[] = [];
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

/** A command of the page in the project of `supportcal demo`, on the processor, which has the numbers of the page. */
function inProject(command: string, ...more: string[]): ChildProcess {
  const given = command.replace(/#.*$/, '').trim().split(/\s+/).slice(1);
  const words = [...given, '--gpu', 'off', ...more];
  const child = spawn(process.execPath, [path.join(root, 'scripts/supportcal.mjs'), ...words], { cwd: folder });
  started.push(child);
  return child;
}

async function ended(child: ChildProcess) {
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) child[name]!.on('data', (data) => (output[name] += data));
  const [code] = await once(child, 'close');
  return { code, ...output };
}

describe('docs/production.md', () => {
  it('has programs that run as they stand', async () => {
    const programs = blocks('ts');
    expect(programs.length).toBeGreaterThan(0);
    for (const text of programs) {
      const shown = `${text}\nconsole.log(prediction, confidence > 0.3 && confidence < 1);`;
      expect(await start(process.execPath, '--input-type=module', '--eval', shown)).toBe('0 true\n');
    }
  });

  it('is kept by the Dockerfiles: they start supportcal itself, which hears SIGTERM, and not npm', () => {
    for (const file of ['Dockerfile', 'docker/cuda.Dockerfile']) {
      const text = readFileSync(path.join(root, file), 'utf8');
      expect([file, text.match(/^ENTRYPOINT .*$/gm)]).toEqual([file, ['ENTRYPOINT ["supportcal"]']]);
    }
  });

  it('has commands and flags that exist', async () => {
    const lines = blocks('sh').flatMap((text) => [...text.matchAll(/^supportcal (\w[\w-]*)((?: [^#\n]+)?)/gm)]);
    expect(lines.length).toBeGreaterThan(3);
    for (const [line, command, rest] of lines) {
      const { code, stdout } = await run([command!, '--help']);
      expect([line, code]).toEqual([line, 0]);
      for (const [flag] of (rest ?? '').matchAll(/--[\w-]+/g))
        expect(stdout, line).toMatch(new RegExp(`^ +${flag}\\b`, 'm'));
    }
  });

  it('has commands that work in the project of supportcal demo, and answers that they give there', async () => {
    await writeDemo(folder);
    const [fit = '', threshold = '', service = ''] = page.split(/^## /m).slice(2, 5);
    const commands = (text: string) => blocks('sh', text).flatMap((block) => block.match(/^supportcal .*$/gm) ?? []);
    expect([fit, threshold, service].map((text) => commands(text).length)).toEqual([2, 1, 1]);
    for (const command of commands(fit)) {
      const { code, stderr } = await ended(inProject(command));
      expect([command, code], stderr).toEqual([command, 0]);
    }
    const [predict = ''] = commands(threshold);
    const answered = await ended(inProject(predict));
    const statuses = answered.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).status);
    expect([answered.code, new Set(statuses)]).toEqual([0, new Set(['ok', 'abstain'])]);
    const refused = await ended(inProject(predict.replace(/--min-confidence \S+/, '--max-error 0.2')));
    const [message = ''] = blocks('text', threshold);
    expect([refused.code, refused.stderr]).toEqual([
      3,
      `error: tern.json: thresholds: ${message.trim().replace('\n', ' ')}\n`,
    ]);

    const [serve = ''] = commands(service);
    const running = inProject(serve, '--port', '0');
    const end = once(running, 'close');
    const [listening] = (await once(createInterface({ input: running.stdout! }), 'line')) as [string];
    const address = /^listening on (\S+):/.exec(listening)![1];
    const [, body = ''] = /-d '(\{.*\})'/.exec(service)!;
    const headers = { 'content-type': 'application/json' };
    const answer = await (await fetch(`${address}/v1/score`, { method: 'POST', headers, body })).json();
    // Another processor computes the same model with other last digits: within 0.016.
    const near = (value: unknown): unknown =>
      typeof value === 'number' && !Number.isInteger(value) ? expect.closeTo(value, 1.5) : value;
    const shown = JSON.parse(blocks('json', service)[0]!, (_, value) => near(value));
    expect(answer).toEqual(shown);
    running.kill('SIGTERM');
    expect(await end).toEqual([0, null]);
  }, 240_000);
});
