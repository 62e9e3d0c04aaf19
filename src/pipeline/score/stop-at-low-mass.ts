import type { ScoredRow } from '../../contract/scored-row.js';
import type { AnyModelJob, ModelOutcome, Scorer, ScoringEvents, ScoringJob } from '../../contract/scorer.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { median } from '../../numeric/quantile.js';
import { lowMassReason } from './least-option-mass.js';

/** Rows whose option mass is looked at before the others are scored. */
export const PROBED_ROWS = 5;
/** So few rows are scored to their end: the report says of all of them what is wrong. */
const WORTH_PROBING = 50;

/**
 * A scorer that looks at the option mass of the first rows of a model on a data set, and does not score the others when
 * it does not answer with an option there: a template that opens a thought, a label with the wrong spacing. The data
 * set fails for this model, with the reason; the rows that were scored are kept, and its other data sets go on.
 *
 * @param limitOf least median option mass on a data set
 */
export function stopAtLowMass(scorer: Scorer, limitOf: (dataset: string) => number): Scorer {
  return async (jobs, settings, events) => {
    const stopped = new Map<string, Map<string, string>>();
    const failures = new Map<string, Extract<ModelOutcome, { kind: 'failed' }>>();
    const outcomes = new Map<string, ModelOutcome>();
    let open: readonly AnyModelJob[] = jobs;
    while (open.length > 0 && settings.signal?.aborted !== true) {
      const probes = open.map((job) => new ProbedModel(job, limitOf));
      for (const outcome of await scorer(
        probes.map(({ watched }) => watched),
        settings,
        heard(events, probes),
      ))
        outcomes.set(outcome.model, outcome);
      for (const { job, faults } of probes) {
        const outcome = outcomes.get(job.model.id);
        if (outcome?.kind === 'failed' && faults.length === 0) failures.set(job.model.id, outcome);
        const reasons = stopped.get(job.model.id) ?? new Map<string, string>();
        for (const { dataset, reason } of faults) reasons.set(dataset, reason);
        stopped.set(job.model.id, reasons);
      }
      open = probes.flatMap((probe) => probe.rest());
    }
    return jobs.flatMap(({ model }): ModelOutcome | readonly ModelOutcome[] => {
      const reasons = stopped.get(model.id) ?? new Map<string, string>();
      if (reasons.size === 0) return outcomes.get(model.id) ?? [];
      const all = [...reasons].map(([dataset, reason]) => `${dataset}: ${reason}`).join('; ');
      const failure = failures.get(model.id) ?? { kind: 'failed' as const, model: model.id, reason: all };
      return [{ ...failure, leftOut: Object.fromEntries(reasons) }];
    });
  };
}

/** A model that goes on with its other data sets has not failed; a warning says on which one it is left out. */
function heard(events: ScoringEvents, probes: readonly ProbedModel[]): ScoringEvents {
  return {
    ...events,
    onModelEnd: (outcome) => {
      const probe = probes.find(({ job }) => job.model.id === outcome.model);
      if (outcome.kind === 'done' || probe === undefined || probe.faults.length === 0 || probe.rest().length === 0)
        return events.onModelEnd?.(outcome);
      for (const { dataset, reason } of probe.faults)
        events.onLog?.('warn', `${outcome.model} is left out on ${dataset}: ${reason}`);
    },
  };
}

/** One model on its way, and which data sets it was stopped on. */
class ProbedModel {
  readonly watched: AnyModelJob;
  readonly faults: { readonly dataset: string; readonly reason: string }[] = [];
  readonly #scored = new Map<ScoringJob, Set<string>>();

  constructor(
    readonly job: AnyModelJob,
    private readonly limitOf: (dataset: string) => number,
  ) {
    this.watched = { ...job, jobs: job.jobs.map((each) => this.#watch(each)) };
  }

  /** What is left of the model's other data sets after it was stopped on one; nothing when it was not. */
  rest(): AnyModelJob[] {
    const bad = new Set(this.faults.map(({ dataset }) => dataset));
    if (bad.size === 0) return [];
    const jobs = this.job.jobs.flatMap((each) => {
      const prompts = each.prompts.filter(({ id }) => !this.#scored.get(each)?.has(id));
      return bad.has(each.dataset) || prompts.length === 0 ? [] : [{ ...each, prompts }];
    });
    return jobs.length === 0 ? [] : [{ ...this.job, jobs }];
  }

  #watch(job: ScoringJob): ScoringJob {
    const scored = new Set<string>();
    this.#scored.set(job, scored);
    const { onReplies } = job;
    const keep = (rows: readonly { readonly id: string }[]) => {
      for (const { id } of rows) scored.add(id);
    };
    const probe = this.#probe(job);
    return {
      ...job,
      onRows: async (rows, facts) => {
        // The rows count whatever is found: they are kept before anything is judged.
        await job.onRows(rows, facts);
        keep(rows);
        probe(rows);
      },
      ...(onReplies !== undefined && {
        onReplies: async (rows, facts) => {
          await onReplies(rows, facts);
          keep(rows);
        },
      }),
    };
  }

  /** @throws SupportCalError bad-input, which ends this model and no other */
  #probe({ dataset, prompts }: ScoringJob): (rows: readonly ScoredRow[]) => void {
    const limit = this.limitOf(dataset);
    if (prompts.length <= WORTH_PROBING || prompts.some(({ mode }) => mode !== 'letter')) return () => {};
    const masses: number[] = [];
    let done = false;
    return (rows) => {
      if (done) return;
      masses.push(
        ...rows.flatMap((row) => (row.status === 'ok' && !Number.isNaN(row.optionMass) ? [row.optionMass] : [])),
      );
      if (masses.length < PROBED_ROWS) return;
      done = true;
      const mass = median(masses);
      if (mass === null || mass >= limit) return;
      const reason = `stopped after ${masses.length} of ${prompts.length} rows: ${lowMassReason(mass, limit)}`;
      this.faults.push({ dataset, reason });
      throw new SupportCalError('bad-input', `${dataset}: ${reason}`);
    };
  }
}
