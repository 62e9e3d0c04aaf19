import type { Card } from '../../../src/contract/device.js';
import type { ScoredRow } from '../../../src/contract/scored-row.js';
import type { ModelFacts, ModelJob, ModelOutcome, ScoringEvents, ScoringJob } from '../../../src/contract/scorer.js';
import type { WorkerPlan } from '../../../src/engine/protocol/protocol.js';
import type { CardsNeeded } from '../../../src/scoring/memory/cards-needed.js';
import type { WorkerSlot } from '../../../src/scoring/process/worker-slot.js';
import { cardPool } from '../../../src/scoring/run/card-pool.js';
import type { runModel } from '../../../src/scoring/run/run-model.js';

const GB = 1e9;
const LOAD_MS = 2000;
const GROUP = 64;

/** Cards by their names; 80 GB free each unless said. */
export function cardsNamed(names: readonly string[], free: readonly number[] = []): Card[] {
  return names.map((name, index) => ({
    device: 'cuda',
    index,
    name,
    memory: { total: 80 * GB, free: free[index] ?? 80 * GB },
    visibleAs: String(index),
  }));
}

/** A model of `rows` rows, each of which takes a card `gigabytes` milliseconds. */
export interface VirtualModel {
  readonly id: string;
  readonly rows: number;
  readonly gigabytes?: number;
  readonly devices?: number;
  /** Rows with rotated options on top. */
  readonly rotated?: number;
  readonly onRows?: () => Promise<void>;
}

export interface VirtualRow {
  readonly model: string;
  readonly id: string;
  /** The cards of the child that it came from, such as `0` or `0+1`. */
  readonly cards: string;
  readonly at: number;
  /** The number of its batch among those that all prompts sent were put into. */
  readonly batch: number;
}

interface Faults {
  /** Rows after which a card is dead, by its number. */
  readonly diesAfter?: Readonly<Record<number, number>>;
  /** Models that cannot be scored. */
  readonly bad?: readonly string[];
  readonly signal?: AbortSignal;
  readonly onRow?: (rows: number) => void;
}

/** A pool whose children are played by timers of a clock that jumps from one event to the next. */
export async function runOnCards(cards: readonly Card[], models: readonly VirtualModel[], faults: Faults = {}) {
  const clock = virtualClock();
  const rows: VirtualRow[] = [];
  const logs: string[] = [];
  const ends: string[] = [];
  const dead = new Set<number>();
  const done = new Map<number, number>();
  let atWork = 0;
  const score: typeof runModel = async ({ job, plan, events, slot, signal }) => {
    const own = (slot as VirtualSlot).cards;
    const place = own.map(({ index }) => index).join('+');
    const model = job.model.id;
    const failed = (reason: string): ModelOutcome => ({ kind: 'failed', model, reason });
    atWork += 1;
    try {
      await clock.sleep(LOAD_MS);
      if (faults.bad?.includes(model)) return failed('cannot be loaded');
      for (const part of job.jobs) {
        const { index: mine, count } = plan.share ?? { index: 0, count: 1 };
        for (const { batch, group } of batchesOf(part).filter((_, n) => n % count === mine)) {
          if (signal.aborted) return failed('interrupted; the rows scored so far are kept');
          await clock.sleep((group.length * job.place.bytes) / GB);
          for (const { index } of own) {
            done.set(index, (done.get(index) ?? 0) + group.length);
            if ((done.get(index) ?? 0) > (faults.diesAfter?.[index] ?? Infinity)) dead.add(index);
          }
          if (own.some(({ index }) => dead.has(index))) return failed('the child ended');
          for (const { id } of group) rows.push({ model, id, cards: place, at: clock.now(), batch });
          await part.onRows(
            group.map(({ id }) => ({ id }) as ScoredRow),
            FACTS,
          );
          events.onRows?.(model, part.dataset, group.length, group.length);
          faults.onRow?.(rows.length);
        }
      }
      return { kind: 'done', model, facts: FACTS, seconds: 0, tokens: 0 };
    } finally {
      atWork -= 1;
    }
  };
  const pool = cardPool({
    cards,
    slots: { on: async (own) => ({ cards: own }) as unknown as WorkerSlot, end: async () => {} },
    batchSeconds: 1,
    signal: faults.signal ?? new AbortController().signal,
    needed: async ({ model }) => groupsOf(cards, model.scoring?.devices ?? 1),
    answers: async ({ index }) => !dead.has(index),
    score,
    now: clock.now,
  });
  const events: ScoringEvents = {
    onLog: (_, message) => logs.push(message),
    onModelEnd: ({ model }) => ends.push(model),
  };
  const outcomes = Promise.allSettled(models.map((model) => pool.run(jobOf(model), events)));
  await clock.drive(outcomes.then(() => pool.close()));
  return { rows, logs, ends, outcomes: await outcomes, milliseconds: clock.now(), atWork };
}

interface VirtualSlot extends WorkerSlot {
  readonly cards: readonly Card[];
}

const FACTS = { architecture: 'virtual' } as ModelFacts;

function batchesOf({ prompts, skipped }: ScoringJob) {
  const all = Array.from({ length: Math.ceil(prompts.length / GROUP) }, (_, batch) => ({
    batch,
    group: prompts.slice(batch * GROUP, (batch + 1) * GROUP).filter(({ id }) => skipped?.has(id) !== true),
  }));
  return all.filter(({ group }) => group.length > 0);
}

function groupsOf(cards: readonly Card[], needed: number): CardsNeeded {
  const names = [...new Set(cards.map(({ name }) => name))];
  const plan = {} as WorkerPlan;
  return {
    kind: 'fits',
    groups: names.map((name) => ({ cards: cards.filter((card) => card.name === name), needed, plan, note: null })),
  };
}

function jobOf({ id, rows, gigabytes = 1, devices, rotated = 0, onRows = async () => {} }: VirtualModel): ModelJob {
  const part = (dataset: string, count: number, extra: object): ScoringJob => ({
    dataset,
    onRows,
    prompts: Array.from({ length: count }, (_, n) => ({
      id: `${dataset}${n}`,
      text: 'a question',
      mode: 'letter' as const,
      continuations: ['A', 'B'],
      answerPrefix: null,
      ...extra,
    })),
  });
  return {
    model: { id, role: 'base', bucket: 'b', prompt: 'raw', ...(devices !== undefined && { scoring: { devices } }) },
    place: { kind: 'gguf', path: `/${id}.gguf`, bytes: gigabytes * GB },
    jobs: [part('d', rows, {}), ...(rotated > 0 ? [part('r', rotated, { mode: 'rotations', rotations: [] })] : [])],
  };
}

function virtualClock() {
  let time = 0;
  const sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    now: () => time,
    sleep: (ms: number) => new Promise<void>((wake) => void sleepers.push({ at: time + ms, wake })),
    /** Lets time pass until the promise settles. */
    async drive(until: Promise<unknown>) {
      let over = false;
      const end = until.finally(() => {
        over = true;
      });
      for (;;) {
        await settle();
        if (over) return end;
        const next = sleepers.sort((a, b) => a.at - b.at).shift();
        if (next === undefined) throw new Error('nobody is at work, and the end has not come');
        time = next.at;
        next.wake();
      }
    },
  };
}
