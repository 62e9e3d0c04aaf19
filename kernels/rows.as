/*
 * The loops over rows of options that most of a calibration's time goes into, in AssemblyScript: `npm run kernels`
 * compiles them to WebAssembly (code.ts). Exponentials are taken two at a time, which JavaScript cannot; all else is
 * the same operation by operation and in the same order as in the functions that each names, so that every result is
 * the same to the bit. WebAssembly never contracts a product and a sum.
 *
 * A block of rows is copied in, worked on and copied out: nothing here outlives a call but the table of roots.
 */

@external("math", "exp") declare function exp(x: f64): f64;
@external("math", "log1p") declare function log1p(x: f64): f64;

/** Rows of a block at most, and numbers (options of all rows) at most. */
export const ROWS: i32 = 1024;
export const NUMBERS: i32 = 32768;
/** Bins of one option at most, and numbers in the tallies of all options. */
export const BINS: i32 = 256;
export const SUMS: i32 = 16384;

/** What a block consists of. A row's numbers begin at offsets[n], counted from that of the first row. */
export const offsets: usize = memory.data(4 * 1025, 16);
export const values: usize = memory.data(8 * 32770, 16);
export const predictions: usize = memory.data(4 * 1024, 16);
export const labels: usize = memory.data(4 * 1024, 16);
export const weights: usize = memory.data(8 * 1024, 16);
export const means: usize = memory.data(8 * 1024, 16);
/** What becomes of it. */
export const confidences: usize = memory.data(8 * 1024, 16);
export const correct: usize = memory.data(1024, 16);
export const right: usize = memory.data(8 * 1024, 16);
export const wrong: usize = memory.data(8 * 1024, 16);
export const totals: usize = memory.data(8 * 4, 16);
export const sums: usize = memory.data(8 * 16384, 16);
export const edges: usize = memory.data(8 * 257, 16);
/** 2^(j/128) as the sum of the numbers 2j and 2j + 1, see exp-of-gap.ts. */
export const roots: usize = memory.data(8 * 256, 16);

const masses: usize = memory.data(8 * 32770, 16);
const rests: usize = memory.data(8 * 1024, 16);
const places: usize = memory.data(4 * 32768, 16);

/** Numbers of a bin, see bin-tally.ts: count, confidence, hits, squares, confidence of hits; and their bytes. */
const BIN_BYTES: usize = 40;
/** Where the logarithm of a product of totals is taken, see tally-examples.ts: above this, and after so many rows. */
const LARGE_PRODUCT: f64 = 1e100;
const PRODUCT_ROWS: i32 = 256;
const LEAST_GAP: f64 = -708;
/** Added to a whole number below 2^51, it leaves that number in the low bits. */
const WHOLE: f64 = 6755399441055744;

// @ts-ignore: decorator
@inline
function endOf(n: i32): usize {
  return <usize>(load<i32>(offsets + (<usize>n << 2), 4) - load<i32>(offsets)) << 3;
}

// @ts-ignore: decorator
@inline
function int(list: usize, n: i32): i32 {
  return load<i32>(list + (<usize>n << 2));
}

// @ts-ignore: decorator
@inline
function float(list: usize, n: i32): f64 {
  return load<f64>(list + (<usize>n << 3));
}

/** `expOfGap` of two gaps of 0 or below. */
// @ts-ignore: decorator
@inline
function expOf(gap: v128): v128 {
  if (i64x2.all_true(f64x2.gt(gap, f64x2.splat(LEAST_GAP)))) return expOfNormal(gap);
  return f64x2.replace_lane(f64x2.splat(expOfOne(f64x2.extract_lane(gap, 0))), 1, expOfOne(f64x2.extract_lane(gap, 1)));
}

function expOfOne(gap: f64): f64 {
  return gap > LEAST_GAP ? f64x2.extract_lane(expOfNormal(f64x2.splat(gap)), 0) : exp(gap);
}

// @ts-ignore: decorator
@inline
function expOfNormal(gap: v128): v128 {
  const whole = f64x2.trunc(f64x2.sub(f64x2.mul(gap, f64x2.splat(184.6649652337873)), f64x2.splat(0.5)));
  const near = f64x2.sub(gap, f64x2.mul(whole, f64x2.splat(0.005415212347998022)));
  const r = f64x2.sub(near, f64x2.mul(whole, f64x2.splat(1.2655086083325438e-13)));
  const fourth = f64x2.add(f64x2.splat(1.0 / 24.0), f64x2.mul(r, f64x2.splat(1.0 / 120.0)));
  const third = f64x2.add(f64x2.splat(1.0 / 6.0), f64x2.mul(r, fourth));
  const second = f64x2.add(f64x2.splat(1.0 / 2.0), f64x2.mul(r, third));
  const growth = f64x2.add(r, f64x2.mul(f64x2.mul(r, r), second));
  const step = f64x2.add(whole, f64x2.splat(WHOLE));
  const at = i32x4.shl(v128.and(step, i64x2.splat(127)), 4);
  const one = v128.load(roots + <usize>i32x4.extract_lane(at, 0));
  const other = v128.load(roots + <usize>i32x4.extract_lane(at, 2));
  const root = v128.shuffle<f64>(one, other, 0, 2);
  const low = v128.shuffle<f64>(one, other, 1, 3);
  const sum = f64x2.add(root, f64x2.add(low, f64x2.mul(root, growth)));
  // Times 2^(step >> 7): no result is subnormal, so that the exponent's bits can be added to.
  return i64x2.add(sum, i64x2.shl(i64x2.shr_u(step, 7), 52));
}

/** exp(beta (z - z_top)) of every number of a block; a pair may reach into the next row, which then overwrites it. */
function writeMasses(rows: i32, beta: f64): void {
  const factor = f64x2.splat(beta);
  let at: usize = 0;
  for (let n = 0; n < rows; n++) {
    const end = endOf(n);
    const max = f64x2.splat(load<f64>(values + at + (<usize>int(predictions, n) << 3)));
    for (; at < end; at += 16)
      v128.store(masses + at, expOf(f64x2.mul(factor, f64x2.sub(v128.load(values + at), max))));
    at = end;
  }
}

/** The option of each row with the largest number, ties to the lowest; returns how many rows have a tie: `predictions`. */
export function predict(rows: i32): i32 {
  let at: usize = 0;
  let ties = 0;
  for (let n = 0; n < rows; n++) {
    const end = endOf(n);
    let max = load<f64>(values + at);
    for (let k = at + 8; k < end; k += 8) {
      const value = load<f64>(values + k);
      max = value > max ? value : max;
    }
    let same = 0;
    let place = 0;
    for (; at < end; at += 8) {
      same += <i32>(load<f64>(values + at) == max);
      place += <i32>(same == 0);
    }
    // No number equals a maximum that is none.
    store<i32>(predictions + (<usize>n << 2), same == 0 ? 0 : place);
    ties += <i32>(same > 1);
  }
  return ties;
}

/** Top probability of every row at beta = 1 and whether its option is the label; returns how many are: `measure`. */
export function measure(rows: i32): i32 {
  writeMasses(rows, 1);
  let at: usize = 0;
  let rights = 0;
  for (let n = 0; n < rows; n++) {
    const end = endOf(n);
    let total: f64 = 0;
    for (; at < end; at += 8) total += load<f64>(masses + at);
    const hit = <i32>(int(predictions, n) == int(labels, n));
    store<f64>(confidences + (<usize>n << 3), 1 / total);
    store<u8>(correct + <usize>n, <u8>hit);
    rights += hit;
  }
  return rights;
}

/** Slope, what rounding lost of it and curvature, added to the totals: `alignmentSlope` without lifts. */
export function addSlopes(rows: i32, beta: f64): void {
  const factor = f64x2.splat(beta);
  const last = endOf(rows - 1);
  for (let at: usize = 0; at < last; at += 16)
    v128.store(masses + at, expOf(f64x2.mul(factor, v128.load(values + at))));
  let slope = load<f64>(totals);
  let lost = load<f64>(totals, 8);
  let curvature = load<f64>(totals, 16);
  let at: usize = 0;
  for (let n = 0; n < rows; n++) {
    const end = endOf(n);
    const weight = float(weights, n);
    if (weight == 0) {
      at = end;
      continue;
    }
    let total: f64 = 0;
    let first: f64 = 0;
    let second: f64 = 0;
    for (; at < end; at += 8) {
      const gap = load<f64>(values + at);
      const mass = load<f64>(masses + at);
      const part = mass * gap;
      total += mass;
      first += part;
      second += part * gap;
    }
    const mean = first / total;
    const term = weight * (mean - float(means, n));
    const next = slope + term;
    lost += Math.abs(slope) >= Math.abs(term) ? slope - next + term : term - next + slope;
    slope = next;
    curvature += weight * (second / total - mean * mean);
  }
  store<f64>(totals, slope);
  store<f64>(totals, lost, 8);
  store<f64>(totals, curvature, 16);
}

/** Doubts and their derivatives, each with what rounding lost, added to the totals: `meanDoubt`. */
export function addDoubts(rows: i32, beta: f64): void {
  const factor = f64x2.splat(beta);
  const none = f64x2.splat(0);
  const last = endOf(rows - 1);
  for (let at: usize = 0; at < last; at += 16) {
    const gap = v128.load(values + at);
    v128.store(masses + at, v128.andnot(expOf(f64x2.mul(factor, gap)), f64x2.eq(gap, none)));
  }
  let doubts = load<f64>(totals);
  let doubtsLost = load<f64>(totals, 8);
  let slopes = load<f64>(totals, 16);
  let slopesLost = load<f64>(totals, 24);
  let at: usize = 0;
  for (let n = 0; n < rows; n++) {
    const end = endOf(n);
    let others = -1;
    let rest: f64 = 0;
    let first: f64 = 0;
    for (; at < end; at += 8) {
      const gap = load<f64>(values + at);
      const mass = load<f64>(masses + at);
      others += <i32>(gap == 0);
      rest += mass;
      first += mass * gap;
    }
    rest += <f64>others;
    const total = 1 + rest;
    const doubt = rest / total;
    const slope = first / (total * total);
    const nextDoubts = doubts + doubt;
    const nextSlopes = slopes + slope;
    doubtsLost += Math.abs(doubts) >= Math.abs(doubt) ? doubts - nextDoubts + doubt : doubt - nextDoubts + doubts;
    slopesLost += Math.abs(slopes) >= Math.abs(slope) ? slopes - nextSlopes + slope : slope - nextSlopes + slopes;
    doubts = nextDoubts;
    slopes = nextSlopes;
  }
  store<f64>(totals, doubts);
  store<f64>(totals, doubtsLost, 8);
  store<f64>(totals, slopes, 16);
  store<f64>(totals, slopesLost, 24);
}

/** One block of `tallyRows`: sums, confidences and both sides; totals are right predictions, confidence, Brier, NLL. */
export function tally(rows: i32, beta: f64, bins: i32, rightOwned: i32): void {
  const size = BIN_BYTES * <usize>bins;
  writeMasses(rows, beta);
  writeRests(rows);
  addLosses(rows, beta);
  writeProbabilities(rows);
  addOptions(rows, bins, rightOwned);
  addTops(rows, size);
}

/** Sums of the masses but that of the prediction, see `massesOf`. */
function writeRests(rows: i32): void {
  let at: usize = masses;
  for (let n = 0; n < rows; n++) {
    const end = masses + endOf(n);
    const predicted = int(predictions, n);
    const others = <i32>((end - at) >> 3) - 1;
    let rest: f64 = 0;
    let lost: f64 = 0;
    for (let j = 0; j < others; j++) {
      // The j-th option but the predicted one, by the sign of a difference.
      const k = j + <i32>(<u32>(predicted - 1 - j) >>> 31);
      const mass = load<f64>(at + (<usize>k << 3));
      const sum = rest + mass;
      const kept = sum - rest;
      lost += rest - (sum - kept) + (mass - kept);
      rest = sum;
    }
    store<f64>(rests + (<usize>n << 3), rest + lost);
    at = end;
  }
}

function addLosses(rows: i32, beta: f64): void {
  let rights: i32 = 0;
  let confidence = load<f64>(totals, 8);
  let nll = load<f64>(totals, 24);
  let product: f64 = 0;
  let start: usize = values;
  for (let n = 0; n < rows; n++) {
    const predicted = int(predictions, n);
    const label = int(labels, n);
    const rest = float(rests, n);
    product += rest + product * rest;
    if (product > LARGE_PRODUCT) {
      nll += log1p(product);
      product = 0;
    }
    nll -= beta * (load<f64>(start + (<usize>label << 3)) - load<f64>(start + (<usize>predicted << 3)));
    start = values + endOf(n);
    const sure = 1 / (1 + rest);
    const hit = <i32>(predicted == label);
    store<f64>(confidences + (<usize>n << 3), sure);
    store<u8>(correct + <usize>n, <u8>hit);
    confidence += sure;
    store<f64>(right + (<usize>rights << 3), sure);
    store<f64>(wrong + (<usize>(n - rights) << 3), sure);
    rights += hit;
    if ((n + 1) % PRODUCT_ROWS == 0 || n == rows - 1) {
      nll += log1p(product);
      product = 0;
    }
  }
  store<f64>(totals, <f64>rights);
  store<f64>(totals, confidence, 8);
  store<f64>(totals, nll, 24);
}

function writeProbabilities(rows: i32): void {
  let brier = load<f64>(totals, 16);
  let at: usize = 0;
  for (let n = 0; n < rows; n++) {
    const end = endOf(n);
    const total = 1 + float(rests, n);
    const hit = at + (<usize>int(labels, n) << 3);
    const top = at + (<usize>int(predictions, n) << 3);
    store<f64>(masses + top, 1);
    for (; at < end; at += 8) {
      const probability = load<f64>(masses + at) / total;
      const miss = probability - <f64>(<i32>(at == hit));
      brier += miss * miss;
      store<f64>(masses + at, probability);
    }
  }
  store<f64>(totals, brier, 16);
}

/** Every probability to the bin of its option, by the rule of `binIndex`. */
function addOptions(rows: i32, bins: i32, rightOwned: i32): void {
  const size = BIN_BYTES * <usize>bins;
  const scale = <f64>bins * (1 - f64.EPSILON);
  const last = bins - 1;
  let at: usize = 0;
  for (let n = 0; n < rows; n++) {
    const end = endOf(n);
    let tally = sums + size;
    for (; at < end; at += 8) {
      const probability = load<f64>(masses + at);
      let bin = <i32>(probability * scale);
      const edge = edges + (<usize>bin << 3);
      if (rightOwned) {
        if (probability <= load<f64>(edge)) bin -= <i32>(bin > 0);
        else if (probability > load<f64>(edge, 8)) bin += <i32>(bin < last);
      } else if (probability < load<f64>(edge)) bin -= <i32>(bin > 0);
      else if (probability >= load<f64>(edge, 8)) bin += <i32>(bin < last);
      const place = BIN_BYTES * <usize>bin;
      store<i32>(places + (at >> 1), <i32>place);
      addConfidence(tally + place, probability);
      tally += size;
    }
  }
}

/** The label's probability as a hit of its option, and the top probability with whether it is one. */
function addTops(rows: i32, size: usize): void {
  let start: usize = 0;
  for (let n = 0; n < rows; n++) {
    const label = int(labels, n);
    const hit = start + (<usize>label << 3);
    const top = start + (<usize>int(predictions, n) << 3);
    addHit(sums + size * <usize>(label + 1) + <usize>load<i32>(places + (hit >> 1)), load<f64>(masses + hit), 1);
    const bin = sums + <usize>load<i32>(places + (top >> 1));
    const sure = float(confidences, n);
    addConfidence(bin, sure);
    addHit(bin, sure, <f64>(<i32>load<u8>(correct + <usize>n)));
    start = endOf(n);
  }
}

// @ts-ignore: decorator
@inline
function addConfidence(bin: usize, confidence: f64): void {
  store<f64>(bin, load<f64>(bin) + 1);
  store<f64>(bin, load<f64>(bin, 8) + confidence, 8);
  store<f64>(bin, load<f64>(bin, 24) + confidence * confidence, 24);
}

// @ts-ignore: decorator
@inline
function addHit(bin: usize, confidence: f64, hit: f64): void {
  store<f64>(bin, load<f64>(bin, 16) + hit, 16);
  store<f64>(bin, load<f64>(bin, 32) + hit * confidence, 32);
}
