import { Command, Option } from 'commander';
import type { BuildDevice } from '../../library/library-build.js';
import { removeBuild, type SetupOptions, type SetupOutcome } from '../../pipeline/setup/make-build.js';
import { setupCpu } from '../../pipeline/setup/setup-cpu.js';
import { type Products, setupGpu } from '../../pipeline/setup/setup-gpu.js';
import { chosenProducts } from '../describe/chosen-products.js';
import { addOutputFlags } from '../flags/options.js';
import { EXIT } from '../terminal/exit-code.js';
import type { Act, Session, SessionFlags } from '../terminal/session.js';

/** Ends the help of both commands. */
const READER_HELP = `\
A small reader of logits is compiled with it in some seconds. It adds up the vocabulary in float64 where llama.cpp left its logits,
evaluates whole batches of prompts in one call, and writes free text without JavaScript between tokens; its name is part of the
key too. Where it cannot be made or does not give the numbers of node-llama-cpp, the build is used without it, and the command
says why.

  SUPPORTCAL_BUILD=prebuilt   in the environment of a command: the prebuilt binary, this once`;

const GPU_HELP = `
Builds from the sources inside the package node-llama-cpp, without a network, in about five minutes on 16 cores. Needs git,
cmake, ninja or make, a C++ compiler and NVIDIA's CUDA toolkit, and says which of them is missing before it begins. The build
lies beside the prebuilt binary, which stays. It is tried with a real decode, and put on record in the user's cache folder
(~/.cache/supportcal): from then on runs on CUDA take it. Which kernels made a score is part of its key in the cache: scores of
the prebuilt binary stay where they are, and are not mixed with new ones.

On an H200 it makes prompts of quantised files 2.2 times as fast, since NVIDIA's cuBLAS multiplies them; files in BF16 or F16 gain
nothing there, cuBLAS multiplies them in every build. With the reader below texts as options are 1.4 to 1.6 times and free replies 3
to 4 times as fast in files of any type (docs/performance.md). On Linux a choice of kernels is compiled too, whose name is also part
of the key: mixtures of experts, and passes of up to 96 tokens that draw free text, take llama.cpp's own kernels, which are faster
for these. \`npm ci\` removes the build: run the command again then. Run it while nothing scores.

${READER_HELP}`;

const CPU_HELP = `
Builds from the sources inside the package node-llama-cpp, without a network, in nine minutes of processor time. Needs git, cmake,
ninja or make, and GCC 12 or later or clang (CC and CXX name one), and says which of them is missing before it begins. The build
lies beside the prebuilt binary, which stays. It is tried with a real decode, and put on record in the user's cache folder
(~/.cache/supportcal): from then on runs on the CPU take it, on machines with this processor. Which kernels made a score is part of
its key in the cache: scores of the prebuilt binary stay where they are, and are not mixed with new ones.

The prebuilt binary for Linux was made by GCC 11, which keeps the sums of 16-bit products in memory. On an x86 processor with
AVX-512 files in F16 become twice as fast, Q4_K_M and Q8_0 by some 4 to 12 %, Q4_1 not at all (docs/performance.md). \`npm ci\`
removes the build: run the command again then. Run it while nothing scores.

${READER_HELP}`;

type Flags = SessionFlags & { again?: boolean; remove?: boolean; products?: Products };

export function setupGpuCommand(act: Act): Command {
  const command = new Command('setup-gpu')
    .description('build llama.cpp for the NVIDIA cards of this machine, with the kernels that are fastest there')
    .addOption(
      new Option(
        '--products <who>',
        "kernels for prompts of quantised files: cuBLAS, or llama.cpp's own (default: cublas from compute capability 9.0 on)",
      ).choices(['cublas', 'llama.cpp']),
    );
  return setupCommand(command, GPU_HELP, (flags: Flags) =>
    act(flags, (session) => {
      const products = flags.products !== undefined && { products: flags.products };
      return setUp(session, flags, 'cuda', (options) => setupGpu({ ...options, ...products }));
    }),
  );
}

export function setupCpuCommand(act: Act): Command {
  const command = new Command('setup-cpu').description(
    'build llama.cpp for the processor of this machine: files of 16 bits score twice as fast',
  );
  return setupCommand(command, CPU_HELP, (flags: Flags) =>
    act(flags, (session) => setUp(session, flags, 'cpu', setupCpu)),
  );
}

function setupCommand(command: Command, help: string, action: (flags: Flags) => Promise<void>): Command {
  command
    .option('--again', 'make it anew when it is there already')
    .option('--remove', 'remove the build: runs take the prebuilt binary again')
    .addHelpText('after', help);
  return addOutputFlags(command).action(action);
}

async function setUp(
  session: Session,
  { again, remove, quiet }: Flags,
  device: BuildDevice,
  make: (options: SetupOptions) => Promise<SetupOutcome>,
): Promise<number> {
  if (remove === true) return await takeAway(session, device);
  let shown = 0;
  const outcome = await make({
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
  } else session.print(outcomeText(outcome, device));
  return outcome.kind === 'built' ? EXIT.done : EXIT.partial;
}

function outcomeText(outcome: SetupOutcome, of: BuildDevice): string {
  if (outcome.kind !== 'built') {
    const head =
      outcome.kind === 'missing' ? 'nothing was built, since tools are missing' : 'no build was put on record';
    return [`${head}:`, ...outcome.reasons.map((reason) => `  ${reason}`), 'runs go on as before'].join('\n');
  }
  const { build, made, seconds, device, readerFault, productsFault } = outcome;
  const chosen = chosenProducts(build);
  return [
    `${made ? `built in ${seconds.toFixed(0)} s` : 'was built before'}, and decodes on ${device}`,
    `runs on ${of === 'cpu' ? 'the CPU' : 'CUDA'} take it from now on; scores of other kernels stay in the cache under keys of their own`,
    `(${Object.entries(build.cmake)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')}, ${build.compiler})`,
    readerFault === null
      ? 'logits are read and free text is written by a reader that was compiled with it'
      : `logits are read by node-llama-cpp, more slowly: a reader of our own could not be made (${readerFault})`,
    ...(chosen === null ? [] : [`${chosen} take llama.cpp's own kernels, all else cuBLAS`]),
    ...(productsFault === null
      ? []
      : [
          `cuBLAS multiplies for experts and drawn text too, more slowly: our own choice could not be made (${productsFault})`,
        ]),
  ].join('\n');
}

async function takeAway(session: Session, device: BuildDevice): Promise<number> {
  const removed = await removeBuild(device);
  if (session.json) session.printJson({ schemaVersion: 1, status: 'complete', removed });
  else session.print(removed ? 'removed: runs take the prebuilt binary again' : 'there was no build to remove');
  return EXIT.done;
}
