/**
 * Cosine transform of an even sequence (DCT-I), by a radix-2 FFT of length 2m:
 * X_k = x_0 + (-1)^k x_m + 2 sum_{0<j<m} x_j cos(pi j k / m), k = 0 .. m.
 * `half` holds x_0 .. x_m with m a power of two.
 */
export function evenTransform(half: Float64Array): Float64Array {
  const m = half.length - 1;
  const size = 2 * m;
  const real = new Float64Array(size);
  const imaginary = new Float64Array(size);
  const { order, cosines, sines } = tablesOf(size);
  for (let i = 0; i < size; i++) {
    const j = order[i]!;
    real[i] = half[j <= m ? j : size - j]!;
  }
  for (let length = 2; length <= size; length *= 2) {
    const reach = length / 2;
    const stride = size / length;
    for (let start = 0; start < size; start += length) {
      for (let j = 0; j < reach; j++) {
        const cos = cosines[j * stride]!;
        const sin = sines[j * stride]!;
        const a = start + j;
        const b = a + reach;
        const partReal = real[b]! * cos - imaginary[b]! * sin;
        const partImaginary = real[b]! * sin + imaginary[b]! * cos;
        real[b] = real[a]! - partReal;
        imaginary[b] = imaginary[a]! - partImaginary;
        real[a]! += partReal;
        imaginary[a]! += partImaginary;
      }
    }
  }
  return real.subarray(0, m + 1);
}

interface Tables {
  readonly order: Int32Array;
  readonly cosines: Float64Array;
  readonly sines: Float64Array;
}

const tables = new Map<number, Tables>();

/** Bit-reversed order and roots of unity of one size, computed once. */
function tablesOf(size: number): Tables {
  const known = tables.get(size);
  if (known !== undefined) return known;
  const order = new Int32Array(size);
  for (let i = 1; i < size; i++) order[i] = (order[i >> 1]! >> 1) | (i & 1 ? size / 2 : 0);
  const angle = (i: number) => (-2 * Math.PI * i) / size;
  const made = {
    order,
    cosines: Float64Array.from({ length: size / 2 }, (_, i) => Math.cos(angle(i))),
    sines: Float64Array.from({ length: size / 2 }, (_, i) => Math.sin(angle(i))),
  };
  tables.set(size, made);
  return made;
}
