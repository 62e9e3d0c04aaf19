import type { WorkerPlan } from '../../engine/protocol/protocol.js';
import { inTurns } from './in-turns.js';

/** What of an evaluation is tuned. */
export type Shape = Pick<WorkerPlan, 'contexts' | 'sequences' | 'batchSize'>;

export function shapeOf({ contexts, sequences, batchSize }: Shape): Shape {
  return { contexts, sequences, batchSize };
}

/** The settings of a shape that models.yaml says. */
export function saidOf(scoring: Partial<Record<keyof Shape, number | undefined>> = {}): Set<keyof Shape> {
  return new Set(SETTINGS.map(({ name }) => name).filter((name) => scoring[name] !== undefined));
}

/** Rows a second of a shape; null: it cannot be tried. */
export type Measure = (shape: Shape) => Promise<number | null>;

export interface FoundShape {
  /** The given one where no other is faster by enough. */
  readonly shape: Shape;
  /** `rates.found` over `rates.given`; 1: it is the given one. */
  readonly gain: number;
  /** Rows a second of the given shape and of the found one. */
  readonly rates: { readonly given: number; readonly found: number };
  readonly trials: number;
  /** Whether it got late before all that might gain was tried. */
  readonly isCut: boolean;
}

interface Setting {
  readonly name: keyof Shape;
  /** Whether its value is part of the key of a row: then it must gain more to be worth rows that are scored anew. */
  readonly keyed: boolean;
  readonly up: (value: number) => number;
  readonly down: (value: number) => number;
  readonly most: number;
}

const double = (value: number) => 2 * value;
const half = (value: number) => Math.ceil(value / 2);
/** 1, 2, 3, 4, 6, 8: more contexts than that never gained anything. */
const moreContexts = (value: number) => (value < 4 ? value + 1 : value + 2);
const fewerContexts = (value: number) => (value <= 4 ? value - 1 : value - 2);

/** More contexts are not tried. */
export const MOST_CONTEXTS = 8;

/** In this order: contexts move nothing but time, so they come first. */
const SETTINGS: readonly Setting[] = [
  { name: 'contexts', keyed: false, up: moreContexts, down: fewerContexts, most: MOST_CONTEXTS },
  { name: 'sequences', keyed: true, up: double, down: half, most: 256 },
  { name: 'batchSize', keyed: true, up: double, down: half, most: 8192 },
];

/** By how much a shape must be faster than another one: time is measured within 1 to 2 %. */
const GAIN = 1.03;
const KEYED_GAIN = 1.05;
/** Nobody can say which of two rates is higher that are nearer than this. */
const AS_FAST = 0.99;

/**
 * Looks for a faster shape than the given one, setting by setting: more as long as that gains, else less where more was
 * slower (rates rise to one peak and fall, so that where more is as fast, less is no faster). What it finds is measured
 * again in turns with the given shape (`inTurns`), so that the luckiest of many trials is not taken for the best.
 *
 * @param fixed settings that models.yaml says
 * @param isLate asked before each other shape: once it is late none is tried, and what was found is measured again
 * @returns null when the given shape itself cannot be tried
 */
export async function searchShape(
  given: Shape,
  fixed: ReadonlySet<keyof Shape>,
  measure: Measure,
  isLate: () => boolean = () => false,
): Promise<FoundShape | null> {
  let trials = 0;
  const rateOf = async (shape: Shape) => {
    trials++;
    return await measure(shape);
  };
  const first = await rateOf(given);
  if (first === null) return null;
  let best = { shape: given, rate: first };
  let isCut = false;
  const inTime: Measure = async (shape) => {
    isCut ||= isLate();
    return isCut ? null : await rateOf(shape);
  };
  for (const setting of SETTINGS) {
    if (fixed.has(setting.name)) continue;
    const more = await climb(best, setting, setting.up, inTime);
    const isPeak = more.best === best && (more.next ?? 0) < AS_FAST * best.rate;
    best = isPeak ? (await climb(best, setting, setting.down, inTime)).best : more.best;
  }
  const taken = (shape: Shape, { given: before, found }: FoundShape['rates']) => {
    const gain = shape === given ? 1 : found / before;
    return { shape, gain, rates: { given: before, found }, trials, isCut };
  };
  const asGiven = (rate = first) => taken(given, { given: rate, found: rate });
  if (best.shape === given) return asGiven();
  const moved = SETTINGS.some(({ name, keyed }) => keyed && best.shape[name] !== given[name]);
  const searched = { given: first, found: best.rate };
  const rates = await inTurns([given, best.shape], moved ? KEYED_GAIN : GAIN, rateOf, searched);
  // Beside a trial that ended the process nothing is faster, and no run should take a shape of which one did.
  if (rates === null) return asGiven();
  return rates.isFaster ? taken(best.shape, rates) : asGiven(rates.given);
}

interface Tried {
  readonly shape: Shape;
  readonly rate: number;
}

/** @returns the last value that gained, and the rate of the next one, which did not; null: there is none */
async function climb(
  from: Tried,
  { name, keyed, most }: Setting,
  step: (value: number) => number,
  rateOf: Measure,
): Promise<{ readonly best: Tried; readonly next: number | null }> {
  let best = from;
  for (;;) {
    const value = step(best.shape[name]);
    if (value < 1 || value > most || value === best.shape[name]) return { best, next: null };
    const shape = { ...best.shape, [name]: value };
    const rate = await rateOf(shape);
    if (rate === null || rate < (keyed ? KEYED_GAIN : GAIN) * best.rate) return { best, next: rate };
    best = { shape, rate };
  }
}
