import type { ModelSpec } from '../config/models-schema.js';
import type { ModelFacts } from './contract.js';

/** Bits per weight of whole files, as llama.cpp's table of quantisations has them for Llama 3.1 8B. */
const BITS: Readonly<Record<string, number>> = {
  ...{ F32: 32, F16: 16, BF16: 16, Q8_0: 8.5, Q6_K: 6.56, Q5_K_M: 5.7, Q5_K_S: 5.57, Q5_0: 5.6, Q5_1: 6.1 },
  ...{
    Q4_K_M: 4.89,
    Q4_K_S: 4.67,
    Q4_0: 4.66,
    Q4_1: 5.1,
    IQ4_XS: 4.46,
    IQ4_NL: 4.68,
    Q3_K_L: 4.3,
    Q3_K_M: 4,
    Q3_K_S: 3.66,
  },
  ...{ IQ3_M: 3.76, IQ3_XS: 3.5, Q2_K: 3.16, IQ2_M: 2.95 },
};
const KIBIBYTE = 1024;
/** f16 KV cache of one token per billion weights: 128 KiB at 8 billion with 8 KV heads. */
const KV_PER_TOKEN = 16 * KIBIBYTE;
/** Tokens that two contexts of full batches hold at once, rounded up. */
const TOKENS_HELD = 16_384;
const COMPUTE = 2 ** 30;
/** Tokens per second of a model of a billion weights. CUDA: 11,000 with 8 billion in Q8_0, measured on one H200. */
const SPEED = { cuda: 88_000, vulkan: 24_000, metal: 8_000 } as const;
/** The same for one CPU core: 20 GFLOP/s, 2 FLOP per weight and token. */
const CORE_SPEED = 10;

export const ESTIMATE_RULES: readonly string[] = [
  'file = weights x bits of the quantisation (Q8_0: 8.5), for files that are not looked up yet',
  'memory = file + 16 KiB of KV cache per token and billion weights x 16,384 tokens + 1 GiB',
  'speed of a model with B billion (active) weights: 88,000 / B tokens per second on CUDA (11,000 at 8B in Q8_0, measured on one H200), 24,000 / B on Vulkan, 8,000 / B on Metal, 10 / B per CPU core; what an earlier run of the suite measured comes first',
];

/** Size in bytes of a GGUF file that is not here, from the weights of its model and the quantisation in its name; null: unknown. */
export function estimateBytes({ parameters, file }: Pick<ModelSpec, 'parameters' | 'file'>): number | null {
  const quant = /(?:^|[._-])(B?F16|F32|I?Q\d(?:_[0-9A-Z]+)*)(?=[._-])/i.exec(file ?? '')?.[1]?.toUpperCase();
  const bits = BITS[quant ?? ''];
  return parameters === undefined || bits === undefined ? null : (parameters * 1e9 * bits) / 8;
}

/** Memory in bytes that scoring takes; `bytes` is the size of the file. */
export function estimateMemory({ parameters }: Pick<ModelSpec, 'parameters'>, bytes: number): number {
  const billions = parameters ?? (bytes * 8) / BITS.Q8_0! / 1e9;
  return bytes + billions * KV_PER_TOKEN * TOKENS_HELD + COMPUTE;
}

/** Assumed tokens per second; null when the weights are unknown. */
export function estimateSpeed(
  { parameters, activeParameters }: { parameters: number | undefined; activeParameters: number | undefined },
  backend: ModelFacts['backend'],
  cores: number,
): number | null {
  const billions = activeParameters ?? parameters;
  if (billions === undefined) return null;
  return (backend === 'cpu' ? CORE_SPEED * cores : SPEED[backend]) / billions;
}
