import { ROOTS_OF_TWO } from '../exp-of-gap.js';
import { CODE } from './code.js';

/** Rows of a block, whose sums of logarithms are taken in parts of 256 rows as those of `inBlocks`. */
const MOST_ROWS = 1024;
const FEWER_ROWS = 256;

/** Loops of kernels/rows.as over a block of rows, which is put into `memory` before and taken from there after. */
export interface RowKernels {
  readonly memory: KernelMemory;
  /** Writes predictions; returns the number of rows with a tie. */
  predict(rows: number): number;
  /** From predictions and labels: writes confidences and correct; returns how many are right. */
  measure(rows: number): number;
  /** From gaps (as values), weights and means: adds slope, what rounding lost, and curvature to the totals. */
  addSlopes(rows: number, inverseTemperature: number): void;
  /** From gaps: adds doubts and their derivatives, each with what rounding lost, to the totals. */
  addDoubts(rows: number, inverseTemperature: number): void;
  /** See `tallyExamples`; not for an infinite temperature. */
  tally(rows: number, inverseTemperature: number, bins: number, rightOwned: number): void;
}

/** Arrays in the memory of the kernels; what one call left there is nothing for the next. */
export interface KernelMemory {
  readonly offsets: Int32Array;
  readonly values: Float64Array;
  readonly predictions: Int32Array;
  readonly labels: Int32Array;
  readonly weights: Float64Array;
  readonly means: Float64Array;
  readonly confidences: Float64Array;
  readonly correct: Uint8Array;
  readonly right: Float64Array;
  readonly wrong: Float64Array;
  readonly totals: Float64Array;
  readonly sums: Float64Array;
  readonly edges: Float64Array;
}

let made: RowKernels | null | undefined;

/**
 * The kernels of this thread; null where WebAssembly with vectors is not to be had (an old processor, a page whose
 * policy forbids it): functions in JavaScript then give the same numbers to the bit.
 */
export function rowKernels(): RowKernels | null {
  if (made === undefined) made = start();
  return made;
}

function start(): RowKernels | null {
  try {
    const code = Uint8Array.from(atob(CODE), (character) => character.charCodeAt(0));
    const imports = { math: { exp: Math.exp, log1p: Math.log1p } };
    const { Instance, Module } = (globalThis as unknown as WithWebAssembly).WebAssembly;
    return kernelsOf(new Instance(new Module(code), imports).exports);
  } catch {
    return null;
  }
}

/** TypeScript knows WebAssembly with the types of a browser alone. */
interface WithWebAssembly {
  readonly WebAssembly: {
    readonly Module: new (code: Uint8Array) => object;
    readonly Instance: new (module: object, imports: object) => { readonly exports: KernelExports };
  };
}

type KernelExports = Omit<RowKernels, 'memory'> & { readonly memory: { readonly buffer: ArrayBuffer } } & {
  readonly [Name in keyof KernelMemory | 'roots' | 'ROWS' | 'NUMBERS' | 'BINS' | 'SUMS']: { readonly value: number };
};

function kernelsOf(code: KernelExports): RowKernels {
  const { buffer } = code.memory;
  const rows = code.ROWS.value;
  const ints = (name: keyof KernelMemory, length: number) => new Int32Array(buffer, code[name].value, length);
  const floats = (name: keyof KernelMemory | 'roots', length: number) =>
    new Float64Array(buffer, code[name].value, length);
  floats('roots', ROOTS_OF_TWO.length).set(ROOTS_OF_TWO);
  const memory = {
    offsets: ints('offsets', rows + 1),
    values: floats('values', code.NUMBERS.value),
    predictions: ints('predictions', rows),
    labels: ints('labels', rows),
    weights: floats('weights', rows),
    means: floats('means', rows),
    confidences: floats('confidences', rows),
    correct: new Uint8Array(buffer, code.correct.value, rows),
    right: floats('right', rows),
    wrong: floats('wrong', rows),
    totals: floats('totals', 4),
    sums: floats('sums', code.SUMS.value),
    edges: floats('edges', code.BINS.value + 1),
  };
  const { predict, measure, addSlopes, addDoubts, tally } = code;
  return { memory, predict, measure, addSlopes, addDoubts, tally };
}

interface Rows {
  readonly rowCount: number;
  readonly offsets: Int32Array;
  readonly values: Float64Array;
}

/**
 * Walks all rows in blocks: by `kernel` those that fit into the memory of the kernels, whose offsets and values it then
 * finds there, by `plain` all others.
 */
export function walkRows(
  { rowCount, offsets, values }: Rows,
  kernel: (kernels: RowKernels, start: number, end: number) => void,
  plain: (start: number, end: number) => void,
): void {
  const kernels = rowKernels();
  for (let start = 0; start < rowCount; ) {
    let end = Math.min(start + MOST_ROWS, rowCount);
    const room = kernels?.memory.values.length ?? 0;
    if (offsets[end]! - offsets[start]! > room) end = Math.min(start + FEWER_ROWS, rowCount);
    const [from, to] = [offsets[start]!, offsets[end]!];
    if (kernels === null || to - from > room) {
      end = Math.min(start + FEWER_ROWS, rowCount);
      plain(start, end);
    } else {
      kernels.memory.offsets.set(offsets.subarray(start, end + 1));
      kernels.memory.values.set(values.subarray(from, to));
      kernel(kernels, start, end);
    }
    start = end;
  }
}
