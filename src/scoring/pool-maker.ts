import type { Card } from '../contract/device.js';
import type { Runner } from '../contract/runner.js';
import type { ModelJob, ScoringEvents, ScoringSettings } from '../contract/scorer.js';
import { chosenCards, findCards } from './device/find-cards.js';
import { type FreeMemory, freeMemory } from './device/free-memory.js';
import { probeDevice } from './device/probe-device.js';
import { visibility } from './device/visible-cards.js';
import { cardsNeeded } from './memory/cards-needed.js';
import { fitPlan } from './memory/fit-plan.js';
import type { SlotStage } from './memory/plan-slots.js';
import { workerPlan } from './memory/worker-plan.js';
import { LLAMA_BACKEND } from './process/spawn-worker.js';
import { cardPool } from './run/card-pool.js';
import { cardSlots } from './run/card-slots.js';
import { localPool } from './run/local-pool.js';

/** For tests: another backend in the child process, another patience, another machine. */
export interface ScoringEngine {
  /** URL of a module that exports `backend: Backend`. */
  readonly backendModule?: string;
  /** Seconds that a batch may take on top of what its tokens need; default 120. */
  readonly batchSeconds?: number;
  /** Bytes that are free on the device. */
  readonly freeMemory?: FreeMemory;
  /** The cards of the device, and whether one still answers; given `freeMemory` alone, cards are not looked for. */
  readonly cards?: readonly Card[];
  readonly answers?: (card: Card) => Promise<boolean>;
}

/**
 * Makes the pool of a stage. Several cards have a child each; where there is one, as on a CPU, the environment stays as
 * it is. Cards are looked for, and what is free on them is asked, once and when the first model comes.
 */
export function poolMaker(
  settings: PoolFor,
  events: ScoringEvents,
  engine: ScoringEngine,
): (stage: SlotStage) => Runner {
  let found: Promise<readonly Card[]> | undefined;
  return (stage) =>
    madeWhenAsked(async () => {
      found ??= cardsOf(settings, events, engine);
      return poolOf(stage, await found, { settings, events, engine });
    });
}

type PoolFor = ScoringSettings & { readonly signal: AbortSignal };

interface PoolParts {
  readonly settings: PoolFor;
  readonly events: ScoringEvents;
  readonly engine: ScoringEngine;
}

function madeWhenAsked(make: () => Promise<Runner>): Runner {
  let made: Promise<Runner> | undefined;
  return {
    async run(job, events) {
      made ??= make();
      return (await made).run(job, events);
    },
    async close() {
      await (await made?.catch(() => undefined))?.close();
    },
  };
}

async function cardsOf(
  { device, devices }: PoolFor,
  events: ScoringEvents,
  { cards, freeMemory: given }: ScoringEngine,
): Promise<readonly Card[]> {
  if (cards !== undefined) return cards.filter((card) => card.device === device);
  if (given !== undefined && devices === undefined) return [];
  return findCards(device, { onFault: (message) => events.onLog?.('error', message) });
}

function poolOf(stage: SlotStage, found: readonly Card[], { settings, events, engine }: PoolParts): Runner {
  const { device, signal, devices } = settings;
  const { backendModule = LLAMA_BACKEND, batchSeconds = 120 } = engine;
  const cards = chosenCards(found, devices, device);
  const common = { batchSeconds, signal, onLine: (line: string) => events.onLog?.('warn', `worker: ${line}`) };
  if (found.length > 1) return poolOfCards(cards, settings, { ...engine, ...common, backendModule });
  const only = found[0];
  const free = engine.freeMemory ?? (only === undefined ? freeMemory(device) : async () => only.memory?.free ?? null);
  return localPool({
    ...common,
    slots: stage.slots,
    gpu: device !== 'cpu',
    backendModule,
    planOf: (job) => workerPlan(job, stage, device),
    adapt: (job, plan) => fitPlan(job, plan, { freeMemory: free, backendModule }),
  });
}

interface CardEngine extends Pick<ScoringEngine, 'answers'> {
  readonly backendModule: string;
  readonly batchSeconds: number;
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
}

function poolOfCards(
  cards: readonly Card[],
  { device, cores }: PoolFor,
  { backendModule, batchSeconds, signal, onLine, answers = isThere }: CardEngine,
): Runner {
  const threads = Math.max(1, Math.floor(cores / cards.length));
  const planOf = (job: ModelJob) => workerPlan(job, { threads }, device);
  return cardPool({
    cards,
    slots: cardSlots(backendModule, onLine),
    batchSeconds,
    signal,
    needed: (job) => cardsNeeded(job, cards, { planOf, backendModule }),
    answers,
  });
}

async function isThere(card: Card): Promise<boolean> {
  return (await probeDevice(card.device, undefined, visibility([card]))).ok;
}
