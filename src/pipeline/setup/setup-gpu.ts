import { CUBLAS_PRODUCTS } from '../../library/library-build.js';
import { cudaBuildTools } from '../../scoring/setup/build-tools.js';
import { type NvidiaCards, nvidiaCards } from '../../scoring/setup/nvidia-cards.js';
import { makeBuild, type SetupOptions, type SetupOutcome } from './make-build.js';

/** Who multiplies matrices of quantised files: NVIDIA's cuBLAS, or kernels of llama.cpp's own. */
export type Products = 'cublas' | 'llama.cpp';

export interface GpuSetupOptions extends SetupOptions {
  /** Absent: by the card. */
  readonly products?: Products;
}

/** Compute capability from which cuBLAS multiplies quantised matrices faster: measured on 9.0 (docs/performance.md). */
const CUBLAS_FROM = 90;

/** `supportcal setup-gpu`: llama.cpp built for the NVIDIA cards of this machine, for runs on CUDA. */
export async function setupGpu(options: GpuSetupOptions = {}): Promise<SetupOutcome> {
  const { environment = process.env } = options;
  const cards = await nvidiaCards(environment);
  if (cards === null) return { kind: 'no-card', reasons: [NO_CARD] };
  const tools = await cudaBuildTools(cards, environment);
  if (tools.missing.length > 0) return { kind: 'missing', reasons: tools.missing };
  const cmake = cmakeOptions(cards, options.products);
  return await makeBuild(
    {
      options: { device: 'cuda', cmake, variables: {}, compiler: tools.compiler },
      card: cards.names.join(', '),
      driver: cards.driver,
      tools: tools.environment,
    },
    options,
  );
}

const NO_CARD =
  'nvidia-smi names no card: this command builds for NVIDIA cards. Other ones (vulkan, metal) have their kernels in ' +
  'the binary that came with the package; `supportcal setup-cpu` builds for the processor';

function cmakeOptions({ architectures }: NvidiaCards, products: Products | undefined): Record<string, string> {
  const cublas = products === undefined ? Number(architectures[0]) >= CUBLAS_FROM : products === 'cublas';
  return { ...(cublas && { [CUBLAS_PRODUCTS]: 'ON' }), CMAKE_CUDA_ARCHITECTURES: architectures.join(';') };
}
