import { BATCH_ROWS, type Trial, type WholeRun } from './kill-trials.js';

/** Runs that were started together on one cache, and what went wrong. */
export interface Together {
  readonly processes: number;
  readonly faults: readonly string[];
}

export interface DurabilityTable {
  readonly markdown: string;
  readonly failures: number;
}

const HEAD = ['| injected | count | outcome |', '|---|---:|---|'];

/** What became of runs that were killed; `kills` were asked for. */
export function killTable(trials: readonly Trial[], kills: number, whole: WholeRun): DurabilityTable {
  const struck = trials.filter((trial) => trial.struck);
  const of = (test: (trial: Trial) => boolean) => struck.filter(test).length;
  const failures = trials.filter(({ faults }) => faults.length > 0).length;
  const total = sum([...whole.rows.values()]);
  const ofAll = trials.map((trial) => sum(trial.again));
  const ofOne = trials.flatMap((trial) => trial.again);
  const notBegun = trials.length < kills ? `; ${kills - trials.length} of ${kills} were not begun` : '';
  const lines = [
    ...HEAD,
    `| SIGKILL of the process group, scoring ${total} rows into ${whole.files.size} entries | ${struck.length} of ${trials.length} struck before the run ended (${of(({ parts, complete }) => parts + complete === 0)} before the first entry, ${of(({ parts }) => parts > 0)} with entries in parts, ${of(({ parts, complete }) => parts === 0 && complete > 0)} with complete entries only)${notBegun} | ${trials.length - failures} of ${trials.length}: the next run ended with the bytes of an uninterrupted run and nothing left over; ${failures} failures |`,
    `| rows evaluated again after a kill, of one model | | at most ${Math.max(0, ...ofOne)} (a batch has ${BATCH_ROWS}) |`,
    `| the same of all models, two of which are scored at a time | | at most ${Math.max(0, ...ofAll)} of ${total}; ${(sum(ofAll) / Math.max(1, struck.length)).toFixed(1)} on average |`,
  ];
  return { markdown: lines.join('\n'), failures };
}

/** What became of runs on one cache at once. */
export function togetherTable(together: readonly Together[]): DurabilityTable {
  const lines = [2, 8].map((count) => {
    const runs = together.filter(({ processes }) => processes === count);
    const bad = runs.filter(({ faults }) => faults.length > 0).length;
    const outcome = `${runs.length - bad} of ${runs.length}: all ended well with equal bytes, every row evaluated once in all, no lock left; ${bad} failures`;
    return `| ${count === 2 ? 'two' : 'eight'} runs at once on one cache | ${runs.length} | ${outcome} |`;
  });
  return {
    markdown: [...HEAD, ...lines].join('\n'),
    failures: together.filter(({ faults }) => faults.length > 0).length,
  };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((a, b) => a + b, 0);
}
