import { afterAll, describe, expect, it, vi } from 'vitest';
import { raggedRows } from '../../../src/numeric/ragged-rows.js';
import { seededGenerator } from '../../../src/numeric/random/seeded-generator.js';
import { type RefitWork, refitTarget } from '../../../src/pipeline/calibrate/refit-shares.js';
import { joinParts, splitParts } from '../../../src/pipeline/calibrate/split-parts.js';
import {
  finishTarget,
  openThreads,
  queueTarget,
  type SplitThreads,
} from '../../../src/pipeline/calibrate/split-threads.js';
import {
  prepareCalibration,
  prepareRuns,
  splitRuns,
  type TargetJob,
} from '../../../src/pipeline/calibrate/target-runs.js';

const COUNT = 400;

/** A target, its own base and three references on questions of three to five options, some without a label. */
function job(keepExamples: boolean): TargetJob {
  const generator = seededGenerator(5);
  const random = () => (generator.next() >>> 0) / 2 ** 32;
  const model = (sharpness: number) =>
    raggedRows(
      Array.from({ length: COUNT }, (_, n) => Array.from({ length: 3 + (n % 3) }, () => sharpness * (random() - 0.5))),
    );
  const rows = Int32Array.from({ length: COUNT }, (_, n) => n);
  return {
    suite: {
      methods: ['vanilla', 'daca', 'full-kl', 'supportcal', 'own-base-average', 'oracle-ts'],
      combinationMethods: ['supportcal'],
      ownMethods: [],
      elicitation: { samples: 5, temperature: 0.7, aggregator: 'avg-conf', minimumCoverage: 0 } as never,
      binning: { bins: 10, binEdges: 'equal-width', edgeRule: 'left-owned' },
    },
    dataset: 'd',
    target: 't',
    ownBase: 'b',
    aligned: {
      targetLogits: model(12),
      ownBaseLogits: model(3),
      references: ['r1', 'r2', 'r3'].map((id) => ({ id, logits: model(3) })),
      labels: rows.map((n) => (n % 11 === 0 ? -1 : n % 3)),
    },
    keepExamples,
    asked: { inputs: { rotationLogits: null }, ways: [] },
    combinationSizes: [1, 2],
    splits: [1, 2, 3, 4, 5].map((seed) => ({
      seed,
      calibration: rows.filter((n) => (7 * n + seed) % 10 < 3),
      evaluation: rows.filter((n) => (7 * n + seed) % 10 >= 3),
    })),
  };
}

const spread = (job: TargetJob, threads?: SplitThreads) => finishTarget(queueTarget(job, threads));

describe('a target in the queue of threads', () => {
  const opened: SplitThreads[] = [];
  const threads = (count: number) => {
    opened.push(openThreads(count));
    return opened.at(-1)!;
  };
  afterAll(() => Promise.all(opened.map((each) => each.close())));

  it('gives the same bits whatever the number of threads', async () => {
    const alone = await spread(job(true));
    expect(alone).toHaveLength(5);
    expect(alone[4]!.runs.map(({ seed, method }) => [seed, method])).toContainEqual([5, 'supportcal']);
    const byThree = await spread(job(true), threads(2));
    expect(byThree).toEqual(alone);
    const next = new Int32Array(new SharedArrayBuffer(4));
    const [helper] = threads(1).helpers;
    const parts = splitParts(job(true), 2);
    const helped = await helper!.help({ job: job(true), parts, next });
    expect(parts).toEqual([0, 1, 2, 3, 4].map((split) => ({ split, methods: null })));
    expect(alone.map((_, split) => helped.get(split))).toEqual(alone);
  });

  it('divides the splits of many examples that do not go round, to the same bits', () => {
    const small = job(true);
    const many = { ...small, aligned: { ...small.aligned, labels: { length: 1_000_000 } as Int32Array } };
    const parts = splitParts(many, 3);
    const divided = [
      ['vanilla', 'supportcal'],
      ['daca', 'own-base-average'],
      ['full-kl', 'oracle-ts'],
    ];
    expect(parts.map(({ split, methods }) => [split, methods])).toEqual([
      ...[0, 1, 2].map((split) => [split, null]),
      ...[3, 4].flatMap((split) => divided.map((methods) => [split, methods])),
    ]);
    expect(splitParts(many, 5).every(({ methods }) => methods === null)).toBe(true);
    const prepared = prepareRuns(small);
    const whole = small.splits.map((split) => splitRuns(small, prepared, split));
    const done = parts.map(({ split, methods }) => splitRuns(small, prepared, small.splits[split]!, methods));
    expect(joinParts(small, parts, done)).toEqual(whole);
  });

  it('is prepared once, in memory that its threads share', () => {
    const { job: queued } = queueTarget(job(false), threads(1));
    const { gaps, teacher, labels, supports } = queued.prepared!;
    for (const { buffer } of [gaps.values, teacher.margins, labels!.margins, ...supports])
      expect(buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(labels!.widths).toBe(teacher.widths);
    expect(queued.prepared).toEqual(prepareCalibration(job(false)).examples);
  });

  it('takes one target after the other with the same threads', async () => {
    const two = threads(1);
    const first = await spread(job(false), two);
    const second = await spread(job(false), two);
    expect(second.map(({ runs }) => runs)).toEqual(first.map(({ runs }) => runs));
  });

  it('is begun by a thread while the one before it is in hand', async () => {
    const two = threads(1);
    const [first, second] = [queueTarget(job(true), two), queueTarget({ ...job(true), target: 'u' }, two)];
    const [ofFirst] = await first.helped;
    const [ofSecond] = await second.helped;
    expect(
      [...ofFirst!.values(), ...ofSecond!.values()].flatMap(({ runs }) => runs.map(({ target }) => target)),
    ).toEqual([...Array(35).fill('t'), ...Array(35).fill('u')]);
    const alone = await spread({ ...job(true), target: 'u' });
    expect(await finishTarget(second)).toEqual(alone);
  });

  it('gives the same bits by a thread that rehearsed, and by one that was started later', async () => {
    const alone = await spread(job(true));
    const early = openThreads(1, job(true).suite);
    opened.push(early);
    expect(await spread(job(true), early)).toEqual(alone);
    expect(early.resize(2).helpers).toHaveLength(2);
    expect(await spread(job(true), early)).toEqual(alone);
    expect(early.resize(0).helpers).toHaveLength(0);
    expect(await spread(job(true), early)).toEqual(alone);
  });

  it('raises the fault of a split as it would without threads', async () => {
    const broken = { ...job(false), aligned: { ...job(false).aligned, labels: new Int32Array(COUNT).fill(9) } };
    await expect(spread(broken, threads(1))).rejects.toMatchObject({ code: 'bad-input' });
  });

  it('does the splits of a thread that died', async () => {
    const dead = threads(1);
    await dead.close();
    const done = await spread(job(false), dead);
    expect(done.map(({ runs }) => runs.length)).toEqual([7, 7, 7, 7, 7]);
  });
});

describe('the refits of a target on resamples', () => {
  const threads = openThreads(2);
  afterAll(() => threads.close());
  /** Enough row visits for handing methods to threads. */
  const work = (labels?: Int32Array): RefitWork => {
    const plain = job(false);
    return {
      job: labels === undefined ? plain : { ...plain, aligned: { ...plain.aligned, labels } },
      certain: null,
      design: {
        clusters: Int32Array.from({ length: COUNT }, (_, n) => n >> 1),
        clusterCount: COUNT / 2,
        calibrationFraction: 0.3,
        splits: 5,
        resamples: 1000,
        seed: 3,
      },
    };
  };
  const refitted = (given: RefitWork, by?: SplitThreads) =>
    refitTarget(given, prepareCalibration(given.job), by?.helpers);

  it('are the same to the bit, in the order of the suite, whatever the number of threads', async () => {
    const alone = await refitted(work());
    expect(alone.map(({ method, combinationSize }) => [method, combinationSize])).toEqual([
      ['vanilla', null],
      ['daca', null],
      ['full-kl', null],
      ['supportcal', 1],
      ['supportcal', 2],
      ['oracle-ts', null],
      ['own-base-average', null],
    ]);
    const asked = vi.spyOn(threads.helpers[0]!, 'refit');
    expect(await refitted(work(), threads)).toEqual(alone);
    expect(asked.mock.calls.map(([{ part, of }]) => [part, of])).toEqual([[1, 3]]);
  });

  it('of a thread that died are done here', async () => {
    const dead = openThreads(1);
    await dead.close();
    const few = { ...work(), design: { ...work().design, resamples: 800 } };
    expect(await refitted(few, dead)).toEqual(await refitted(few));
  });
});
