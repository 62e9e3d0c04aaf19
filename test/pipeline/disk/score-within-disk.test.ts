import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { describeDoctor } from '../../../src/cli/describe/describe-doctor.js';
import type { Scorer } from '../../../src/contract/scorer.js';
import { doctor } from '../../../src/pipeline/doctor.js';
import { scoreStage } from '../../../src/pipeline/score-stage.js';
import type { PipelineEvents } from '../../../src/pipeline/workspace/pipeline-events.js';
import type { RunOptions } from '../../../src/pipeline/workspace/run-options.js';
import { HubServer } from '../../hub/hub-server.js';
import { wordProblems } from '../demo-workspace.js';
import { QUIZ, quizWorkspace } from '../quiz-workspace.js';
import { stubScorer } from '../stub-scorer.js';

const COMMIT = 'd'.repeat(40);
const MODELS = ['base', 'reference', 'target'] as const;
const never = new AbortController().signal;
const server = new HubServer();
let work: ReturnType<typeof project>;

beforeAll(async () => {
  await server.start();
  vi.stubEnv('HF_ENDPOINT', server.endpoint);
  vi.stubEnv('HF_HUB_CACHE', '/nonexistent');
  for (const model of MODELS)
    server.repositories.set(`o/${model}`, {
      revisions: { main: COMMIT },
      commits: { [COMMIT]: { [`${model}.gguf`]: readFileSync(quizWorkspace().demoModel(model)) } },
    });
});
beforeEach(() => {
  server.seen.length = 0;
  work = project();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await server.stop();
});

/** A suite of three models of the hub, whose files have about 2.36 MB each. */
function project(suites = '') {
  const workspace = quizWorkspace(wordProblems(8));
  workspace.writeModels(Object.fromEntries(MODELS.map((model) => [model, `hf:o/${model}/${model}.gguf`])));
  const yaml = readFileSync(workspace.file('models.yaml'), 'utf8');
  writeFileSync(workspace.file('models.yaml'), `${yaml}${suites}`);
  const hub = workspace.file('cache/hub');
  /** Model files in the folder of the hub, whole or not. */
  const files = () =>
    existsSync(hub)
      ? (readdirSync(hub, { recursive: true }) as string[]).filter((name) => /\.gguf(\.partial)?$/.test(name))
      : [];
  const bytes = () =>
    files().reduce((sum, name) => sum + (statSync(path.join(hub, name), { throwIfNoEntry: false })?.size ?? 0), 0);
  const labels = new Map(wordProblems(8).map(({ id }, n) => [id, n % 4]));
  const stub = stubScorer({ labels, options: 4, bases: ['base', 'reference'] });
  const seen = { scored: [] as string[], peak: 0 };
  const notePeak = () => {
    seen.peak = Math.max(seen.peak, bytes());
  };
  /** Scores; `onModel` is waited for before the rows of a model come. */
  const score = (more: Partial<RunOptions>, onModel: (model: string) => Promise<void> | void = () => {}) => {
    const scorer: Scorer = async (jobs, settings, events) => {
      for (const { model, place } of jobs) {
        seen.scored.push(model.id);
        expect(place.kind === 'gguf' && existsSync(place.path)).toBe(true);
        await onModel(model.id);
      }
      const outcomes = await stub(jobs, settings, events);
      notePeak();
      return outcomes;
    };
    const events: PipelineEvents = { onDownload: notePeak };
    return scoreStage({ ...workspace.options, ...more }, events, never, scorer);
  };
  return {
    ...workspace,
    files: () =>
      files()
        .map((name) => path.basename(name))
        .sort(),
    hub,
    bytes,
    seen,
    score,
  };
}

const failAll: Scorer = async (jobs) =>
  jobs.map(({ model }) => ({ kind: 'failed', model: model.id, reason: 'no memory' }) as const);
/** Where a download lies. */
const hubFile = (model: string) => {
  const names = readdirSync(work.hub, { recursive: true }) as string[];
  return path.join(work.hub, names.find((name) => name.endsWith(`/${model}.gguf`)) ?? '');
};
const fetched = () => server.requestsFor('.gguf').map(({ url }) => path.basename(url));
const size = (model: (typeof MODELS)[number]) => statSync(work.demoModel(model)).size;
/** The models, the largest first. */
const byBytes = () => [...MODELS].sort((a, b) => size(b) - size(a));

it('a budget of one file: largest first, each fetched after the one before was scored and removed; a rerun asks nobody', async () => {
  const disk = Math.max(...MODELS.map(size));
  const order = byBytes();
  const { status } = await work.score({ disk }, (model) => {
    // Nothing is fetched ahead, since nothing would fit.
    expect(fetched()).toEqual(order.slice(0, order.indexOf(model as never) + 1).map((each) => `${each}.gguf`));
  });
  expect([status, work.seen.scored]).toEqual(['complete', order]);
  expect([work.seen.peak <= disk, work.files()]).toEqual([true, [`${order[2]}.gguf`]]);
  server.seen.length = 0;
  const again = await work.score({ disk });
  expect([again.entries.map(({ state }) => state), server.seen]).toEqual([['cached', 'cached', 'cached'], []]);
});

it('a budget of two files: the next one comes while a model is scored, and the sum stays below', async () => {
  const [first, second, third] = byBytes() as [string, string, string];
  const disk = size('base') + size('reference') + size('target') - 1000;
  await work.score({ disk }, async (model) => {
    if (model === first)
      await vi.waitFor(() => expect(work.files()).toEqual([`${first}.gguf`, `${second}.gguf`].sort()));
    if (model === second)
      await vi.waitFor(() => expect(work.files()).toEqual([`${second}.gguf`, `${third}.gguf`].sort()));
  });
  expect(work.seen.scored).toEqual([first, second, third]);
  expect(work.seen.peak).toBeLessThanOrEqual(disk);
});

it('two runs over one cache: the budget holds for both together, and no file goes that is still to be scored', async () => {
  const disk = size(byBytes()[0]!);
  const both = await Promise.all([work.score({ disk }), work.score({ disk })]);
  expect(both.map(({ status }) => status)).toEqual(['complete', 'complete']);
  expect(work.seen.peak).toBeGreaterThan(0);
  expect(work.seen.peak).toBeLessThanOrEqual(disk);
  // `score` looks for the file of each model that is scored; each is fetched and scored once between them.
  expect([work.seen.scored, fetched().sort()]).toEqual([byBytes(), MODELS.map((model) => `${model}.gguf`)]);
});

it('removeAfterScoring removes each file without a budget; the finished suite is found without files, also offline', async () => {
  const models = work.file('models.yaml');
  writeFileSync(models, readFileSync(models, 'utf8').replace('s: {', 's: {removeAfterScoring: true, '));
  expect((await work.score({})).status).toBe('complete');
  expect(work.files()).toEqual([]);
  server.seen.length = 0;
  for (const offline of [false, true]) {
    const { status, entries } = await work.score({ offline });
    expect([status, entries.map(({ state }) => state)]).toEqual(['complete', ['cached', 'cached', 'cached']]);
  }
  expect([server.seen, work.files()]).toEqual([[], []]);
  const calibrated = await work.run('calibrate');
  expect([calibrated.code, server.seen]).toEqual([0, []]);
});

it('a budget below the largest file is refused before anything is fetched, with the least one that works', async () => {
  const least = Math.max(...MODELS.map(size));
  await expect(work.score({ disk: least - 1 })).rejects.toThrow(
    `--disk ${least - 1}B is too little for suite "s"; the least that works is --disk ${least}B`,
  );
  expect([fetched(), work.files()]).toEqual([[], []]);
  const flag = await work.run('score', '--disk', '100');
  expect([flag.code, flag.stderr]).toEqual([2, expect.stringMatching(/expected a size with its unit, such as 100GB/)]);
});

it('what another suite has still to score stays, counts, and goes once that suite is done', async () => {
  work = project('  other: {datasets: [quiz2], targets: [target], seeds: [1], methods: [vanilla, daca]}\n');
  writeFileSync(work.file('datasets/quiz2.yaml'), QUIZ.replace('Question:', 'Asked:'));
  const staying = size('base') + size('target');
  const largest = Math.max(...MODELS.map(size));
  await expect(work.score({ disk: staying - 1 })).rejects.toThrow(
    new RegExp(
      `least that works is --disk ${staying}B, .* \\(2 models for suite other\\).* with --keep-for none, ${largest}B would do`,
    ),
  );
  await expect(work.score({ disk: staying, keepFor: ['othr'] })).rejects.toThrow(
    /--keep-for: no suite "othr".*"other"/,
  );
  expect((await work.score({ disk: staying })).status).toBe('complete');
  expect([work.seen.scored[0], work.files()]).toEqual(['reference', ['base.gguf', 'target.gguf']]);
  // The other suite finds them here, and a run of the first one no longer has a reason to keep them.
  server.seen.length = 0;
  expect((await work.score({ suite: 'other' })).status).toBe('complete');
  expect(fetched()).toEqual([]);
  await work.score({ disk: 1 });
  expect(work.files()).toEqual([]);
});

it('--keep-for names the suites whose files stay; with none of them the largest file alone is room enough', async () => {
  work = project('  other: {datasets: [quiz2], targets: [target], seeds: [1], methods: [vanilla, daca]}\n');
  writeFileSync(work.file('datasets/quiz2.yaml'), QUIZ.replace('Question:', 'Asked:'));
  const disk = Math.max(...MODELS.map(size));
  expect((await work.score({ disk, keepFor: [] })).status).toBe('complete');
  expect([work.seen.peak <= disk, work.files().length]).toEqual([true, 1]);
  const flagged = await work.run('score', '--disk', '1KB', '--keep-for', 'none');
  expect([flagged.code, work.files()]).toEqual([0, []]);
});

it('a file that the user put there, or touched, is never removed', async () => {
  const models = work.file('models.yaml');
  // The first run looks up where files belong, and fetches them all.
  await work.score({});
  const own = hubFile('target');
  rmSync(own);
  copyFileSync(work.demoModel('target'), own);
  writeFileSync(hubFile('base'), readFileSync(work.demoModel('base')));
  writeFileSync(models, readFileSync(models, 'utf8').replace('s: {', 's: {removeAfterScoring: true, '));
  expect((await work.score({ disk: 1 })).status).toBe('complete');
  expect(work.files()).toEqual(['base.gguf', 'target.gguf']);
});

it('a run that ends in the middle keeps the file of its model; the next one begins with what is here and a broken download', async () => {
  const [first, second, third] = byBytes() as [string, string, string];
  const disk = size('base') + size('reference') + size('target') - 1000;
  server.mischief.set(`${second}.gguf`, [{ cutAfter: 1_000_000 }, { status: 403 }]);
  const stopped = work.score({ disk }, async (model) => {
    if (model !== first) return;
    await vi.waitFor(() => expect(work.files()).toContain(`${second}.gguf.partial`));
    throw new Error('killed');
  });
  await expect(stopped).rejects.toThrow('killed');
  server.mischief.clear();
  expect(work.files()).toContain(`${first}.gguf`);
  work.seen.scored.length = 0;
  expect((await work.score({ disk })).status).toBe('complete');
  expect([work.seen.scored, work.seen.peak <= disk]).toEqual([[first, second, third], true]);
  // What had come of the second one was taken up.
  expect(server.requestsFor(`${second}.gguf`).at(-1)?.headers.range).toMatch(/^bytes=\d+-$/);
});

it('a run that fails while the next file waits for room ends at once, and leaves no wait behind', async () => {
  const disk = Math.max(...MODELS.map(size));
  const stopped = work.score({ disk }, () => {
    throw new Error('killed');
  });
  await expect(stopped).rejects.toThrow('killed');
  expect(work.files()).toEqual([`${byBytes()[0]}.gguf`]);
});

it('a model that fails keeps its file; those that no longer fit fail with that as their reason', async () => {
  const [first, second, third] = byBytes() as [string, string, string];
  const disk = size(first as 'base');
  const { status, entries } = await scoreStage({ ...work.options, disk }, {}, never, failAll);
  const reasons = new Map(entries.map(({ model, reason }) => [model, reason]));
  expect([status, reasons.get(first)]).toEqual(['failed', 'no memory']);
  for (const model of [second, third]) expect(reasons.get(model)).toMatch(/no room for its file under --disk/);
  expect(work.files()).toEqual([`${first}.gguf`]);
});

it('doctor says order, peak and hours under the budget, what is too little, and fetches nothing', async () => {
  const probe = async () => ({ ok: true, device: 'a cpu' }) as const;
  await scoreStage({ ...work.options, modelIds: ['reference'] }, {}, never, failAll);
  server.seen.length = 0;
  // The other two were never looked up: their sizes are estimated from what models.yaml says of them, which is nothing.
  const { disk, problems } = await doctor({ ...work.options, disk: 3e6 }, { probe });
  const here = { models: ['reference'], bytes: size('reference'), toFetch: 0, keeps: 0, fetchedAt: null };
  expect(disk).toMatchObject({ budget: 3e6, least: 0, peak: size('reference'), here: size('reference') });
  expect([disk?.steps[0], disk?.unknown]).toMatchObject([here, ['base', 'target']]);
  expect(problems).toEqual([]);
  await work.score({});
  rmSync(path.dirname(path.dirname(hubFile('target'))), { recursive: true });
  const report = await doctor({ ...work.options, disk: size('target') - 1 }, { probe });
  expect(report.problems).toEqual([expect.stringMatching(`least that works is --disk ${size('target')}B`)]);
  const fitting = await doctor({ ...work.options, disk: size('target') }, { probe });
  expect(fitting.disk?.steps.at(-1)).toMatchObject({ models: ['target'], toFetch: size('target') });
  expect(fitting.disk?.hours).toBeGreaterThan(0);
  expect(describeDoctor(fitting).join('\n')).toMatch(/^target +0\.002 GB +0\.002 GB +0\.000 GB +~\d+ s +~\d+ s$/m);
  expect((await doctor(work.options, { probe })).disk).toBeNull();
});
