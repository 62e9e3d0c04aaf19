import { GgufInsights } from 'node-llama-cpp';

/**
 * The release whose two estimates were read: what they return is compared with free memory and logged, nothing else.
 */
const KNOWN = /^3\.22\./;

/**
 * Before it loads a file, and before each context of a new shape, the library loads the file's vocabulary once more to
 * estimate memory: with 262k tokens that is 1.1 of 3.5 and 1.4 of 1.5 seconds of processor time. On a CPU nothing is
 * decided by it (no layer goes anywhere, the size of a context is given, and memory was looked at before the child
 * began), so in a child that scores there both say that nothing is needed. Of another release they are left as they
 * are.
 */
export function skipEstimates(release: string): void {
  if (!KNOWN.test(release)) return;
  const nothing = async () => ({ cpuRam: 0, gpuVram: 0 });
  const { prototype } = GgufInsights;
  prototype.estimateModelResourceRequirementsV2 = nothing;
  prototype.estimateContextResourceRequirementsV2 = nothing;
}
