import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ReplyRequest } from '../../../src/contract/prompt.js';
import type { EncodedPrompt } from '../../../src/engine/encode/encoded-prompt.js';
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
const KEPT = 6;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** What a context of the simulation is asked for, as far as it takes time. */
interface Row {
  readonly tokens: { readonly length: number; readonly [n: number]: number };
  readonly samples?: readonly { readonly seed: number }[];
  readonly maxTokens?: number;
}

interface Asked {
  readonly contexts: number;
  readonly batch?: number;
  /** Tokens of the prompt of a number. */
  readonly lengthOf?: (n: number) => number;
  /** Data sets, of which each has a beginning that contexts keep, the last one largest; absent: one without. */
  readonly beginnings?: number;
  /** Replies to each prompt, and the tokens of one by its seed; absent: letters. */
  readonly replies?: { readonly count: number; readonly tokens: (seed: number) => number };
}

/** What a trial tells over the time that a run of hundreds of batches takes, and the batches that it evaluated. */
async function trialOn(
  card: Card,
  { contexts, batch = BATCH, lengthOf = () => TOKENS, beginnings = 0, replies }: Asked,
) {
  const simulation = new Simulation(card);
  vi.spyOn(performance, 'now').mockImplementation(simulation.now);
  let batches = 0;
  const begun = new Set<number>();
  const lengths = (rows: readonly Row[]) =>
    rows.map(({ samples = [], maxTokens = 0 }) =>
      samples.map(({ seed }) => Math.min(maxTokens, replies?.tokens(seed) ?? 0)),
    );
  /** Prompts by their tokens, then a pass for each token of the longest reply, one reply of all after the other. */
  const secondsOf = (rows: readonly Row[]) => {
    const written = lengths(rows);
    const passes = (written[0] ?? []).map((_, sample) => Math.max(...written.map((each) => each[sample] ?? 0)));
    const prompts = rows.reduce((sum, { tokens }) => sum + tokens.length, 0) / (ROWS * TOKENS);
    return batch * (prompts + passes.reduce((sum, each) => sum + each, 0) / 20);
  };
  const serve = async (rows: readonly Row[]) => {
    batches++;
    begun.add(rows[0]?.tokens[0] ?? 0);
    await simulation.batch(secondsOf(rows));
  };
  const context = (): EvaluationContext =>
    ({
      sequences: ROWS,
      batchSize: 100_000,
      tokensPerSequence: 100,
      fills: true,
      evaluate: async (rows: readonly Row[]) => {
        await serve(rows);
        return rows.map(() => ({ kind: 'logits', logits: [1, 2], maxLogit: 2, totalWeight: 3 }));
      },
      generate: async (rows: readonly Row[]) => {
        await serve(rows);
        return lengths(rows).map((each) => each.map((tokens) => ({ kind: 'text', text: '', tokens, ended: true })));
      },
    }) as unknown as EvaluationContext;
  const datasetOf = (n: number) =>
    Math.max(0, beginnings - 1 - Math.floor(beginnings * (Math.floor(n / ROWS) / BATCHES) ** 2));
  const beginningOf = (dataset: number): number[] => Array(beginnings > 0 ? KEPT : 0).fill(1e6 + dataset);
  const texts = Array.from({ length: BATCHES * ROWS }, (_, n) => {
    const tokens = new Uint32Array(lengthOf(n)).fill(n);
    tokens.set(beginningOf(datasetOf(n)));
    return tokens;
  });
  const prompts = texts.flatMap((tokens, n): EncodedPrompt[] =>
    replies === undefined
      ? [{ kind: 'ok', id: String(n), tokens, optionIds: [1, 2] }]
      : Array.from({ length: replies.count }, (_, sample) => {
          const request = { sample, seed: n * replies.count + sample, maxTokens: 48 } as unknown as ReplyRequest;
          return { kind: 'reply', id: `${n}#${sample}`, tokens, request, form: null, longest: 48 };
        }),
  );
  const datasets = Array.from({ length: Math.max(1, beginnings) }, (_, each) => each);
  let told: number | undefined;
  const trial = timeWaves({
    encoded: {
      jobs: datasets.map((each) => prompts.filter((_, n) => datasetOf(n / (replies?.count ?? 1)) === each)),
      shared: datasets.map(beginningOf),
      longest: TOKENS,
    },
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
  const waves = Array.from({ length: BATCHES }, (_, n) => texts.slice(n * ROWS, (n + 1) * ROWS));
  const seconds = waves.reduce((sum, wave, w) => {
    const asked = wave.map((tokens, n): Row => {
      const first = (w * ROWS + n) * (replies?.count ?? 0);
      const samples = Array.from({ length: replies?.count ?? 0 }, (_, sample) => ({ seed: first + sample }));
      return { tokens, samples, maxTokens: 48 };
    });
    return sum + secondsOf(asked);
  }, 0);
  const ratio = told / (seconds / card.passes(card.inTurn === true ? 1 : contexts));
  // Each context has warmed up.
  return { ratio, batches: batches - contexts, begun };
}

const IN_TURN: Card = { passes: () => 1, inTurn: true };

describe('timeWaves', () => {
  beforeEach(() => void vi.restoreAllMocks());
  afterEach(() => void vi.restoreAllMocks());

  const CONTEXTS = [1, 2, 3, 4, 6, 8];
  it.each(CONTEXTS)('tells no gain of %i contexts that a card serves one after the other', async (contexts) => {
    for (const batch of [0.02, BATCH, 1.4, 5]) {
      expect((await trialOn(IN_TURN, { contexts, batch })).ratio).toBeCloseTo(1, 6);
    }
  });

  it.each(CONTEXTS)(
    'tells what %i contexts gain that share a card evenly, busy by one or by three',
    async (contexts) => {
      for (const passes of [() => 1, (running: number) => Math.min(running, 3) ** 0.3, (running: number) => running]) {
        for (const batch of [0.02, BATCH, 1.4, 5])
          expect((await trialOn({ passes }, { contexts, batch })).ratio).toBeCloseTo(1, 6);
      }
    },
  );

  it.each(CONTEXTS)(
    'tells within a few percent what %i contexts take for batches of other lengths',
    async (contexts) => {
      const lengthOf = (n: number) => 10 + (n % 29);
      for (const card of [IN_TURN, { passes: (running: number) => Math.min(running, 3) ** 0.3 }]) {
        const { ratio } = await trialOn(card, { contexts, batch: 0.1, lengthOf });
        expect(Math.abs(ratio - 1)).toBeLessThan(0.06);
      }
    },
  );

  it.each(CONTEXTS)('tells what replies of many lengths take in %i contexts', async (contexts) => {
    for (const card of [IN_TURN, { passes: (running: number) => Math.min(running, 3) ** 0.3 }]) {
      for (const mean of [4, 20]) {
        // Ends are as likely at every token.
        const tokens = (seed: number) => 1 + Math.floor(-mean * Math.log(1 - ((seed * GOLDEN) % 1)));
        const { ratio } = await trialOn(card, { contexts, batch: 0.01, replies: { count: 5, tokens } });
        expect(Math.abs(ratio - 1)).toBeLessThan(0.06);
      }
    }
  });

  it('evaluates batches of the three data sets with the most work of those that each have a beginning of their own', async () => {
    const few = await trialOn(IN_TURN, { contexts: 4, beginnings: 3 });
    const many = await trialOn(IN_TURN, { contexts: 4, beginnings: 12 });
    expect(few.ratio).toBeCloseTo(1, 6);
    expect(many.ratio).toBeCloseTo(1, 6);
    expect(many.batches).toBe(few.batches);
    expect([...many.begun].toSorted()).toEqual([1e6 + 10, 1e6 + 11, 1e6 + 9].toSorted());
  });

  it('evaluates as many batches in each context, a second round unless it would end after four seconds', async () => {
    for (const contexts of CONTEXTS) {
      const alone = { passes: (running: number) => running };
      expect((await trialOn(alone, { contexts, batch: 1.9 })).batches).toBe(2 * contexts);
      expect((await trialOn(alone, { contexts, batch: 2.1 })).batches).toBe(contexts);
      expect((await trialOn(alone, { contexts, batch: 0.4 })).batches).toBe(4 * contexts);
      const { batches } = await trialOn(IN_TURN, { contexts, batch: 0.1 });
      expect(batches % contexts).toBe(0);
      expect(batches).toBeGreaterThanOrEqual(15);
    }
    // Replies have half of the time for each of two amounts of writing.
    const replies = { count: 1, tokens: () => 20 };
    expect((await trialOn(IN_TURN, { contexts: 1, batch: 0.1, replies })).batches).toBe(8 + 4);
  });
});
