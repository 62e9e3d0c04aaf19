/**
 * What a large suite would take over a queue: 200 models x 1,000,000 questions on 64 cards of 8 hosts, played with the
 * cost model of `scale/cost-model.ts`: with the rule by which workers choose a model, and with the one before it.
 *
 *   node --import tsx bench/scale.ts [models 200] [questions 1000000] [hosts 8] [cards of a host 8]
 */
import { contentHash } from '../src/files/content-hash.js';
import { preferredTickets } from '../src/queue/preferred-tickets.js';
import type { Rates } from './scale/cost-model.js';
import { type SimulatedModel, type SimulatedQueue, simulateQueue } from './scale/simulate-queue.js';

const [modelCount = 200, questions = 1_000_000, hosts = 8, cardsPerHost = 8] = process.argv.slice(2).map(Number);

/** Billions of weights of open families, one after the other; files in Q8_0 take 8.5 bits a weight. */
const SIZES = [0.5, 0.6, 1, 1.5, 1.7, 3, 4, 7, 7, 8, 8, 9, 12, 14, 14, 24, 27, 32, 32, 70];
const BITS = 8.5;
const ROWS_OF_RANGE = 64;
const TOKENS_OF_ROW = 150;

/**
 * Speed: 28,149 tokens/s of an 8B model in Q8_0 on an H200 (bench/gpu/README.md). At most: assumed, as nothing smaller
 * than 8B was measured on a card. Load and fetch: assumed, 2 GB/s from a local disk and 1 GB/s from the hub. A worker
 * tokenises the rows of its ranges alone, which is left out.
 */
const RATES: Rates = { tokenBillions: 28_149 * 8, mostTokens: 200_000, load: 2e9, start: 5, tokenise: 0, fetch: 1e9 };
/** 39 s of processor time for 100,000 ranges (docs/scale.md), of one row each; a range of 64 rows was not measured. */
const DISPATCHER_SECONDS = 39 / 100_000;

const models: SimulatedModel[] = Array.from({ length: modelCount }, (_, n) => {
  const billions = SIZES[n % SIZES.length] ?? 8;
  const ranges = Math.ceil(questions / ROWS_OF_RANGE);
  return { billions, bytes: (billions * 1e9 * BITS) / 8, ranges, tokens: ROWS_OF_RANGE * TOKENS_OF_ROW };
});

const order = new Map<string, string>();
const hashOf = (worker: string, queue: string) => {
  const key = `${worker}/${queue}`;
  const known = order.get(key) ?? contentHash([worker, queue]);
  order.set(key, known);
  return known;
};
const preferred: SimulatedQueue['choose'] = (waiting, worker, workers) => {
  const tickets = waiting.map((state) => {
    const { queue, model, unsent, open } = state;
    return { state, queue, bytes: model.bytes, rowsLeft: (unsent + open) * ROWS_OF_RANGE };
  });
  const others = workers.map((each) => ({ ...each, cannot: {} }));
  return preferredTickets(tickets, others, worker)[0]?.state ?? waiting[0]!;
};

const RULES: Readonly<Record<string, SimulatedQueue['choose']>> = {
  'every worker in an order of its own': (waiting, worker) =>
    waiting.reduce((best, each) => (hashOf(worker, each.queue) < hashOf(worker, best.queue) ? each : best)),
  'most work for each worker (as shipped)': preferred,
};

const cards = hosts * cardsPerHost;
const scoring = models.reduce(
  (sum, { billions, ranges, tokens }) =>
    sum + (ranges * tokens) / Math.min(RATES.mostTokens, RATES.tokenBillions / billions),
  0,
);
const hours = (seconds: number) => (seconds / 3600).toFixed(2);
const write = (line: string) => process.stdout.write(`${line}\n`);
const terabytes = models.reduce((sum, { bytes }) => sum + bytes, 0) / 1e12;
write(`${modelCount} models (${terabytes.toFixed(1)} TB) x ${questions} questions, ${cards} cards`);
write(`scoring alone: ${hours(scoring / cards)} h for each card`);
write(
  '| rule | window | makespan, h | scoring | loading | idle | TB fetched | TB loaded | loads | dispatcher at work |',
);
write('|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|');
const share = (part: number) => `${(100 * part).toFixed(1)} %`;
for (const window of [Math.max(64, Math.floor(16_384 / modelCount)), 1024]) {
  for (const [rule, choose] of Object.entries(RULES)) {
    const { makespan, busy, loading, bytesFetched, bytesLoaded, loads, dispatcher } = simulateQueue({
      models,
      hosts,
      cardsPerHost,
      rates: RATES,
      window,
      dispatcherSeconds: DISPATCHER_SECONDS,
      choose,
      poll: 1,
    });
    const shares = [busy, loading, 1 - busy - loading].map(share).join(' | ');
    const moved = [bytesFetched, bytesLoaded].map((bytes) => (bytes / 1e12).toFixed(1)).join(' | ');
    write(`| ${rule} | ${window} | ${hours(makespan)} | ${shares} | ${moved} | ${loads} | ${share(dispatcher)} |`);
  }
}

const least = Math.min(...models.map(({ billions }) => billions));
const rangesPerSecond = Math.min(RATES.mostTokens, RATES.tokenBillions / least) / (ROWS_OF_RANGE * TOKENS_OF_ROW);
const most = Math.floor(1 / (DISPATCHER_SECONDS * rangesPerSecond));
write(`with models of ${least} billion weights alone, a dispatcher is full with ${most} cards`);
