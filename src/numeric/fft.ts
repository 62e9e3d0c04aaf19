/** One complex signal of a power-of-two length, as two arrays. */
export interface ComplexSignal {
  readonly real: Float64Array;
  readonly imaginary: Float64Array;
}

/** An all-zero signal of the smallest power of two that holds `length` numbers. */
export function zeroSignal(length: number): ComplexSignal {
  const size = 2 ** Math.ceil(Math.log2(Math.max(2, length)));
  return { real: new Float64Array(size), imaginary: new Float64Array(size) };
}

/** Discrete Fourier transform X_k = sum_j x_j exp(-2 pi i j k / n) in place, radix 2. */
export function fft({ real, imaginary }: ComplexSignal): void {
  const size = real.length;
  const { order, cosines, sines } = tablesOf(size);
  for (let i = 0; i < size; i++) {
    const j = order[i]!;
    if (j <= i) continue;
    const [keptReal, keptImaginary] = [real[i]!, imaginary[i]!];
    real[i] = real[j]!;
    imaginary[i] = imaginary[j]!;
    real[j] = keptReal;
    imaginary[j] = keptImaginary;
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
}

/** Circular convolution of two signals from their transforms: the inverse transform of X_k Y_k, as a new signal. */
export function convolveTransforms(x: ComplexSignal, y: ComplexSignal): ComplexSignal {
  const size = x.real.length;
  // The inverse transform is the transform with real and imaginary part swapped on the way in and out.
  const real = new Float64Array(size);
  const imaginary = new Float64Array(size);
  for (let k = 0; k < size; k++) {
    real[k] = (x.real[k]! * y.imaginary[k]! + x.imaginary[k]! * y.real[k]!) / size;
    imaginary[k] = (x.real[k]! * y.real[k]! - x.imaginary[k]! * y.imaginary[k]!) / size;
  }
  fft({ real, imaginary });
  return { real: imaginary, imaginary: real };
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
