import type { ExamplePrompt } from '../../contract/prompt.js';
import type { ModelJob, ModelOutcome, ScoringEvents, ScoringSettings } from '../../contract/scorer.js';
import { scoreModels } from '../../scoring/score-models.js';
import { plain } from '../asking/plain.js';
import type { InspectableModel } from './doctor-files.js';

/** Every `Scorer` is one: the models that are probed are in files. */
type FileScorer = (jobs: readonly ModelJob[], ...rest: [ScoringSettings, ScoringEvents]) => Promise<ModelOutcome[]>;

/** What a model did in a probe: rows in seconds by the clock, after so many seconds of start. */
export interface ProbedSpeed {
  readonly tokens: number;
  readonly rows: number;
  readonly seconds: number;
  readonly start: number;
}

/** How long rows are taken from a model, once it is loaded. */
const PROBE_MS = 2000;
/** Prompts of all lengths that a probe takes from a data set. */
const PROMPTS = 200;

/**
 * `doctor --probe`: how fast every model whose file is here is, by the clock, from two seconds of scoring in a child
 * process after its first rows have come. A model that is too slow for two groups of rows, or fails, has none.
 *
 * @param scorer takes the place of llama.cpp in child processes
 */
export async function probeSpeeds(
  files: readonly InspectableModel[],
  settings: Omit<ScoringSettings, 'signal'>,
  signal: AbortSignal | undefined,
  scorer: FileScorer = scoreModels,
): Promise<Map<string, ProbedSpeed>> {
  const speeds = new Map<string, ProbedSpeed>();
  for (const file of files) {
    if (!('job' in file) || signal?.aborted) continue;
    const probe = new SpeedProbe();
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

/** Tokens and their time from the first rows to the last ones; the first rows start the clock and do not count. */
class SpeedProbe {
  readonly #stop = new AbortController();
  readonly signal = this.#stop.signal;
  readonly #began = performance.now();
  #started: number | null = null;
  #ended = 0;
  #rows = 0;
  #tokens = 0;

  note(rows: number, tokens: number): void {
    const now = performance.now();
    if (this.#started === null) {
      this.#started = now;
      return;
    }
    this.#rows += rows;
    this.#tokens += tokens;
    this.#ended = now;
    if (now - this.#started >= PROBE_MS) this.#stop.abort();
  }

  speed(): ProbedSpeed | null {
    if (this.#started === null || this.#tokens === 0) return null;
    const seconds = (this.#ended - this.#started) / 1000;
    return { tokens: this.#tokens, rows: this.#rows, seconds, start: (this.#started - this.#began) / 1000 };
  }
}
