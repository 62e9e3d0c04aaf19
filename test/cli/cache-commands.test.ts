import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fillCache } from '../pipeline/filled-cache.js';
import { quizWorkspace } from '../pipeline/quiz-workspace.js';
import { run } from './fake-io.js';

async function filled() {
  const workspace = quizWorkspace();
  const names = await fillCache(workspace.options);
  const { cache, models, datasets } = workspace.options;
  const command = (name: string, ...flags: string[]) => run(['cache', name, '--cache', cache, ...flags]);
  const prune = (...flags: string[]) => command('prune', '--models', models, '--datasets', datasets, ...flags);
  return { ...workspace, names, command, prune };
}

describe('supportcal cache ls', () => {
  it('shows model, data set, rows, size and age of every entry', async () => {
    const { command } = await filled();
    const { code, stdout, stderr } = await command('ls');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^model +data set +variant +asked +from +state +rows +failed +size +age$/m);
    expect(stdout).toMatch(/^target +quiz +- +letter +cpu +complete +12 +2 +\d+\.\d KiB +\d+ s$/m);
    expect(stdout).toMatch(/^3 entries, 36 rows, /m);
  });

  it('prints one JSON document with --json', async () => {
    const { command, names } = await filled();
    const { entries, ...rest } = JSON.parse((await command('ls', '--json')).stdout);
    expect(rest).toMatchObject({ schemaVersion: 1, status: 'complete' });
    expect(entries.map((entry: { name: string }) => entry.name)).toEqual(names);
    const expected = {
      model: 'base',
      dataset: 'quiz',
      variant: null,
      asked: 'letter',
      from: 'cpu',
      state: 'complete',
      rows: 12,
      failed: 2,
    };
    expect(entries[0]).toMatchObject({
      ...expected,
      ageSeconds: expect.any(Number),
      bytes: expect.any(Number),
      damaged: [],
    });
  });

  it('of an empty or missing folder says so with code 0', async () => {
    const { code, stdout } = await run(['cache', 'ls', '--cache', '/nowhere/at/all']);
    expect([code, stdout]).toEqual([0, 'no entries in /nowhere/at/all\n']);
  });
});

describe('supportcal cache verify', () => {
  it('ends with code 0 when every byte is as it was written', async () => {
    const { code, stdout } = await (await filled()).command('verify');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^3 of 3 entries in .* are sound\n$/)]);
  });

  it('ends with code 3, names each damaged file and says what to do', async () => {
    const { command, file, names } = await filled();
    const arrow = file(`cache/${names[0]}.arrow`);
    const bytes = readFileSync(arrow);
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(arrow, bytes);
    writeFileSync(file(`cache/${names[2]}.json`), '{"cut');
    const { code, stdout } = await command('verify');
    expect(code).toBe(3);
    expect(stdout).toMatch(`${arrow}: the file does not match its checksum; the next run of its suite scores it again`);
    expect(stdout).toMatch(`${names[2]}.json: the manifest is cut or no JSON; the next run`);
    expect(stdout).toMatch(/^1 of 3 entries/m);
    const json = JSON.parse((await command('verify', '--json')).stdout);
    expect(json).toMatchObject({
      status: 'failed',
      entries: 3,
      sound: 1,
      damaged: [{ entry: names[0], file: arrow }, {}],
    });
  });
});

describe('supportcal cache prune', () => {
  it('shows what it would remove, and removes it after --yes', async () => {
    const { prune, command, options } = await filled();
    await fillCache({ ...options, limit: 5 });
    const shown = await prune();
    expect(shown.stdout).toMatch(
      /would remove 3 entries \(.*\) and 0 left-over files; 3 entries stay\nnothing was removed; add --yes/,
    );
    expect(JSON.parse((await command('ls', '--json')).stdout).entries).toHaveLength(6);
    expect(await prune('--yes')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^removed 3 entries/m) });
    expect(JSON.parse((await prune('--json')).stdout)).toMatchObject({ dryRun: true, entries: [], kept: 3 });
  });

  it('ends with code 3 and removes nothing when models.yaml cannot be read', async () => {
    const { prune, options } = await filled();
    writeFileSync(options.models, 'models: [');
    expect(await prune('--yes')).toMatchObject({ code: 3 });
  });
});

describe('exit code 2', () => {
  it.each([[['cache']], [['cache', 'frobnicate']], [['cache', 'ls', '--bogus']]])('is for %j', async (argv) => {
    expect(await run(argv)).toMatchObject({ code: 2, stdout: '' });
  });
});
