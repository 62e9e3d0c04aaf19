import { processorName } from '../../library/processor-name.js';
import { cpuBuildTools } from '../../scoring/setup/build-tools.js';
import { makeBuild, type SetupOptions, type SetupOutcome } from './make-build.js';

/**
 * All instructions of this processor, and llama.cpp's own threads, as in the prebuilt binary: what differs from it is
 * the compiler, and that is what makes the difference (docs/performance.md).
 */
const OPTIONS = { GGML_NATIVE: 'ON', GGML_OPENMP: 'OFF' };

/** `supportcal setup-cpu`: llama.cpp built for the processor of this machine, for runs on it. */
export async function setupCpu(options: SetupOptions = {}): Promise<SetupOutcome> {
  const { environment = process.env } = options;
  const tools = await cpuBuildTools(environment);
  if (tools.missing.length > 0) return { kind: 'missing', reasons: tools.missing };
  const card = processorName();
  const compiler = `${tools.compiler} for ${card}`;
  return await makeBuild(
    {
      options: { device: 'cpu', cmake: OPTIONS, variables: {}, compiler },
      card,
      driver: '',
      tools: tools.environment,
    },
    options,
  );
}
