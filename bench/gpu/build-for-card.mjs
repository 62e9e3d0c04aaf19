/*
 * Builds llama.cpp for this machine's card through node-llama-cpp's public call, from the bundle in its package,
 * without a network; then loads it and says what it is.
 *
 *   node build-for-card.mjs [cuda|vulkan|cpu] [OPTION=VALUE ...]
 *
 * What the call needs: git, cmake, make or ninja, a C++ compiler, npm on the path, for CUDA nvcc; headers of Node's API
 * and C++ wrappers come with node-llama-cpp's own packages (node-api-headers, node-addon-api), so that nothing is
 * downloaded.
 */
import { getLlama } from 'node-llama-cpp';

const [backend = 'cuda', ...pairs] = process.argv.slice(2);
const cmakeOptions = Object.fromEntries(pairs.map((pair) => pair.split('=')));
const gpu = backend === 'cpu' ? false : backend;
const started = performance.now();
const llama = await getLlama({ gpu, build: 'forceRebuild', cmakeOptions, progressLogs: 'stderr' });
say(`built in ${((performance.now() - started) / 1000).toFixed(0)} s`, llama);
await llama.dispose();
const again = await getLlama({ gpu, build: 'never', cmakeOptions, progressLogs: false });
say('found again', again);
await again.dispose();

function say(what, { buildType, cmakeOptions: options, llamaCppRelease, systemInfo }) {
  process.stdout.write(`${what} ${JSON.stringify({ buildType, options, llamaCppRelease, systemInfo })}\n`);
}
