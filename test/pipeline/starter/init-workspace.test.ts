import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { run } from '../../cli/fake-io.js';

const root = mkdtempSync(path.join(tmpdir(), 'supportcal-init-'));
afterAll(() => rmSync(root, { recursive: true }));

describe('supportcal init', () => {
  it('writes files that validate', async () => {
    const folder = path.join(root, 'fresh');
    expect(await run(['init', folder])).toMatchObject({ code: 0, stderr: '' });
    const at = (name: string) => path.join(folder, name);
    const flags = ['--models', at('models.yaml'), '--datasets', at('datasets'), '--cache', at('cache'), '--offline'];
    const { code, stdout } = await run(['validate', '--json', ...flags]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      suite: 'mine',
      datasets: [{ dataset: 'my-quiz', rows: 4, unlabelled: 0 }],
    });
    const { estimate, longestPrompts } = JSON.parse(stdout);
    expect([estimate.models.length, longestPrompts, estimate.models[0].tokens > 0]).toEqual([3, {}, true]);
    expect(readFileSync(at('models.yaml'), 'utf8')).toMatch(
      /^# yaml-language-server: \$schema=schemas\/models\.schema\.json\n/,
    );
    expect(JSON.parse(readFileSync(at('schemas/models.schema.json'), 'utf8')).properties).toHaveProperty('suites');
  });

  it('ends with a command that works from where it was called', async () => {
    const folder = path.join(root, 'été 1');
    const { stdout } = await run(['init', folder]);
    expect(stdout).toContain(
      `next: supportcal validate --models '${folder}/models.yaml' --datasets '${folder}/datasets'\n`,
    );
    const named = ['--models', `${folder}/models.yaml`, '--datasets', `${folder}/datasets`];
    const flags = [...named, '--cache', path.join(folder, 'cache'), '--offline', '--gpu', 'off', '--json'];
    for (const command of ['validate', 'ls']) expect(await run([command, ...flags])).toMatchObject({ code: 0 });
    const text = (await run(['validate', ...flags.slice(0, -1)])).stdout;
    expect(text).toMatch(/^ {2}model +tokens +written +longest prompt +time$/m);
    expect(text).toMatch(/^ {2}qwen-0\.5b +~\d+ +0 +~\d+ tokens +~\d+ s$/m);
    // Sizes are known before any file is here.
    const { estimate } = JSON.parse((await run(['doctor', ...flags, '--suite', 'mine'])).stdout);
    expect([estimate.download.files, estimate.download.unknown, estimate.hours > 0]).toEqual([3, 0, true]);
  });

  it('replaces nothing: one file that is there stops it before it writes', async () => {
    const folder = path.join(root, 'used');
    await run(['init', folder]);
    rmSync(path.join(folder, 'datasets'), { recursive: true });
    writeFileSync(path.join(folder, 'models.yaml'), 'mine\n');
    const { code, stderr } = await run(['init', folder]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/models\.yaml: is there already/)]);
    expect(readFileSync(path.join(folder, 'models.yaml'), 'utf8')).toBe('mine\n');
    expect(() => readFileSync(path.join(folder, 'datasets/my-quiz.yaml'))).toThrow();
  });
});
