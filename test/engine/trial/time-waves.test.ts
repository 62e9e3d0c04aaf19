import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EvaluationContext } from '../../../src/engine/protocol/backend.js';
import { timeWaves } from '../../../src/engine/trial/time-waves.js';

const TOKENS = 20;
const ROWS = 10;
/** Seconds that a batch takes of a card that does nothing else. */
const BATCH = 0.18;

/** A card whose clock only the test moves: how long each of the batches that are under way takes at a moment. */
interface Card {
  readonly passes: (running: number) => number;
  /** One batch at a time, first come, first served. */
  readonly inTurn?: boolean;
}

/** All batches that are under way share the card evenly; `passes` is how much of one they get done in its own time. */
class Simulation {
  readonly #card: Card;
  #now = 0;
  #running: { left: number; done: () => void }[] = [];

  constructor(card: Card) {
    this.#card = card;
  }

  batch(seconds: number): Promise<void> {
    return new Promise((done) => {
      this.#running.push({ left: seconds, done });
    });
  }

  /** Goes on to the next end of a batch; false: nothing is under way. */
  step(): boolean {
    const served = this.#card.inTurn === true ? this.#running.slice(0, 1) : this.#running;
    if (served.length === 0) return false;
    const speed = this.#card.passes(served.length) / served.length;
    const least = Math.min(...served.map(({ left }) => left));
    this.#now += (1000 * least) / speed;
    for (const each of served) each.left -= least;
    const ended = served.filter(({ left }) => left <= 1e-12);
    this.#running = this.#running.filter((each) => !ended.includes(each));
    for (const { done } of ended) done();
    return true;
  }

  now = (): number => this.#now;
}

const BATCHES = 480;

interface Asked {
  readonly contexts: number;
  readonly batch?: number;
  /** Tokens of the prompt of a number. */
  readonly lengthOf?: (n: number) => number;
}

/** The time that a trial tells for all prompts, over the time that a run of hundreds of batches takes. */
async function toldOverTrue(card: Card, { contexts, batch = BATCH, lengthOf = () => TOKENS }: Asked): Promise<number> {
  const simulation = new Simulation(card);
  vi.spyOn(performance, 'now').mockImplementation(simulation.now);
  const secondsOf = (rows: readonly { readonly tokens: { readonly length: number } }[]) =>
    (batch * rows.reduce((sum, { tokens }) => sum + tokens.length, 0)) / (ROWS * TOKENS);
  const context = (): EvaluationContext =>
    ({
      sequences: ROWS,
      batchSize: 100_000,
      tokensPerSequence: 100,
      evaluate: async (rows: readonly { readonly tokens: readonly number[] }[]) => {
        await simulation.batch(secondsOf(rows));
        return rows.map(() => ({ kind: 'logits', logits: [1, 2], maxLogit: 2, totalWeight: 3 }));
      },
    }) as unknown as EvaluationContext;
  const prompts = Array.from({ length: BATCHES * ROWS }, (_, n) => ({
    kind: 'ok' as const,
    id: String(n),
    tokens: new Uint32Array(lengthOf(n)),
    optionIds: [1, 2],
  }));
  let told: number | undefined;
  const trial = timeWaves({
    encoded: { jobs: [prompts], shared: [[]], longest: TOKENS },
    contexts: [context(), ...Array.from({ length: contexts - 1 }, context)],
    trainContextSize: 1000,
    otherOrders: [],
    maxFailedShare: 1,
    ms: 1500,
    stopped: () => false,
    onAlive: () => {},
  }).then(({ seconds }) => {
    told = seconds;
  });
  // What is resolved goes on in microtasks: some turns of the loop, and the next batch ends.
  while (told === undefined) {
    await new Promise((turn) => setImmediate(turn));
    if (told === undefined) simulation.step();
  }
  await trial;
  return told / (secondsOf(prompts) / card.passes(card.inTurn === true ? 1 : contexts));
}

describe('timeWaves', () => {
  beforeEach(() => void vi.restoreAllMocks());
  afterEach(() => void vi.restoreAllMocks());

  const CONTEXTS = [1, 2, 3, 4, 6, 8];
  it.each(CONTEXTS)('tells no gain of %i contexts that a card serves one after the other', async (contexts) => {
    for (const batch of [0.02, BATCH, 1.4, 5]) {
      expect(await toldOverTrue({ passes: () => 1, inTurn: true }, { contexts, batch })).toBeCloseTo(1, 6);
    }
  });

  it.each(CONTEXTS)(
    'tells what %i contexts gain that share a card evenly, busy by one or by three',
    async (contexts) => {
      for (const passes of [() => 1, (running: number) => Math.min(running, 3) ** 0.3, (running: number) => running]) {
        for (const batch of [0.02, BATCH, 1.4, 5])
          expect(await toldOverTrue({ passes }, { contexts, batch })).toBeCloseTo(1, 6);
      }
    },
  );

  it.each(CONTEXTS)(
    'tells within a few percent what %i contexts take for batches of other lengths',
    async (contexts) => {
      const lengthOf = (n: number) => 10 + (n % 29);
      for (const card of [
        { passes: () => 1, inTurn: true },
        { passes: (running: number) => Math.min(running, 3) ** 0.3 },
      ]) {
        const ratio = await toldOverTrue(card, { contexts, batch: 0.1, lengthOf });
        expect(Math.abs(ratio - 1)).toBeLessThan(0.06);
      }
    },
  );
});
