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

/**
 * Discrete Fourier transform (Cooley and Tukey 1965) X_k = sum_j x_j exp(-2 pi i j k / n) in place: radix 4, after one
 * pass of radix 2 where the size is no power of four.
 */
export function fft(signal: ComplexSignal): void {
  const size = signal.real.length;
  const tables = tablesOf(size);
  reorder(signal, tables.order);
  let reach = 1;
  if (Math.log2(size) % 2 === 1) {
    addPairs(signal);
    reach = 2;
  }
  for (; reach < size; reach *= 4) addFours(signal, reach, tables);
}

function reorder({ real, imaginary }: ComplexSignal, order: Int32Array): void {
  for (let i = 0; i < order.length; i++) {
    const j = order[i]!;
    if (j <= i) continue;
    const keptReal = real[i]!;
    const keptImaginary = imaginary[i]!;
    real[i] = real[j]!;
    imaginary[i] = imaginary[j]!;
    real[j] = keptReal;
    imaginary[j] = keptImaginary;
  }
}

/** Transforms of two points. */
function addPairs({ real, imaginary }: ComplexSignal): void {
  for (let a = 0; a < real.length; a += 2) {
    const x = real[a + 1]!;
    const y = imaginary[a + 1]!;
    const firstReal = real[a]!;
    const firstImaginary = imaginary[a]!;
    real[a + 1] = firstReal - x;
    imaginary[a + 1] = firstImaginary - y;
    real[a] = firstReal + x;
    imaginary[a] = firstImaginary + y;
  }
}

/** Joins four transforms of `reach` points each into one: two passes of radix 2 in one walk through memory. */
function addFours({ real, imaginary }: ComplexSignal, reach: number, { cosines, sines }: Tables): void {
  const size = real.length;
  const stride = size / (4 * reach);
  for (let j = 0; j < reach; j++) {
    // Roots w and w^2 of the two passes, and their product.
    const c1 = cosines[j * stride]!;
    const s1 = sines[j * stride]!;
    const c2 = cosines[2 * j * stride]!;
    const s2 = sines[2 * j * stride]!;
    const c3 = c1 * c2 - s1 * s2;
    const s3 = c1 * s2 + s1 * c2;
    for (let a = j; a < size; a += 4 * reach) {
      const b = a + reach;
      const c = b + reach;
      const d = c + reach;
      const bx = real[b]!;
      const by = imaginary[b]!;
      const bReal = bx * c2 - by * s2;
      const bImaginary = bx * s2 + by * c2;
      const cx = real[c]!;
      const cy = imaginary[c]!;
      const cReal = cx * c1 - cy * s1;
      const cImaginary = cx * s1 + cy * c1;
      const dx = real[d]!;
      const dy = imaginary[d]!;
      const dReal = dx * c3 - dy * s3;
      const dImaginary = dx * s3 + dy * c3;
      const aReal = real[a]!;
      const aImaginary = imaginary[a]!;
      const sumReal = aReal + bReal;
      const sumImaginary = aImaginary + bImaginary;
      const gapReal = aReal - bReal;
      const gapImaginary = aImaginary - bImaginary;
      real[a] = sumReal + cReal + dReal;
      imaginary[a] = sumImaginary + cImaginary + dImaginary;
      real[c] = sumReal - cReal - dReal;
      imaginary[c] = sumImaginary - cImaginary - dImaginary;
      // The root of the second half of the joined transform is -i times that of the first.
      real[b] = gapReal + cImaginary - dImaginary;
      imaginary[b] = gapImaginary - cReal + dReal;
      real[d] = gapReal - cImaginary + dImaginary;
      imaginary[d] = gapImaginary + cReal - dReal;
    }
  }
}

/**
 * Circular convolution of two signals from their transforms (convolution theorem, Cooley and Tukey 1965): the inverse
 * transform of X_k Y_k, as a new signal.
 */
export function convolveTransforms(x: ComplexSignal, y: ComplexSignal): ComplexSignal {
  const size = x.real.length;
  // The inverse transform is the transform with real and imaginary part swapped on the way in and out.
  const real = new Float64Array(size);
  const imaginary = new Float64Array(size);
  for (let k = 0; k < size; k++) {
    const xReal = x.real[k]!;
    const xImaginary = x.imaginary[k]!;
    const yReal = y.real[k]!;
    const yImaginary = y.imaginary[k]!;
    real[k] = (xReal * yImaginary + xImaginary * yReal) / size;
    imaginary[k] = (xReal * yReal - xImaginary * yImaginary) / size;
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
