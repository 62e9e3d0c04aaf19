import { cpuTime } from './cpu-time.js';

export interface Patience {
  /** A message of the child, or a new step: everything is counted anew. */
  set(limit: StepLimit): void;
  /** Stops counting while someone else is waited for; pauses nest. */
  pause(): void;
  resume(): void;
  clear(): void;
}

/** What a child may take for a step of its work without a message. */
export interface StepLimit {
  /** The step, as in "while loading the model". */
  readonly what: string;
  /** Wall time in which the child neither says a word nor computes. */
  readonly silentMs: number;
  /** Processor time of all its threads; absent: ten times `silentMs`. */
  readonly cpuMs?: number;
}

interface Counting extends StepLimit {
  readonly cpuFrom: number | null;
  /** Processor time and clock at the last sign of life. */
  cpu: number | null;
  at: number;
}

/** A process that computes takes more than this share of the time, however many others want its core. */
const LEAST_SHARE = 0.01;
const TICK_MS = 10;

/**
 * Calls `onEnd` with what ran out when a child is stuck: it has said nothing and taken no processor time for a while,
 * or it has taken more than its step can need. A child at work on a busy machine is neither, however long that takes.
 * Where processor time cannot be read, ten times the silence is allowed.
 */
export function patience(pid: number | undefined, onEnd: (what: string) => void): Patience {
  let timer: NodeJS.Timeout | undefined;
  let step: Counting | undefined;
  let pauses = 0;
  const look = () => {
    if (step === undefined || pauses > 0) return;
    const reason = judge(step, cpuTime(pid), performance.now());
    if (reason !== null) return onEnd(reason);
    wait(step);
  };
  const wait = ({ silentMs }: StepLimit) => {
    timer = setTimeout(look, Math.max(20, Math.min(5_000, silentMs / 4)));
  };
  const start = () => {
    clearTimeout(timer);
    if (step === undefined || pauses > 0) return;
    step.at = performance.now();
    wait(step);
  };
  return {
    set(limit) {
      const cpu = cpuTime(pid);
      step = { ...limit, cpuFrom: cpu, cpu, at: performance.now() };
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
      step = undefined;
      clearTimeout(timer);
    },
  };
}

/** What has run out, or null; notes a sign of life. */
function judge(step: Counting, cpu: number | null, now: number): string | null {
  const { silentMs, what } = step;
  const silent = now - step.at;
  if (cpu === null || step.cpu === null || step.cpuFrom === null) {
    return silent < 10 * silentMs ? null : `no message for ${seconds(10 * silentMs)} while ${what}`;
  }
  const { cpuMs = 10 * silentMs } = step;
  if (cpu - step.cpuFrom > cpuMs) return `no message after ${seconds(cpuMs)} of processor time while ${what}`;
  if (cpu - step.cpu > Math.max(TICK_MS, LEAST_SHARE * silent)) {
    step.cpu = cpu;
    step.at = now;
    return null;
  }
  return silent < silentMs ? null : `neither a message nor work for ${seconds(silentMs)} while ${what}`;
}

function seconds(ms: number): string {
  return `${Number((ms / 1000).toPrecision(3))} s`;
}
