import { Command, Option } from 'commander';
import { type Products, removeBuild, type SetupOutcome, setupGpu } from '../../pipeline/setup-gpu.js';
import { addOutputFlags } from '../flags/options.js';
import { EXIT } from '../terminal/exit-code.js';
import type { Act, Session, SessionFlags } from '../terminal/session.js';

const HELP = `
Builds from the sources inside the package node-llama-cpp, without a network, in about five minutes on 16 cores. Needs git,
cmake, ninja or make, a C++ compiler and NVIDIA's CUDA toolkit, and says which of them is missing before it begins. The build
lies beside the prebuilt binary, which stays. It is tried with a real decode, and put on record in the user's cache folder
(~/.cache/supportcal): from then on runs on CUDA take it. Which kernels made a score is part of its key in the cache: scores of
the prebuilt binary stay where they are, and are not mixed with new ones.

On an H200 it makes prompts of quantised files 2.2 times as fast (docs/performance.md). Files in BF16 or F16 gain little: they
are multiplied by cuBLAS in every build. \`npm ci\` removes the build: run the command again then. Run it while nothing scores.

  SUPPORTCAL_BUILD=prebuilt   in the environment of a command: the prebuilt binary, this once`;

type Flags = SessionFlags & { again?: boolean; remove?: boolean; products?: Products };

export function setupGpuCommand(act: Act): Command {
  const command = new Command('setup-gpu')
    .description('build llama.cpp for the NVIDIA cards of this machine, with the kernels that are fastest there')
    .addOption(
      new Option(
        '--products <who>',
        'who multiplies matrices of quantised files (default: cublas from compute capability 9.0 on)',
      ).choices(['cublas', 'llama.cpp']),
    )
    .option('--again', 'make it anew when it is there already')
    .option('--remove', 'remove the build: runs take the prebuilt binary again')
    .addHelpText('after', HELP);
  return addOutputFlags(command).action((flags: Flags) =>
    act(flags, (session) => (flags.remove === true ? remove(session) : setUp(session, flags))),
  );
}

async function setUp(session: Session, { again, products, quiet }: Flags): Promise<number> {
  let shown = 0;
  const outcome = await setupGpu({
    ...(products !== undefined && { products }),
    again: again === true,
    signal: session.signal,
    onStep: (step) => quiet !== true && session.progress.print(step),
    onProgress: (done, of) => {
      // A line for every tenth of the work: the first files take longest.
      const tenth = Math.floor((10 * done) / of);
      if (quiet === true || tenth === shown) return;
      shown = tenth;
      session.progress.print(`  ${done} of ${of} files compiled`);
    },
  });
  session.signal.throwIfAborted();
  if (session.json) {
    const status = outcome.kind === 'built' ? 'complete' : 'partial';
    session.printJson({ schemaVersion: 1, status, ...outcome });
  } else session.print(outcomeText(outcome));
  return outcome.kind === 'built' ? EXIT.done : EXIT.partial;
}

function outcomeText(outcome: SetupOutcome): string {
  if (outcome.kind !== 'built') {
    const head = outcome.kind === 'missing' ? 'nothing was built, since tools are missing' : 'no build is used';
    return [`${head}:`, ...outcome.reasons.map((reason) => `  ${reason}`), 'runs go on as before'].join('\n');
  }
  const { build, made, seconds, device } = outcome;
  return [
    `${made ? `built in ${seconds.toFixed(0)} s` : 'was built before'}, and decodes on ${device}`,
    `runs on CUDA take it from now on; scores of other kernels stay in the cache under keys of their own`,
    `(${Object.entries(build.cmake)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')}, ${build.compiler})`,
  ].join('\n');
}

async function remove(session: Session): Promise<number> {
  const removed = await removeBuild();
  if (session.json) session.printJson({ schemaVersion: 1, status: 'complete', removed });
  else session.print(removed ? 'removed: runs take the prebuilt binary again' : 'there was no build to remove');
  return EXIT.done;
}
