import type { Card } from '../../contract/device.js';
import type { ModelFacts, ModelJob, ModelOutcome, ScoringEvents } from '../../contract/scorer.js';
import type { CardGroup, CardsNeeded } from '../memory/cards-needed.js';
import { CardRun } from './card-run.js';
import { type ModelWork, modelWork } from './model-work.js';
import { tokenExchange } from './token-exchange.js';

/** One model of a pool of cards, from the call to its outcome: the rows that wait, and those on their way. */
export class CardTask {
  readonly end: Promise<ModelOutcome>;
  /** What its children have tokenised. */
  readonly tokens = tokenExchange();
  readonly #work: ModelWork;
  readonly #runs = new Set<CardRun>();
  #resolve: (outcome: ModelOutcome) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #needed: CardsNeeded | null = null;
  #group: CardGroup | null = null;
  #facts: ModelFacts | null = null;
  #failure: string | null = null;
  #fits: { readonly fits?: number } = {};
  #started = false;
  #settled = false;
  #seconds = 0;
  #tokens = 0;

  constructor(
    readonly job: ModelJob,
    readonly events: ScoringEvents,
    private readonly now: () => number,
  ) {
    this.#work = modelWork(job);
    this.end = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Whether it wants cards. A model without any rows is loaded once, too. */
  waits(): boolean {
    if (this.#settled || this.#failure !== null) return false;
    return this.#work.rowsToTake() > 0 || !this.#started;
  }

  rowsToTake(): number {
    return this.#work.rowsToTake();
  }

  runs(): CardRun[] {
    return [...this.#runs];
  }

  /** The only cards that may have its rows; null: it has none yet. */
  get group(): CardGroup | null {
    return this.#runs.size > 0 || this.#work.rowsDone() > 0 ? this.#group : null;
  }

  async needed(look: () => Promise<CardsNeeded>): Promise<CardsNeeded> {
    this.#needed ??= await look();
    return this.#needed;
  }

  /** The group that the cards of a place are of. */
  groupOf(place: readonly Card[]): CardGroup {
    const groups = this.#needed?.kind === 'fits' ? this.#needed.groups : [];
    const group = groups.find(({ cards }) => place.every((card) => cards.includes(card)));
    if (group === undefined) throw new Error(`model ${this.job.model.id} was given cards of no group`);
    return group;
  }

  /** Divides the rows that wait among the places. */
  start(places: readonly (readonly Card[])[]): CardRun[] {
    const { model, jobs } = this.job;
    const group = this.groupOf(places[0] ?? []);
    if (!this.#started) {
      const rows = jobs.reduce((sum, { prompts }) => sum + prompts.length, 0);
      this.events.onModelStart?.(model.id, rows);
      if (group.note !== null) this.events.onLog?.('warn', group.note);
    }
    this.#started = true;
    this.#group = group;
    const pieces = this.#work.take(places.length);
    const runs = pieces.map((piece, n) => new CardRun(piece, group, places[n] ?? [], this.now));
    for (const run of runs) this.#runs.add(run);
    return runs;
  }

  /** What a run tells, which is one of several of the model. */
  eventsOf(run: CardRun, onRows: () => void): ScoringEvents {
    const { events } = this;
    return {
      onRows: (model, dataset, rows, tokens) => {
        this.#tokens += tokens;
        run.noteRows();
        events.onRows?.(model, dataset, rows, tokens);
        onRows();
      },
      onLog: (level, message) => events.onLog?.(level, message),
    };
  }

  /** A run is over; what it left goes to other cards, unless the model itself has failed. */
  ended(run: CardRun, outcome: ModelOutcome | null): void {
    if (outcome?.kind === 'done') this.#facts ??= outcome.facts;
    if (outcome?.kind === 'failed') this.#failure ??= outcome.reason;
    this.#leave(run);
    this.#settle();
  }

  /** It cannot be scored, or with `fits` sequences alone; what is on its way comes to its end first. */
  fail(reason: string, fits?: number): void {
    if (this.#failure === null && fits !== undefined) this.#fits = { fits };
    this.#failure ??= reason;
    this.#settle();
  }

  /** Its rows cannot be kept. */
  reject(error: unknown, run?: CardRun): void {
    this.#settled = true;
    if (run !== undefined) this.#leave(run);
    for (const each of this.#runs) each.divide();
    this.#reject(error);
  }

  #leave(run: CardRun): void {
    this.#seconds += run.seconds();
    run.piece.end();
    this.#runs.delete(run);
  }

  #settle(): void {
    const failed = this.#failure !== null;
    if (this.#settled || this.#runs.size > 0 || !(failed || this.#work.isThrough())) return;
    this.#settled = true;
    const model = this.job.model.id;
    const facts = this.#facts ?? this.#work.facts();
    const seconds = this.#seconds;
    const outcome: ModelOutcome =
      this.#failure !== null || facts === null
        ? { kind: 'failed', model, reason: this.#failure ?? 'it was never loaded', ...this.#fits }
        : { kind: 'done', model, facts, seconds, tokens: this.#tokens };
    this.events.onModelEnd?.(outcome);
    this.#resolve(outcome);
  }
}
