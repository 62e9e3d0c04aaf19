import type { KvType, ModelSpec } from '../../config/models-schema.js';
import type { Device } from '../../contract/device.js';
import type { MemoryNeeds } from '../../contract/inspection.js';
import type { CardProducts } from '../../library/chosen-build.js';
import type { PlannedContexts } from './planned-contexts.js';

/** Bits per weight of whole files, as llama.cpp's table of quantisations has them for Llama 3.1 8B. */
const BITS: ReadonlyMap<string, number> = new Map([
  ['F32', 32],
  ['F16', 16],
  ['BF16', 16],
  ['Q8_0', 8.5],
  ['Q6_K', 6.56],
  ['Q5_K_M', 5.7],
  ['Q5_K_S', 5.57],
  ['Q5_0', 5.6],
  ['Q5_1', 6.1],
  ['Q4_K_M', 4.89],
  ['Q4_K_S', 4.67],
  ['Q4_0', 4.66],
  ['Q4_1', 5.1],
  ['IQ4_XS', 4.46],
  ['IQ4_NL', 4.68],
  ['Q3_K_L', 4.3],
  ['Q3_K_M', 4],
  ['Q3_K_S', 3.66],
  ['IQ3_M', 3.76],
  ['IQ3_XS', 3.5],
  ['Q2_K', 3.16],
  ['IQ2_M', 2.95],
]);
/** Bits per weight where nobody says what a file was quantised to: those of Q8_0. */
const ASSUMED_BITS = 8.5;
const KIBIBYTE = 1024;
/**
 * f16 KV cache of one token per billion weights, where models.yaml does not say: 128 KiB at 8 billion with 8 KV heads.
 */
const KV_PER_TOKEN = 16 * KIBIBYTE;
/** llama.cpp rounds the cells of a sequence up to a multiple of this. */
const CELLS = 256;
const VOCABULARY = 152_064;
/** Buffers of one context: 20 to 230 MB for the paper's models. */
const COMPUTE = 100 * 2 ** 20;
const KV_BITS: Readonly<Record<KvType, number>> = {
  f32: 32,
  f16: 16,
  bf16: 16,
  q8_0: 8.5,
  q5_1: 6,
  q5_0: 5.5,
  q4_1: 5,
  q4_0: 4.5,
  iq4_nl: 4.5,
};
/** Tokens per second of a model of a billion weights. CUDA: 11,000 with 8 billion in Q8_0, measured on one H200. */
const SPEED = { cuda: 88_000, vulkan: 24_000, metal: 8_000 } as const;
/**
 * Such tokens where cuBLAS multiplies: 28,600 with 8.2 billion in Q8_0 on a build of `setup-gpu`, 32,000 in BF16 on
 * any, and 2,990 with 71 billion in Q4_K_M (docs/performance.md).
 */
const CUBLAS_SPEED = 235_000;
/**
 * A mixture of experts has these, by the weights that a token passes: 14,335 and 15,787 with 3.3 of 30.5 billion in
 * Q4_K_M by llama.cpp's own kernels, 4,178 by cuBLAS, which makes each of its layers wait for the host, and 6,179 in
 * BF16 whoever multiplies.
 */
const EXPERTS_SPEED = { own: 48_000, cublas: 13_000, sixteen: 20_400 };
/** Bytes of a weight from which a file has 16 bits or more: cuBLAS multiplies its matrices in every build. */
const WHOLE_FROM = 1.9;
/**
 * Tokens per second of one CPU core, of a model of a billion weights in Q8_0, measured on a core with AVX-512
 * (bench/real-files.ts).
 */
const CORE_SPEED = 30;
/**
 * Tokens written per second over tokens of prompts evaluated per second. Held to the grammar, most of a reply is known
 * and evaluated at once: 1.43 x the prompt for five replies with a demo model on a CPU (bench/elicitation.ts), where
 * free text took 0.34. An 8B model on an H200 wrote held replies at 0.7 and free text at 0.07, each of whose tokens is
 * drawn from 152k on the processor (bench/large-suite.yaml), and at 0.33 in BF16 and 0.25 in Q8_0 where our own reader
 * of logits draws them, 0.18 where cuBLAS multiplies for these tokens too (bench/gpu/README.md). On Vulkan and Metal
 * nothing was measured.
 */
const WRITING_SHARE = {
  grammar: { cpu: 1, cuda: 0.7, vulkan: 0.7, metal: 0.7 },
  text: { cpu: 0.34, cuda: 0.07, vulkan: 0.07, metal: 0.1 },
} as const;
/** Free text on CUDA that our own reader of logits draws, in four contexts of 64 replies, by the file and the build. */
const READER_SHARE = { whole: 0.33, quantised: 0.25, cublas: 0.18 };

export const ESTIMATE_RULES: readonly string[] = [
  'file = weights x bits of the quantisation (Q8_0: 8.5), for files that are not looked up yet',
  'memory = file + per context: KV cache of all sequences (models.yaml: kvCacheKiB a token; else 16 KiB per billion ' +
    'weights), each with room for the longest prompt and its reply, + logits of one batch + 100 MiB',
  'speed of a model with B billion (active) weights: 88,000 / B tokens per second on CUDA (11,000 at 8B in Q8_0, ' +
    'measured on one H200; 235,000 / B where cuBLAS multiplies: files of 16 bits, builds of setup-gpu; mixtures of ' +
    'experts 48,000 / B, by cuBLAS 13,000 / B, in 16 bits 20,400 / B), 24,000 / B on Vulkan, 8,000 / B on Metal, 30 / B ' +
    'per CPU core (measured with AVX-512); of a file that is here the weights of each type are counted, those of the ' +
    'output once a prompt; what an earlier run of the suite measured, and --probe, come first',
  'replies: 13 tokens each where the grammar holds them, at the speed of prompts on a CPU and 0.7 of it on CUDA ' +
    '(measured); free text up to maxTokens at 0.34 on a CPU and 0.07 on CUDA, after setup-gpu 0.33 in 16 bits and 0.25 quantised (0.18 without its choice of kernels; measured); Vulkan as CUDA, Metal 0.7 ' +
    'and 0.1 (assumed)',
];

/**
 * Size in bytes of a GGUF file that is not here, from the weights of its model and the quantisation in its name; null:
 * unknown.
 */
export function estimateBytes({ parameters, file }: Pick<ModelSpec, 'parameters' | 'file'>): number | null {
  const quant = /(?:^|[._-])(B?F16|F32|I?Q\d(?:_[0-9A-Z]+)*)(?=[._-])/i.exec(file ?? '')?.[1]?.toUpperCase();
  const bits = BITS.get(quant ?? '');
  return parameters === undefined || bits === undefined ? null : (parameters * 1e9 * bits) / 8;
}

/**
 * Memory in bytes that scoring takes; within 1.5 % of what llama.cpp's dry run says of files of the shape of the
 * paper's models (bench/memory-estimate.ts).
 *
 * KV cache: contexts x (sequences x contextSize, each rounded up to 256 cells, x bytes per token, and the logits of one
 * batch, batchSize x vocabulary x 4).
 */
export function estimateMemory(
  { parameters, kvCacheKiB, vocabulary = VOCABULARY, scoring }: Omit<ModelSize, 'activeParameters'>,
  bytes: number,
  { contexts, sequences, contextSize, batchSize }: PlannedContexts,
): MemoryNeeds {
  const billions = parameters ?? (bytes * 8) / ASSUMED_BITS / 1e9;
  const perToken = kvCacheKiB === undefined ? billions * KV_PER_TOKEN : kvCacheKiB * KIBIBYTE;
  const share = KV_BITS[scoring?.kvType ?? 'f16'] / KV_BITS.f16;
  const cells = sequences * Math.ceil(contextSize / CELLS) * CELLS;
  const logits = batchSize * vocabulary * 4;
  return { weights: bytes, kvCache: contexts * (cells * perToken * share + logits), compute: contexts * COMPUTE };
}

type ModelSize = Pick<ModelSpec, 'parameters' | 'activeParameters' | 'kvCacheKiB' | 'vocabulary' | 'scoring'>;

/** Assumed tokens per second; null when the weights are unknown. */
export function estimateSpeed(
  { parameters, activeParameters }: { parameters: number | undefined; activeParameters: number | undefined },
  device: Device,
  cores: number,
  kernels: Kernels = 'own',
): number | null {
  const billions = activeParameters ?? parameters;
  if (billions === undefined) return null;
  if (device === 'cpu') return (CORE_SPEED * cores) / billions;
  if (device === 'cuda' && activeParameters !== undefined) return EXPERTS_SPEED[kernels] / billions;
  return (device === 'cuda' && kernels !== 'own' ? CUBLAS_SPEED : SPEED[device]) / billions;
}

/**
 * Who multiplies most matrices of a file on CUDA: llama.cpp's own kernels or cuBLAS, which has those of a file of 16
 * bits in every build.
 */
export type Kernels = keyof typeof EXPERTS_SPEED;

/** Who multiplies most matrices of a file of so many bytes on CUDA. */
export function kernelsFor(
  {
    bytes,
    parameters,
    activeParameters,
  }: Pick<ModelSpec, 'parameters' | 'activeParameters'> & { bytes: number | null },
  { cublas, chosen }: CardProducts,
): Kernels {
  if (isWhole(bytes, parameters)) return 'sixteen';
  const hasExperts = activeParameters !== undefined;
  return cublas && !(chosen && hasExperts) ? 'cublas' : 'own';
}

/** Whether a file of so many bytes has 16 bits a weight or more; one whose weights nobody knows has not. */
export function isWhole(bytes: number | null, parameters: number | undefined): boolean {
  return bytes !== null && parameters !== undefined && bytes / (parameters * 1e9) >= WHOLE_FROM;
}

/** What writes free text. */
export interface Writer {
  readonly device: Device;
  readonly reader: boolean;
  readonly whole: boolean;
  readonly products: CardProducts;
}

/**
 * Hours of evaluating and writing so many tokens.
 *
 * @param reader whether our own reader of logits draws tokens on the device
 * @param whole whether the file has 16 bits a weight or more
 * @param products who multiplies the matrices of other files on a card
 */
export function estimateHours(
  { evaluatedTokens, generatedTokens }: { readonly evaluatedTokens: number; readonly generatedTokens: number },
  tokensPerSecond: number,
  { device, reader, whole, products: { cublas, chosen } }: Writer,
  structured: keyof typeof WRITING_SHARE,
): number {
  const isDrawn = structured === 'text' && device === 'cuda' && reader;
  const drawn = READER_SHARE[whole ? 'whole' : cublas && !chosen ? 'cublas' : 'quantised'];
  const share = isDrawn ? drawn : WRITING_SHARE[structured][device];
  return (evaluatedTokens + generatedTokens / share) / tokensPerSecond / 3600;
}
