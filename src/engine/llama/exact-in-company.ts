import { GgmlType } from 'node-llama-cpp';

/**
 * Types of weights whose kernels give a row of activations the same sums among two rows as among any more, on x86: read
 * from ggml and found bit for bit (bench/README.md). Q4_K and Q2_K are repacked: groups of four rows take another
 * kernel than those left over. The IQ types take another from eight rows on.
 */
const EXACT = new Set<GgmlType>([
  GgmlType.F32,
  GgmlType.F16,
  GgmlType.BF16,
  GgmlType.Q8_0,
  GgmlType.Q4_0,
  GgmlType.Q4_1,
  GgmlType.Q5_0,
  GgmlType.Q5_1,
  GgmlType.Q3_K,
  GgmlType.Q5_K,
  GgmlType.Q6_K,
  GgmlType.IQ4_NL,
]);

/** Rows of a mixture of experts are grouped by expert: which meet in a group is a matter of the neighbours. */
const OF_EXPERTS = /_exps\b/;

/** Types among them with another kernel for a product of a single row, as the output of a lone prompt is. */
const OTHER_ALONE = new Set<GgmlType>([GgmlType.F32, GgmlType.F16, GgmlType.BF16]);

/** A tensor of a file. */
export interface WeightTensor {
  readonly name: string;
  readonly ggmlType: GgmlType;
  readonly dimensions: readonly (number | bigint)[];
}

/**
 * Whether a prompt has the same numbers in every company, by the tensors of its file; where nobody has looked (other
 * processors than x86, other types), it has not.
 */
export function exactInCompany(
  tensors: ReadonlyArray<Pick<WeightTensor, 'name' | 'ggmlType'>>,
  processor: string = process.arch,
): boolean {
  if (processor !== 'x64' || tensors.length === 0) return false;
  return tensors.every(({ name, ggmlType }) => EXACT.has(ggmlType) && !OF_EXPERTS.test(name));
}

/**
 * Whether these are also the numbers that it has by itself: no matrix is of 16 or 32 bits, and the processor has AVX2
 * (without it Q8_0, Q4_0 and IQ4_NL have another kernel for a single row).
 */
export function exactAlone(
  tensors: readonly WeightTensor[],
  features: string,
  processor: string = process.arch,
): boolean {
  if (!exactInCompany(tensors, processor) || !/\bAVX2 = 1\b/.test(features)) return false;
  const isMatrix = ({ dimensions }: WeightTensor) => dimensions.filter((size) => Number(size) > 1).length > 1;
  return tensors.every((tensor) => !OTHER_ALONE.has(tensor.ggmlType) || !isMatrix(tensor));
}
