import { loadModels } from '../config/load-models.js';
import { planSuite } from '../config/plan-suite.js';
import type { RunOptions } from './workspace/run-options.js';

/** A suite as jobs of a Slurm cluster. */
export interface SlurmJobs {
  readonly suite: string;
  /** Elements of the array: pieces of the work. */
  readonly shards: number;
  /** Words of the command that runs supportcal on a node, such as `npx supportcal`. */
  readonly program: readonly string[];
  /** Flags that every job gets: places of files and what of the suite is run. */
  readonly flags: readonly string[];
  /** Folder that every job starts in. */
  readonly folder: string;
  /**
   * Lines of `#SBATCH` for every job, such as `--gres=gpu:1`. The last job gets a device too: scores are found under
   * the device that they were made with.
   */
  readonly lines: readonly string[];
}

export interface SlurmScripts {
  /** Hands the two others to `sbatch`, the second one to run when every element of the first has ended. */
  readonly submit: string;
  readonly score: string;
  readonly report: string;
}

/**
 * Scripts that score a suite as a job array and then calibrate and report. The index of an element is its shard. The
 * last job starts after every element has ended, well or not: what a failed one leaves out stands in the report, and
 * the same scripts submitted again score only that.
 */
export function slurmScripts(jobs: SlurmJobs): SlurmScripts {
  const { suite, shards, program, flags, folder, lines } = jobs;
  const call = (...words: readonly string[]) =>
    [...program, ...words, '--suite', suite, ...flags].map(shellWord).join(' ');
  const job = (name: string, own: readonly string[], command: string) =>
    [
      '#!/bin/bash',
      ...[`--job-name=${name}`, ...lines, ...own].map((line) => `#SBATCH ${line}`),
      'set -eu',
      `cd ${shellWord(folder)}`,
      command,
      '',
    ].join('\n');
  const shard = `--shard "\${SLURM_ARRAY_TASK_ID}/${shards}"`;
  const report = ['status=0', `${call('calibrate')} || status=$?`, call('report'), 'exit "$status"'].join('\n');
  return {
    score: job('supportcal-score', [`--array=0-${shards - 1}`], `${call('score')} ${shard}`),
    report: job('supportcal-report', [], report),
    submit: SUBMIT,
  };
}

/**
 * Looks at models.yaml before scripts are written: jobs may wait for days before they find that it has no such suite.
 *
 * @throws SupportCalError usage for an unknown suite, with the nearest name; bad-input for faults of models.yaml
 */
export async function refuseUnknownSuite({ models, suite }: Pick<RunOptions, 'models' | 'suite'>): Promise<void> {
  planSuite(await loadModels(models), { suite });
}

/** A federated cluster answers `<id>;<cluster>`, of which the number counts. */
const SUBMIT = `#!/bin/bash
set -eu
cd "$(dirname "$0")"
array=$(sbatch --parsable score.sbatch)
report=$(sbatch --parsable --dependency="afterany:\${array%%;*}" report.sbatch)
echo "scoring: job \${array%%;*}, calibration and report after it: job \${report%%;*}"
`;

/** A word as a shell takes it, whatever is in it. */
function shellWord(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
