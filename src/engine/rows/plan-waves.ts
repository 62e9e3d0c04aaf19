/** Prompts that are evaluated together, as indexes into the list of lengths. */
export type Wave = readonly number[];

const LEAST_COMPANY = 4;

/**
 * Groups prompts of like length, longest first (so that a lack of memory shows at once), equal lengths in their order.
 * A wave has at most `sequences` prompts and, padded to its longest one, at most `batchSize` tokens. llama.cpp cuts a
 * batch of unequal sequences into one pass per distinct length, so the backend pads the shorter ones after their last
 * token, which a causal model cannot see from there. Lengths in a wave differ by 1/8 at most: on MedMCQA's lengths 0.7
 * % of the evaluated tokens are then padding, and a GPU's batches are 95 % full (bench/batch-fill.ts).
 *
 * @param later tokens of the further passes of each prompt, which are padded like the first: prompts of a wave are
 *   alike in these too, within a band of 1/8. Fewer than four take the next ones along: filler costs less than passes
 *   that read all weights for a few tokens, and a lone prompt is evaluated twice
 */
export function planWaves(
  lengths: readonly number[],
  sequences: number,
  batchSize: number,
  later: readonly number[] = [],
): Wave[] {
  const waiting = lengths
    .map((length, index): Sized => ({ index, length, band: bandOf(later[index] ?? 0) }))
    .sort((a, b) => b.band - a.band || b.length - a.length || a.index - b.index);
  const waves: Wave[] = [];
  let start = 0;
  for (let first = waiting[start]; first !== undefined; first = waiting[start]) {
    const { length: longest, band } = first;
    const room = Math.max(1, Math.min(sequences, Math.floor(batchSize / longest)));
    const shortest = shortestBeside(longest);
    let end = start + 1;
    const joins = (next?: Sized) => next !== undefined && next.length >= shortest && next.band === band;
    while (end - start < room && joins(waiting[end])) end++;
    const most = () => Math.min(2 * longest, batchSize / (end - start + 1));
    const fits = (next?: Sized) => next !== undefined && next.length <= most();
    const least = band === 0 ? 0 : Math.min(room, LEAST_COMPANY);
    while (end - start < least && fits(waiting[end])) end++;
    waves.push(waiting.slice(start, end).map(({ index }) => index));
    start = end;
  }
  return waves;
}

/** The shortest length that shares a wave with this one. */
function shortestBeside(longest: number): number {
  return longest - Math.max(1, Math.floor(longest / 8));
}

/**
 * The first of some prompts, and those of the others that share its wave, the most alike in length first: who waits
 * longest is served, in a full wave where the others allow one.
 *
 * @param lengths in the order in which the prompts came
 * @returns indexes, in that order
 */
export function firstWave(lengths: readonly number[], sequences: number): Wave {
  const [first = 0, ...others] = lengths;
  const nearest = others
    .map((length, n) => ({ index: n + 1, length, apart: Math.abs(length - first) }))
    .sort((a, b) => a.apart - b.apart || a.index - b.index);
  const wave = [0];
  let [least, most] = [first, first];
  for (const { index, length } of nearest) {
    if (wave.length >= sequences) break;
    const [shorter, longer] = [Math.min(least, length), Math.max(most, length)];
    if (shorter < shortestBeside(longer)) continue;
    [least, most] = [shorter, longer];
    wave.push(index);
  }
  return wave.sort((a, b) => a - b);
}

/** A prompt by the tokens of its first pass, and by the band of those of its further passes. */
interface Sized {
  readonly index: number;
  readonly length: number;
  readonly band: number;
}

/** 0 for no tokens; each further band begins 8/7 higher. */
function bandOf(tokens: number): number {
  return tokens === 0 ? 0 : 1 + Math.floor(Math.log(tokens) / Math.log(8 / 7));
}
