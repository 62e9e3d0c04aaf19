import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { exampleArtefact } from '../pipeline/artefact/example-artefact.js';
import { run } from './fake-io.js';

const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-serve-'));
afterAll(() => rmSync(folder, { recursive: true }));
const artefact = path.join(folder, 'a.json');
writeFileSync(artefact, JSON.stringify(exampleArtefact()));

it.each([
  [['--host', '0.0.0.0', '--logits-only'], /--host 0\.0\.0\.0 lets other machines in: .*--token-env/],
  [['--token-env', 'NOT_THERE', '--logits-only'], /--token-env NOT_THERE: the environment has no such variable/],
  [['--upstream', 'file:///etc/passwd'], /--upstream file:.*: expected an address such as http:/],
  [['--artefact', artefact, '--logits-only'], /--artefact: chat\/quiz is given twice/],
  [['--model', 'a.gguf', '--model', 'b.gguf'], /--model: 2 files for 1 artefacts; give one, or as many/],
  [['--model', 'a.gguf', '--logits-only'], /--logits-only loads no model: leave --model out/],
  [['--port', '99999'], /expected a number up to 65535/],
])('serve %s is refused before anything is loaded', async (flags, message) => {
  const { code, stderr } = await run(['serve', '--artefact', artefact, ...flags]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
});

it('serve says where it listens, and ends with code 0 when it is told to', async () => {
  const { code, stdout } = await run(['serve', '--artefact', artefact, '--logits-only', '--port', '0', '--json'], {
    interrupted: true,
  });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    schemaVersion: 1,
    status: 'listening',
    artefacts: ['chat/quiz'],
    address: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
  });
});

it.each(['serve', 'worker'])(
  'the help of %s says what a supervisor starts, since npm ends without it',
  async (command) => {
    const { stdout } = await run([command, '--help']);
    expect(stdout.replace(/\s+/g, ' ')).toMatch(
      `supervisor start \`node dist/main.js ${command}\` or the installed \`supportcal ${command}\`: npm and npx end by SIGTERM`,
    );
  },
);
