export interface Stopwatch {
  /** Starts the countdown anew. */
  set(ms: number, what: string): void;
  /** Stops counting while someone else is waited for; pauses nest. */
  pause(): void;
  resume(): void;
  clear(): void;
}

/** Calls `onEnd` with the name of the step that took longer than its limit. */
export function stopwatch(onEnd: (what: string) => void): Stopwatch {
  let timer: NodeJS.Timeout | undefined;
  let current: { ms: number; what: string } | undefined;
  let pauses = 0;
  const start = () => {
    clearTimeout(timer);
    const step = current;
    if (step !== undefined && pauses === 0) timer = setTimeout(() => onEnd(step.what), Math.min(step.ms, 2 ** 31 - 1));
  };
  return {
    set(ms, what) {
      current = { ms, what };
      start();
    },
    pause() {
      pauses++;
      clearTimeout(timer);
    },
    resume() {
      pauses--;
      start();
    },
    clear() {
      current = undefined;
      clearTimeout(timer);
    },
  };
}
