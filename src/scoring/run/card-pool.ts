import type { Card } from '../../contract/device.js';
import type { Runner } from '../../contract/runner.js';
import type { ModelJob, ScoringEvents } from '../../contract/scorer.js';
import type { CardGroup, CardsNeeded } from '../memory/cards-needed.js';
import type { CardRun } from './card-run.js';
import type { CardSlots } from './card-slots.js';
import { CardTask } from './card-task.js';
import { runModel } from './run-model.js';

export interface CardPoolSettings {
  readonly cards: readonly Card[];
  /** The child processes of the cards. */
  readonly slots: CardSlots;
  readonly batchSeconds: number;
  readonly signal: AbortSignal;
  readonly needed: (job: ModelJob) => Promise<CardsNeeded>;
  /** Whether a card still answers; asked when a model failed on it. */
  readonly answers: (card: Card) => Promise<boolean>;
  /** For tests: who scores the rows of a piece, and a clock in milliseconds. */
  readonly score?: typeof runModel;
  readonly now?: () => number;
}

/** A piece of fewer rows is not worth the load of a model. */
const FEWEST_ROWS = 64;

/**
 * A runner of one child process per card. Models start in the order of the calls, each on the first cards that are
 * idle; once no model waits for a card, the rows of those under way are divided: a model that is about to start goes to
 * several cards at once, and one that is being scored gives its remaining rows back when they are worth a second start.
 * Cards of another name never get rows of a model that was begun. A card that no longer answers is left out, and its
 * rows go to the others.
 */
export function cardPool(settings: CardPoolSettings): Runner {
  return new CardPool(settings);
}

class CardPool implements Runner {
  /** Models without an outcome. */
  readonly #tasks = new Set<CardTask>();
  /** Runs on their way. */
  readonly #under = new Set<Promise<void>>();
  #alive: readonly Card[];
  #idle: readonly Card[];
  #placing: Promise<void> | null = null;
  #again = false;

  constructor(private readonly settings: CardPoolSettings) {
    this.#alive = settings.cards;
    this.#idle = settings.cards;
  }

  run(job: ModelJob, events: ScoringEvents) {
    const task = new CardTask(job, events, this.settings.now ?? (() => performance.now()));
    this.#tasks.add(task);
    this.#place();
    return task.end.finally(() => this.#tasks.delete(task));
  }

  async close(): Promise<void> {
    while (this.#under.size > 0) await Promise.all(this.#under);
    await this.settings.slots.end();
  }

  /** Gives idle cards to those who wait. Calls that come meanwhile are answered by another look. */
  #place(): void {
    this.#again = true;
    this.#placing ??= this.#placeAll();
  }

  async #placeAll(): Promise<void> {
    // All calls of one turn are seen together.
    await Promise.resolve();
    while (this.#again) {
      this.#again = false;
      const placed = await this.#assign();
      for (const [task, places] of placed) this.#start(task, places);
    }
    this.#placing = null;
    this.#divideRunning();
  }

  /** The places of the models that start now. */
  async #assign(): Promise<Map<CardTask, Card[][]>> {
    const placed = new Map<CardTask, Card[][]>();
    for (const task of this.#waiting()) {
      const group = await this.#allowed(task).catch((error) => {
        task.reject(error);
        return null;
      });
      if (group !== null) placed.set(task, [this.#takeIdle(group)]);
    }
    if (this.#waiting().every((task) => placed.has(task))) this.#widen(placed);
    return placed;
  }

  /** Models that need several cards come first: they find them while all are idle. */
  #waiting(): CardTask[] {
    const asked = ({ job }: CardTask) => job.model.scoring?.devices ?? 1;
    return [...this.#tasks].filter((task) => task.waits()).sort((a, b) => asked(b) - asked(a));
  }

  /** The group whose idle cards a task may have; null: none is idle, or the task is at its end. */
  async #allowed(task: CardTask): Promise<CardGroup | null> {
    if (this.settings.signal.aborted) return refuse(task, 'interrupted before it was loaded');
    if (this.#alive.length === 0) return refuse(task, `no card answers any more; ${KEPT}`);
    if (this.#idle.length === 0) return null;
    const needed = await task.needed(() => this.settings.needed(task.job));
    if (needed.kind === 'refused') return refuse(task, needed.reason, needed.fits);
    const able = needed.groups.filter(({ cards, needed: count }) => this.#of(cards, this.#alive).length >= count);
    const allowed = able.filter((group) => task.group === null || group === task.group);
    if (allowed.length === 0) return refuse(task, `the cards that it was scored on no longer answer; ${KEPT}`);
    return allowed.find((group) => this.#hasIdle(group)) ?? null;
  }

  #of(cards: readonly Card[], some: readonly Card[]): Card[] {
    return cards.filter((card) => some.includes(card));
  }

  #hasIdle({ cards, needed }: CardGroup): boolean {
    return this.#of(cards, this.#idle).length >= needed;
  }

  #takeIdle({ cards, needed }: CardGroup): Card[] {
    const taken = this.#of(cards, this.#idle).slice(0, needed);
    this.#idle = this.#idle.filter((card) => !taken.includes(card));
    return taken;
  }

  /** Cards that nobody waits for: each to the model that has most to do for each of its cards. */
  #widen(placed: Map<CardTask, Card[][]>): void {
    for (;;) {
      const able = [...placed].flatMap(([task, places]) => {
        const group = task.groupOf(places[0] ?? []);
        const rows = task.rowsToTake() / (places.length + 1);
        return rows >= FEWEST_ROWS && this.#hasIdle(group)
          ? [{ places, group, work: rows * task.job.place.bytes }]
          : [];
      });
      const most = able.sort((a, b) => b.work - a.work)[0];
      if (most === undefined) return;
      most.places.push(this.#takeIdle(most.group));
    }
  }

  #start(task: CardTask, places: readonly Card[][]): void {
    for (const run of task.start(places)) {
      const under = this.#run(task, run).finally(() => {
        this.#under.delete(under);
        this.#place();
      });
      this.#under.add(under);
    }
  }

  async #run(task: CardTask, run: CardRun): Promise<void> {
    const { cards, batchSeconds, slots, score = runModel } = this.settings;
    const signal = AbortSignal.any([this.settings.signal, run.divided]);
    const events = task.eventsOf(run, () => this.#divideRunning());
    const { job, share } = run.piece;
    const plan = { ...run.group.plan, ...(share !== null && { share }) };
    let dead: Card[] = [];
    try {
      const slot = await slots.on(run.cards);
      const tokens = cards.length > 1 ? { tokens: task.tokens } : {};
      const outcome = await score({ job, plan, events, slot, batchSeconds, signal, ...tokens });
      if (outcome.kind === 'failed' && !signal.aborted) dead = await this.#deadOf(run.cards);
      const givesBack = dead.length > 0 || (run.divided.aborted && !this.settings.signal.aborted);
      for (const { index, name } of dead)
        task.events.onLog?.('error', `card ${index} (${name}) no longer answers: its work goes to the other cards`);
      this.#alive = this.#alive.filter((card) => !dead.includes(card));
      task.ended(run, outcome.kind === 'failed' && givesBack ? null : outcome);
    } catch (error) {
      task.reject(error, run);
    }
    this.#idle = this.#alive.filter((card) => this.#idle.includes(card) || run.cards.includes(card));
  }

  async #deadOf(cards: readonly Card[]): Promise<Card[]> {
    const answers = await Promise.all(cards.map((card) => this.settings.answers(card)));
    return cards.filter((_, n) => answers[n] === false);
  }

  /** With idle cards and nobody waiting, the model with most left to do gives its rows back to be divided. */
  #divideRunning(): void {
    if (this.#idle.length === 0 || this.#placing !== null || this.settings.signal.aborted) return;
    const runs = [...this.#tasks].flatMap((task) => task.runs());
    if (this.#waiting().length > 0 || runs.some(({ divided }) => divided.aborted)) return;
    const able = runs.filter((run) => this.#hasIdle(run.group) && run.worthDividing());
    able.sort((a, b) => b.millisecondsLeft() - a.millisecondsLeft())[0]?.divide();
  }
}

const KEPT = 'the rows scored so far are kept';

function refuse(task: CardTask, reason: string, fits?: number): null {
  task.fail(reason, fits);
  return null;
}
