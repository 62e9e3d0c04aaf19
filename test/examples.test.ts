import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { httpApp } from '../src/serve/http-app.js';
import { serviceOf } from './serve/service-of.js';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const start = async (program: string, ...args: string[]) =>
  (await promisify(execFile)(program, args, { cwd: root })).stdout;

let app: FastifyInstance;
let address: string;
const cache = mkdtempSync(path.join(tmpdir(), 'supportcal-examples-'));
beforeAll(async () => {
  app = await httpApp(serviceOf({}, 30_000).parts);
  address = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await app.close();
  rmSync(cache, { recursive: true });
});

describe('the examples', () => {
  const answers = 'bees: A, confidence 0.58\nscores: A, confidence 0.59\n';
  it.each([
    [
      'calibrate.mjs',
      [],
      /^supportcal: temperature 6\.00 from 400 rows .*\nquestion 1: .*\nECE 0\.[2-9]\d* before, 0\.0/,
    ],
    [
      'score-prompts.mjs',
      ['models/demo/tern-dpo.gguf', cache],
      /^C, confidence 0\.\d\d, option mass [01]\.\d\d\n[A-D], /,
    ],
  ] as const)('%s shows what it says', async (name, args, said) => {
    expect(await start(process.execPath, `examples/${name}`, ...args)).toMatch(said);
  });

  it('ask_service.py and ask-service.mjs get the same answers from a service', async () => {
    expect(await start(process.execPath, 'examples/ask-service.mjs', address, 'chat/quiz')).toBe(answers);
    expect(await start('python3', 'examples/ask_service.py', address, 'chat/quiz')).toBe(answers);
  });

  it('are all listed in their README', () => {
    const listed = [...read('examples/README.md').matchAll(/^\| `([\w.-]+)/gm)].map(([, name]) => name);
    expect(listed.sort()).toEqual(
      readdirSync(path.join(root, 'examples'))
        .filter((name) => name !== 'README.md')
        .sort(),
    );
  });
});
