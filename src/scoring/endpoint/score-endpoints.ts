import { setMaxListeners } from 'node:events';
import { type EndpointModel, isEndpointModel } from '../../config/source-kind.js';
import type { EndpointPlace } from '../../contract/model-place.js';
import type { ExamplePrompt } from '../../contract/prompt.js';
import type { ModelRow, ScoredRow } from '../../contract/scored-row.js';
import type { ModelFacts, ModelJob, ModelOutcome, Scorer, ScoringEvents, ScoringJob } from '../../contract/scorer.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { AdaptiveQueue } from './adaptive-queue.js';
import { askReply } from './ask-reply.js';
import { EndpointFault } from './endpoint-fault.js';
import { sameModel, takeFingerprint } from './fingerprint.js';
import { type OpenEndpoint, openEndpoint } from './open-endpoint.js';
import { type Asking, scoreOptions } from './score-options.js';
import { scoreTexts } from './score-texts.js';
import { servedCost } from './served-cost.js';

/** One model behind a server with what it has to score. */
type EndpointJob = ModelJob<EndpointPlace> & { readonly model: EndpointModel };

/** Rows that wait until a look at the fingerprint shows that the model is still the same. */
const BLOCK = 512;
/** Prompts of such a look; all ten are asked at the end. */
const GLANCE = 3;
/** A model more of whose rows fail is not scored: the others are a biased sample. */
export const MOST_FAILED = 0.05;
/** So many rows are looked at before the share of failed ones says anything. */
const FIRST_ROWS = 100;

/** Scores models that are behind servers, all at once: each has its own requests in flight. */
export const scoreEndpoints: Scorer = async (jobs, settings, events) => {
  const served = jobs.filter((job): job is EndpointJob => job.place.kind === 'endpoint' && isEndpointModel(job.model));
  const tooDear = refusedCost(served, settings.maxCost);
  if (tooDear !== null) return served.map(({ model }) => ({ kind: 'failed', model: model.id, reason: tooDear }));
  return Promise.all(served.map((job) => new EndpointRun(job, settings.signal, events).outcome()));
};

/**
 * Why the rows are not asked for: what they would cost, by the prices of the models; null: nothing speaks against it.
 */
function refusedCost(jobs: readonly EndpointJob[], maxCost = Number.POSITIVE_INFINITY): string | null {
  const cost = jobs.reduce((sum, { model, jobs: parts }) => {
    const prompts = parts.flatMap((part) => part.prompts);
    return sum + servedCost(prompts, model.endpoint.pricePerMillionTokens);
  }, 0);
  if (cost <= maxCost) return null;
  return `the rows of served models would cost about ${cost.toFixed(2)}, above --max-cost ${maxCost}; nothing was asked`;
}

/** Every request in flight listens to it. */
function forManyRequests(signal: AbortSignal): AbortSignal {
  setMaxListeners(0, signal);
  return signal;
}

function rowOf(prompt: ExamplePrompt, asking: Asking): Promise<ModelRow> {
  switch (prompt.mode) {
    case 'reply':
      return askReply(prompt, asking);
    case 'text':
      return scoreTexts(prompt, asking);
    case 'letter':
    case 'rotations':
      return scoreOptions(prompt, asking);
  }
}

async function handedOver(job: ScoringJob, rows: readonly ModelRow[], facts: ModelFacts): Promise<void> {
  if (job.onReplies !== undefined) await job.onReplies(rows, facts);
  else
    await job.onRows(
      rows.filter((row): row is ScoredRow => row.status !== 'replied'),
      facts,
    );
}

/** A reason that ends this model and no other. */
class GivenUp extends Error {}

/** The scoring of one model. */
class EndpointRun {
  readonly #queue: AdaptiveQueue;
  readonly #endpoint: OpenEndpoint | EndpointFault;
  readonly #stop = new AbortController();
  #rows = 0;
  #failed = 0;
  #tokens = 0;

  constructor(
    private readonly job: EndpointJob,
    private readonly signal: AbortSignal | undefined,
    private readonly events: ScoringEvents,
  ) {
    this.#queue = new AdaptiveQueue(job.model.endpoint.concurrency);
    this.#endpoint = this.#open();
  }

  async outcome(): Promise<ModelOutcome> {
    const { model, jobs } = this.job;
    const began = performance.now();
    this.events.onModelStart?.(
      model.id,
      jobs.reduce((sum, { prompts }) => sum + prompts.length, 0),
    );
    const reason = await this.#score();
    const outcome: ModelOutcome =
      reason === null
        ? {
            kind: 'done',
            model: model.id,
            facts: this.#facts(),
            seconds: (performance.now() - began) / 1000,
            tokens: this.#tokens,
          }
        : { kind: 'failed', model: model.id, reason };
    this.events.onModelEnd?.(outcome);
    return outcome;
  }

  #open(): OpenEndpoint | EndpointFault {
    const signals = [this.#stop.signal, ...(this.signal === undefined ? [] : [this.signal])];
    try {
      return openEndpoint(this.job.model, {
        biasWorks: this.job.place.biasWorks,
        signal: forManyRequests(AbortSignal.any(signals)),
        onAnswer: (milliseconds) => this.#queue.answered(milliseconds),
        onBusy: () => this.#queue.busy(),
        onLog: (level, message) => this.events.onLog?.(level, `${this.job.model.id}: ${message}`),
      });
    } catch (error) {
      if (error instanceof EndpointFault) return error;
      throw error;
    }
  }

  /** Null when every row was handed over, else why not. */
  async #score(): Promise<string | null> {
    if (this.#endpoint instanceof EndpointFault) return this.#endpoint.message;
    const { asking, close } = this.#endpoint;
    try {
      for (const job of this.job.jobs) await this.#scoreJob(asking, job);
      return null;
    } catch (error) {
      if (this.signal?.aborted) return 'interrupted';
      if (error instanceof EndpointFault || error instanceof GivenUp) return error.message;
      if (error instanceof SupportCalError && (error.code === 'bad-input' || error.code === 'cache-busy'))
        return error.message;
      throw error;
    } finally {
      this.#stop.abort(new GivenUp('the model is done'));
      await close();
    }
  }

  async #scoreJob(asking: Asking, job: ScoringJob): Promise<void> {
    let held: ModelRow[] = [];
    let fault: unknown;
    let stored: Promise<void> = Promise.resolve();
    const keep = async (last: boolean) => {
      const rows = held;
      held = [];
      if (rows.length > 0) await this.#deliver(asking, job, { rows, last });
      else if (last && job.prompts.length > 0) await this.#stillTheSame(asking, last);
    };
    const stopAt = (error: unknown) => {
      fault ??= error;
    };
    const one = async (prompt: ScoringJob['prompts'][number]) => {
      const row = await rowOf(prompt, asking);
      // Only now, since the list may be another one than when the row was asked for.
      held.push(row);
      if (held.length >= BLOCK) stored = stored.then(() => keep(false)).catch(stopAt);
    };
    const pending = new Set<Promise<void>>();
    for (const prompt of job.prompts) {
      await this.#queue.room();
      if (fault !== undefined || this.signal?.aborted) break;
      const task = this.#queue
        .run(() => one(prompt))
        .catch(stopAt)
        .finally(() => pending.delete(task));
      pending.add(task);
      // Rows wait on the disk, not in memory: a slow disk slows the requests down.
      if (held.length >= 2 * BLOCK) await stored;
    }
    if (fault !== undefined) this.#stop.abort(fault);
    await Promise.all(pending);
    await stored;
    // After a fault nobody can be asked whether it is still the same model, so the rows since the last look go.
    if (fault !== undefined) throw fault;
    if (!this.signal?.aborted) await keep(true);
  }

  async #deliver(
    asking: Asking,
    job: ScoringJob,
    { rows, last }: { readonly rows: readonly ModelRow[]; readonly last: boolean },
  ): Promise<void> {
    await this.#stillTheSame(asking, last);
    this.#rows += rows.length;
    this.#failed += rows.filter(({ status }) => status === 'failed').length;
    await handedOver(job, rows, this.#facts());
    const tokens = rows.reduce((sum, { promptTokens }) => sum + promptTokens, 0);
    this.#tokens += tokens;
    this.events.onRows?.(this.job.model.id, job.dataset, rows.length, tokens);
    this.#refuseBiasedSample(rows, last);
  }

  async #stillTheSame(asking: Asking, last: boolean): Promise<void> {
    const now = await takeFingerprint({ ...asking, biasWorks: false }, last ? undefined : GLANCE);
    if (sameModel(this.job.place.fingerprint, now)) return;
    const { model, url } = this.job.model.endpoint;
    throw new GivenUp(
      `another model answers as "${model}" on ${url} than when the run began; the rows since the last look were thrown ` +
        'away. Run it again: the model that is there now gets scores of its own',
    );
  }

  #refuseBiasedSample(rows: readonly ModelRow[], last: boolean): void {
    const most = this.job.model.scoring?.maxFailedShare ?? MOST_FAILED;
    if ((this.#rows < FIRST_ROWS && !last) || this.#failed <= most * this.#rows) return;
    const failed = rows.find((row) => row.status === 'failed');
    const reason = failed?.status === 'failed' ? `; row ${failed.id}: ${failed.reason}` : '';
    throw new GivenUp(
      `${this.#failed} of ${this.#rows} rows could not be scored: the others would be a biased sample, since rows fail ` +
        `for a cause and not at random${reason}. To use them all the same, set scoring.maxFailedShare of the model`,
    );
  }

  #facts(): ModelFacts {
    const { model, place } = this.job;
    const { endpoint } = model;
    const start = place.bos === null ? 'the server does not say' : 'found by a probe of the server';
    return {
      architecture: `${endpoint.model} (${[endpoint.api, place.version].filter(Boolean).join(' ')})`,
      backend: 'endpoint',
      device: new URL(endpoint.url).host,
      bos: place.bos ?? false,
      bosReason: start,
      chatTemplate: null,
      contextSize: 0,
      sequences: endpoint.concurrency,
      batchSize: 0,
      threads: 0,
      flashAttention: 'off',
      warnings: [],
    };
  }
}
