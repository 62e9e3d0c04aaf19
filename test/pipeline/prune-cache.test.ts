import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { tryLockEntry } from '../../src/cache/lock/entry-lock.js';
import { pruneCache } from '../../src/pipeline/prune-cache.js';
import { temporaryFolder } from '../files/temporary-folder.js';
import { fillCache } from './filled-cache.js';
import { quizWorkspace } from './quiz-workspace.js';

const LONG_AGO = new Date(Date.now() - 7_200_000);

async function filled() {
  const workspace = quizWorkspace();
  const names = await fillCache(workspace.options);
  const prune = (remove = true) => pruneCache({ ...workspace.options, remove });
  const inCache = (name: string) => workspace.file(`cache/${name}`);
  return { ...workspace, names, prune, inCache };
}

/** Name of each entry and why it goes. */
const reasonsOf = ({ entries }: Awaited<ReturnType<typeof pruneCache>>) =>
  entries.map(({ entry, reason }) => [entry.key?.model ?? entry.name, reason]);

describe('pruning the cache', () => {
  it.each(['cpu', 'cuda', 'vulkan', 'metal'] as const)('keeps what a suite refers to on %s', async (backend) => {
    const { options } = quizWorkspace();
    const models = readFileSync(options.models, 'utf8');
    writeFileSync(options.models, models.replace('{datasets: [quiz]', '{methods: [vanilla, cape], datasets: [quiz]'));
    const names = await fillCache(options, backend);
    // The rotated options of the target have an entry of their own.
    expect(names.length).toBeGreaterThan(new Set(names.map((name) => name.split('--')[0])).size);
    expect(await pruneCache({ ...options, remove: true })).toEqual({ entries: [], leftOvers: [], kept: names.length });
  });

  it('keeps the replies that a suite asks for, and removes them when none does any more', async () => {
    const { options } = quizWorkspace();
    const models = readFileSync(options.models, 'utf8');
    const asking = models.replace(
      '{datasets: [quiz]',
      '{methods: [vanilla, elicitation, elicitation-ensemble], datasets: [quiz]',
    );
    writeFileSync(options.models, asking);
    const names = await fillCache(options);
    const replies = names.filter((name) => name.includes('--elicitation'));
    expect(replies).toHaveLength(2);
    expect(await pruneCache({ ...options, remove: true })).toMatchObject({ entries: [], kept: names.length });
    writeFileSync(options.models, models);
    const { entries } = await pruneCache({ ...options, remove: true });
    expect(entries.map(({ entry, removed }) => [entry.name, removed])).toEqual(replies.map((name) => [name, true]));
  });

  it('only says what it would remove until it is told to', async () => {
    const { names, prune, options, inCache } = await filled();
    const limited = await fillCache({ ...options, limit: 5 });
    const before = readdirSync(options.cache);
    const shown = await prune(false);
    expect(shown.entries.map(({ entry, removed }) => [entry.name, removed])).toEqual(
      limited.map((name) => [name, false]),
    );
    expect(shown.entries[0]!.reason).toMatch(/other rows \(the data set has changed, or --limit\)/);
    expect(readdirSync(options.cache)).toEqual(before);
    expect((await prune()).entries.every(({ removed }) => removed)).toBe(true);
    for (const name of limited) expect(existsSync(inCache(`${name}.arrow`))).toBe(false);
    for (const name of names) expect(existsSync(inCache(`${name}.json`))).toBe(true);
    expect(readdirSync(options.cache).filter((name) => /lock|owner/.test(name))).toEqual([]);
  });

  it('names what has changed: model file, prompts, suite', async () => {
    const { prune, file, writeModels, demoModel } = await filled();
    writeModels({ target: demoModel('base') });
    expect(reasonsOf(await prune(false))).toEqual([['target', 'the model file has changed']]);
    writeModels();
    const yaml = readFileSync(file('datasets/quiz.yaml'), 'utf8');
    writeFileSync(file('datasets/quiz.yaml'), yaml.replace('Answer:', 'Reply:'));
    expect(reasonsOf(await prune(false))).toEqual(['base', 'reference', 'target'].map((id) => [id, 'other prompts']));
    writeFileSync(file('datasets/quiz.yaml'), yaml);
    const models = readFileSync(file('models.yaml'), 'utf8');
    writeFileSync(
      file('models.yaml'),
      models.replace(
        '{datasets: [quiz]',
        '{targets: [target], methods: [vanilla], references: [base], datasets: [quiz]',
      ),
    );
    expect(reasonsOf(await prune(false))).toEqual([
      ['reference', 'no suite uses model "reference" on data set "quiz"'],
    ]);
  });

  it('keeps the scores of a model whose file cannot be read now', async () => {
    const { prune, writeModels } = await filled();
    writeModels({ target: '/nowhere/model.gguf' });
    expect((await prune()).entries).toEqual([]);
  });

  it('removes nothing when a suite cannot be read', async () => {
    const { prune, options, file } = await filled();
    writeFileSync(file('datasets/quiz.yaml'), 'source: [');
    const before = readdirSync(options.cache);
    await expect(prune()).rejects.toMatchObject({ code: 'bad-input' });
    expect(readdirSync(options.cache)).toEqual(before);
  });

  it('leaves an entry alone while a run holds it', async () => {
    const { prune, options, inCache } = await filled();
    const [name] = await fillCache({ ...options, limit: 5 });
    const lock = (await tryLockEntry(inCache(name!)))!;
    const held = (await prune()).entries.map(({ entry, removed, inUse }) => [entry.name === name, removed, inUse]);
    expect(held).toEqual([
      [true, false, true],
      [false, true, false],
      [false, true, false],
    ]);
    expect(existsSync(inCache(`${name}.arrow`))).toBe(true);
    await lock.release();
    expect((await prune()).entries.map(({ removed }) => removed)).toEqual([true]);
  });

  it('keeps a damaged entry whose name a suite refers to, and removes any other', async () => {
    const { prune, names, options, inCache } = await filled();
    const [limited] = await fillCache({ ...options, limit: 5 });
    for (const name of [names[0]!, limited!]) writeFileSync(inCache(`${name}.json`), '{');
    const { entries } = await prune();
    expect(entries.map(({ entry }) => entry.name)).toContain(limited);
    expect(entries).toHaveLength(3);
    expect(existsSync(inCache(`${names[0]}.json`))).toBe(true);
  });

  it('never follows a link out of the cache folder and touches no file of another name', async () => {
    const { prune, options, inCache } = await filled();
    const elsewhere = temporaryFolder();
    writeFileSync(path.join(elsewhere, 'mine.txt'), 'mine');
    const [name] = await fillCache({ ...options, limit: 5 });
    symlinkSync(elsewhere, inCache(`${name}.parts`));
    writeFileSync(inCache('notes.txt'), 'mine');
    symlinkSync(path.join(elsewhere, 'mine.txt'), inCache('ghost--x-0123456789ab.arrow'));
    await prune();
    expect(existsSync(inCache(`${name}.parts`))).toBe(false);
    expect(existsSync(inCache('ghost--x-0123456789ab.arrow'))).toBe(false);
    expect(readFileSync(path.join(elsewhere, 'mine.txt'), 'utf8')).toBe('mine');
    expect(existsSync(inCache('notes.txt'))).toBe(true);
  });

  it('removes what killed runs left, but not the files of a run that is alive', async () => {
    const { prune, names, options, inCache } = await filled();
    const old = [`.${names[0]}.json.99-0123456789ab.tmp`, '.model-files.json.7-0123456789ab.tmp'];
    for (const name of old) writeFileSync(inCache(name), 'half');
    mkdirSync(inCache(`${names[1]}.takeover.lock`));
    old.push(`${names[1]}.takeover.lock`);
    for (const name of old) utimesSync(inCache(name), LONG_AGO, LONG_AGO);
    cpSync(inCache(`${names[0]}.arrow`), inCache(`${names[0]}.0123456789ab.arrow`));
    const young = `.${names[0]}.json.99-ba9876543210.tmp`;
    writeFileSync(inCache(young), 'being written');
    const { leftOvers, entries } = await prune();
    expect(entries).toEqual([]);
    expect(leftOvers.map(({ file }) => path.basename(file)).sort()).toEqual(
      [...old, `${names[0]}.0123456789ab.arrow`].sort(),
    );
    expect(readdirSync(options.cache).filter((name) => /tmp|lock|0123456789ab/.test(name))).toEqual([young]);
  });

  it('of a folder that is not there finds nothing', async () => {
    const { options } = quizWorkspace();
    expect(await pruneCache({ ...options, remove: true })).toEqual({ entries: [], leftOvers: [], kept: 0 });
    expect(existsSync(options.cache)).toBe(false);
  });
});
