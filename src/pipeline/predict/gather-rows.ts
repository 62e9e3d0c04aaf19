/** Nothing more has come for so long: what is there is worked on. */
const QUIET_MS = 25;

/**
 * Items in groups: as many as have come when the source falls silent, at most `most`. A fast source gives full groups;
 * a slow one gives its items as they come. Nothing is read ahead of the group that is worked on but one batch.
 *
 * @param quietMs how long the source is silent before a group that is not full is given; for tests
 * @param largest after each full group the next one may be twice as large, up to this
 */
export async function* gatherRows<Item>(
  batches: AsyncGenerator<readonly Item[]>,
  most: number,
  quietMs = QUIET_MS,
  largest = most,
): AsyncGenerator<Item[]> {
  let waiting: Item[] = [];
  let size = most;
  let next = batches.next();
  // Whoever awaits it hears of a fault; until then it is no unhandled one.
  next.catch(() => undefined);
  try {
    for (;;) {
      const step = await (waiting.length === 0 ? next : unlessQuiet(next, quietMs));
      if (step === undefined) {
        yield waiting;
        waiting = [];
        continue;
      }
      if (step.done) break;
      for (const item of step.value) {
        waiting.push(item);
        if (waiting.length < size) continue;
        yield waiting;
        waiting = [];
        size = Math.min(largest, 2 * size);
      }
      next = batches.next();
      next.catch(() => undefined);
    }
    if (waiting.length > 0) yield waiting;
  } finally {
    await batches.return(undefined);
  }
}

/** What comes, or undefined when nothing comes for so long. The clock is taken off at once: many would hold memory. */
async function unlessQuiet<Step>(next: Promise<Step>, quietMs: number): Promise<Step | undefined> {
  let clock: NodeJS.Timeout | undefined;
  const quiet = new Promise<undefined>((resolve) => {
    clock = setTimeout(() => resolve(undefined), quietMs);
  });
  try {
    return await Promise.race([next, quiet]);
  } finally {
    clearTimeout(clock);
  }
}
