import { leaseSize } from '../../src/queue/lease-size.js';
import { fetchSeconds, loadSeconds, type ModelCost, type Rates, scoringSeconds } from './cost-model.js';

export interface SimulatedModel extends ModelCost {
  readonly ranges: number;
  /** Tokens of one range. */
  readonly tokens: number;
}

export interface SimulatedQueue {
  readonly models: readonly SimulatedModel[];
  readonly hosts: number;
  readonly cardsPerHost: number;
  readonly rates: Rates;
  /** Ranges that one model may have on the server. */
  readonly window: number;
  /** Seconds that the dispatcher works on a range: rows taken, checked and kept. It takes one after the other. */
  readonly dispatcherSeconds: number;
  /** Which of the models that have ranges waiting a worker without one takes; `workers` are all, itself included. */
  readonly choose: (waiting: readonly ModelState[], worker: string, workers: readonly Worker[]) => ModelState;
  /** Seconds until a worker that found nothing looks again. */
  readonly poll: number;
}

export interface ModelState {
  readonly queue: string;
  readonly model: SimulatedModel;
  /** Ranges that are not on the server yet. */
  unsent: number;
  /** Ranges on the server that nobody holds. */
  waiting: number;
  /** Ranges on the server, waiting or held. */
  open: number;
}

export interface SimulatedRun {
  /** Until the last row is kept. */
  readonly makespan: number;
  /** Seconds of scoring over seconds of all cards. */
  readonly busy: number;
  /** Seconds of loading and fetching over seconds of all cards. */
  readonly loading: number;
  readonly bytesFetched: number;
  readonly bytesLoaded: number;
  /** Seconds of work of the dispatcher over the makespan. */
  readonly dispatcher: number;
  readonly loads: number;
}

export interface Worker {
  readonly worker: string;
  readonly host: number;
  /** The model that it says it serves. */
  serves: string | null;
  loaded: ModelState | null;
  size: ReturnType<typeof leaseSize>;
}

/**
 * Plays a queue: workers take ranges of one model until none waits, as `runQueueWorker` does, with its own rule for the
 * size of a lease; the dispatcher keeps a window of ranges of each model on the server and takes one range after the
 * other. A lease that ends is one event: its ranges come in one by one in between.
 */
export function simulateQueue(setting: SimulatedQueue): SimulatedRun {
  const { models, hosts, cardsPerHost, rates, window, dispatcherSeconds, choose, poll } = setting;
  const states: ModelState[] = models.map((model, index) => {
    const sent = Math.min(window, model.ranges);
    return { queue: String(index), model, unsent: model.ranges - sent, waiting: sent, open: sent };
  });
  const workers = Array.from({ length: hosts * cardsPerHost }, (_, n): Worker => {
    const worker = `w${String(n).padStart(6, '0')}`;
    return { worker, host: Math.floor(n / cardsPerHost), serves: null, loaded: null, size: leaseSize() };
  });
  const files = new Set<string>();
  const sum = { scoring: 0, loading: 0, bytesFetched: 0, bytesLoaded: 0, loads: 0, dispatcher: 0 };
  let [left, dispatcherFree, makespan] = [models.reduce((all, { ranges }) => all + ranges, 0), 0, 0];
  const events = eventQueue();

  const arrive = (state: ModelState, at: number) => {
    dispatcherFree = Math.max(dispatcherFree, at) + dispatcherSeconds;
    sum.dispatcher += dispatcherSeconds;
    events.add(dispatcherFree, () => {
      left -= 1;
      state.open -= 1;
      makespan = dispatcherFree;
      if (state.open * 2 > window) return;
      const fresh = Math.min(window - state.open, state.unsent);
      state.unsent -= fresh;
      state.waiting += fresh;
      state.open += fresh;
    });
  };

  const look = (worker: Worker, now: number): void => {
    if (left === 0) return;
    const own = worker.loaded !== null && worker.loaded.waiting > 0 ? worker.loaded : null;
    const waiting = own === null ? states.filter((state) => state.waiting > 0) : [];
    const state = own ?? (waiting.length > 0 ? choose(waiting, worker.worker, workers) : null);
    worker.serves = state?.queue ?? null;
    if (state === null) {
      if (states.some(({ unsent, open }) => unsent > 0 || open > 0)) events.add(now + poll, (at) => look(worker, at));
      return;
    }
    if (worker.loaded !== state) worker.size = leaseSize();
    const taken = Math.min(worker.size.next(state.waiting), state.waiting);
    state.waiting -= taken;
    let at = now;
    if (worker.loaded !== state) {
      const file = `${worker.host}/${state.queue}`;
      const fetched = files.has(file) ? 0 : fetchSeconds(state.model, rates);
      if (!files.has(file)) sum.bytesFetched += state.model.bytes;
      files.add(file);
      const load = fetched + loadSeconds(state.model, rates);
      sum.loading += load;
      sum.bytesLoaded += state.model.bytes;
      sum.loads += 1;
      at += load;
    }
    const begun = at;
    worker.loaded = state;
    const perRange = scoringSeconds(state.model, state.model.tokens, rates);
    for (let n = 0; n < taken; n++) {
      at += perRange;
      events.add(at, (then) => arrive(state, then));
    }
    sum.scoring += taken * perRange;
    worker.size.learn({ ranges: taken, loadMs: (begun - now) * 1000, totalMs: (at - now) * 1000 });
    events.add(at, (then) => look(worker, then));
  };

  for (const worker of workers) events.add(0, (at) => look(worker, at));
  events.run();
  const cardSeconds = makespan * hosts * cardsPerHost;
  return {
    makespan,
    busy: sum.scoring / cardSeconds,
    loading: sum.loading / cardSeconds,
    bytesFetched: sum.bytesFetched,
    bytesLoaded: sum.bytesLoaded,
    dispatcher: sum.dispatcher / makespan,
    loads: sum.loads,
  };
}

/** Things that happen at a time, earliest first; of those at one time, the one that was added first. */
function eventQueue() {
  type Entry = { readonly at: number; readonly order: number; readonly act: (at: number) => void };
  const heap: Entry[] = [];
  let order = 0;
  const before = (a: Entry, b: Entry) => a.at < b.at || (a.at === b.at && a.order < b.order);
  const swap = (a: number, b: number) => {
    [heap[a], heap[b]] = [heap[b] as Entry, heap[a] as Entry];
  };
  const first = (): Entry | undefined => {
    const top = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return top;
    heap[0] = last;
    for (let n = 0; ; ) {
      let least = n;
      for (const child of [2 * n + 1, 2 * n + 2])
        if (child < heap.length && before(heap[child] as Entry, heap[least] as Entry)) least = child;
      if (least === n) return top;
      swap(n, least);
      n = least;
    }
  };
  return {
    add(at: number, act: Entry['act']): void {
      heap.push({ at, order: order++, act });
      for (let n = heap.length - 1; n > 0; ) {
        const parent = (n - 1) >> 1;
        if (!before(heap[n] as Entry, heap[parent] as Entry)) break;
        swap(n, parent);
        n = parent;
      }
    },
    run(): void {
      for (let next = first(); next !== undefined; next = first()) next.act(next.at);
    },
  };
}
