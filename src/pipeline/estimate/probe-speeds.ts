import type { ExamplePrompt } from '../../contract/prompt.js';
import type { ModelJob, ModelOutcome, ScoringEvents, ScoringSettings } from '../../contract/scorer.js';
import { deviceFor } from '../../scoring/device/device-for.js';
import { cpuTimeOfChildren } from '../../scoring/process/cpu-time.js';
import { scoreModels } from '../../scoring/score-models.js';
import { plain } from '../asking/plain.js';
import type { InspectableModel } from './doctor-files.js';

/** Every `Scorer` is one: the models that are probed are in files. */
type FileScorer = (jobs: readonly ModelJob[], ...rest: [ScoringSettings, ScoringEvents]) => Promise<ModelOutcome[]>;

/**
 * What a model did in a probe: rows, after a start. Seconds are those of processors, shared among the cores that were
 * asked for: what other work takes from these is no matter of the model. Where processor time is not known, as on a
 * card, they are the clock's.
 */
export interface ProbedSpeed {
  readonly tokens: number;
  readonly rows: number;
  readonly seconds: number;
  readonly start: number;
  /** How many times as long the rows took by the clock. */
  readonly slowedBy: number;
}

/** How long rows are taken from a model, once it is loaded: processor time of all its cores, or time by the clock. */
const PROBE_MS = 2000;
/** A busy machine is given so much time by the clock for it. */
const MOST_MS = 20_000;
/** Prompts of all lengths that a probe takes from a data set. */
const PROMPTS = 200;

/** What takes the place of llama.cpp in child processes, and of their processor time in milliseconds. */
interface Probed {
  readonly scorer: FileScorer;
  readonly cpuTime: () => number | null;
}

/**
 * `doctor --probe`: how fast every model whose file is here is, from two seconds of scoring in a child process after
 * its first rows have come. A model that is too slow for two groups of rows, or fails, has none.
 */
export async function probeSpeeds(
  files: readonly InspectableModel[],
  settings: Omit<ScoringSettings, 'signal'>,
  signal: AbortSignal | undefined,
  { scorer, cpuTime }: Probed = { scorer: scoreModels, cpuTime: cpuTimeOfChildren },
): Promise<Map<string, ProbedSpeed>> {
  const speeds = new Map<string, ProbedSpeed>();
  for (const file of files) {
    if (!('job' in file) || signal?.aborted) continue;
    const onCpu = deviceFor(file.model, settings.device) === 'cpu';
    const probe = new SpeedProbe(settings.cores, onCpu ? cpuTime : () => null);
    const stop = signal === undefined ? probe.signal : AbortSignal.any([signal, probe.signal]);
    const job: ModelJob = { model: file.model, place: file.job.place, jobs: promptsOf(file) };
    const onRows = (_model: string, _dataset: string, rows: number, tokens: number) => probe.note(rows, tokens);
    await scorer([job], { ...settings, signal: stop }, { onRows });
    const speed = probe.speed();
    if (speed !== null) speeds.set(file.model.id, speed);
  }
  return speeds;
}

/** The plain prompts of each data set; of many, some of every length. */
function promptsOf({ job, asked }: Extract<InspectableModel, { readonly asked: unknown }>): ModelJob['jobs'] {
  return job.jobs.flatMap(({ dataset, prompts }, n) =>
    asked[n]?.kind === plain.name ? [{ dataset, prompts: spread(prompts), onRows: async () => {} }] : [],
  );
}

function spread(prompts: readonly ExamplePrompt[]): ExamplePrompt[] {
  const step = Math.max(1, prompts.length / PROMPTS);
  return prompts.filter((_, n) => Math.floor(n / step) !== Math.floor((n - 1) / step));
}

interface Moment {
  readonly clock: number;
  /** null: unknown. */
  readonly cpu: number | null;
}

/** Tokens and their time from the first rows to the last ones; the first rows start the clock and do not count. */
class SpeedProbe {
  readonly #stop = new AbortController();
  readonly signal = this.#stop.signal;
  readonly #began = performance.now();
  #first: Moment | null = null;
  #last: Moment | null = null;
  #rows = 0;
  #tokens = 0;

  constructor(
    private readonly cores: number,
    private readonly cpuTime: () => number | null,
  ) {}

  note(rows: number, tokens: number): void {
    const now = { clock: performance.now(), cpu: this.cpuTime() };
    if (this.#first === null) {
      this.#first = now;
      return;
    }
    this.#rows += rows;
    this.#tokens += tokens;
    this.#last = now;
    const clock = now.clock - this.#first.clock;
    if ((between(this.#first, now) ?? clock) >= PROBE_MS || clock >= MOST_MS) this.#stop.abort();
  }

  speed(): ProbedSpeed | null {
    if (this.#first === null || this.#last === null || this.#tokens === 0) return null;
    const clock = (this.#last.clock - this.#first.clock) / 1000;
    const cpu = between(this.#first, this.#last);
    const seconds = cpu === null ? clock : cpu / 1000 / this.cores;
    // The start is the work of one core, whatever there are.
    const start = (this.#first.cpu ?? this.#first.clock - this.#began) / 1000;
    return { tokens: this.#tokens, rows: this.#rows, seconds, start, slowedBy: Math.max(1, clock / seconds) };
  }
}

/** Processor time from one moment to another; null where it is unknown, or too little to be told. */
function between(first: Moment, last: Moment): number | null {
  const taken = first.cpu === null || last.cpu === null ? 0 : last.cpu - first.cpu;
  return taken > 0 ? taken : null;
}
