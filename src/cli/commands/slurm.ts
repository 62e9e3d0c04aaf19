import { chmod } from 'node:fs/promises';
import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { writeFileAtomic } from '../../files/write-file-atomic.js';
import { refuseUnknownSuite, slurmScripts } from '../../pipeline/slurm-scripts.js';
import { addCommonFlags, addMethodFlag, type CommonFlags, collect, runOptions } from '../flags/options.js';
import { EXIT } from '../terminal/exit-code.js';
import type { Act } from '../terminal/session.js';

interface SlurmFlags extends CommonFlags {
  shards: number;
  gpusPerTask: number;
  sbatch?: string[];
  program: string;
}

export function slurmCommand(act: Act): Command {
  const command = new Command('slurm')
    .description('write the scripts of a Slurm job array that scores a suite, and of a last job that reports')
    .requiredOption('--shards <n>', 'elements of the array, each of which scores one piece of the suite', shardCount)
    .option('--gpus-per-task <n>', 'GPUs of each job (--gres=gpu:N); 0 for none', gpuCount, 1)
    .option('--sbatch <line>', 'a further #SBATCH line for every job, such as "--partition=long" (repeatable)', collect)
    .option(
      '--program <command>',
      'how a node starts supportcal, from the folder where this was run',
      'npx supportcal',
    );
  return addMethodFlag(addCommonFlags(command, ['refresh', 'disk', 'keep-for'])).action((flags: SlurmFlags) =>
    act(flags, async (session) => {
      const options = runOptions(flags);
      const { out } = options;
      await refuseUnknownSuite(options);
      const folder = path.join(out, 'slurm');
      const scripts = slurmScripts({
        suite: flags.suite,
        shards: flags.shards,
        program: flags.program.split(/\s+/).filter((word) => word !== ''),
        flags: passedOn(flags, out),
        folder: process.cwd(),
        lines: [...(flags.gpusPerTask > 0 ? [`--gres=gpu:${flags.gpusPerTask}`] : []), ...(flags.sbatch ?? [])],
      });
      const files = { 'score.sbatch': scripts.score, 'report.sbatch': scripts.report, 'submit.sh': scripts.submit };
      for (const [name, text] of Object.entries(files)) await writeFileAtomic(path.join(folder, name), text);
      await chmod(path.join(folder, 'submit.sh'), 0o755);
      const submit = path.join(folder, 'submit.sh');
      if (session.json) session.printJson({ schemaVersion: 1, status: 'complete', submit, files: Object.keys(files) });
      else session.print(`bash ${submit}  submits ${flags.shards} scoring jobs and the report after them`);
      return EXIT.done;
    }),
  );
}

/** The flags that decide what is scored and where files are; each job gets them as they were given. */
function passedOn(flags: SlurmFlags, out: string): string[] {
  const { models, datasets, cache, gpu, limit, quant, dataset, target, allowOutside, offline, source, methodFile } =
    flags;
  const each = (name: string, values: readonly string[] = []) => values.flatMap((value) => [name, value]);
  return [
    ...['--models', models, '--datasets', datasets, '--cache', cache, '--out', out, '--gpu', gpu],
    ...(limit === undefined ? [] : ['--limit', String(limit)]),
    ...each('--quant', quant === undefined ? [] : [quant]),
    ...each('--dataset', dataset),
    ...each('--target', target),
    ...each('--source', source),
    ...each('--method-file', methodFile),
    ...(allowOutside ? ['--allow-outside'] : []),
    ...(offline ? ['--offline'] : []),
  ];
}

function shardCount(text: string): number {
  if (!/^\d{1,6}$/.test(text) || Number(text) < 1)
    throw new InvalidArgumentError('expected a whole number of 1 or more.');
  return Number(text);
}

function gpuCount(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new InvalidArgumentError('expected a whole number of 0 or more.');
  return Number(text);
}
