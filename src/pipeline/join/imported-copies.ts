import { type RaggedRows, rowOf } from '../../numeric/ragged-rows.js';

/**
 * For every example the first one whose scores it shares in every model, itself where there is none: rows of imports
 * have no text, and copies of a question have equal scores. null when no two examples are copies.
 *
 * Rounded or certain scores are equal by chance: where c_m of N examples have the row of model m, N times the product
 * of all c_m / N examples are expected to share all of them. Less than one, and they are copies.
 *
 * @param models scores by example, of every model; an example that some model lacks has no copy
 */
export function importedCopies(models: readonly RaggedRows[]): Int32Array | null {
  const [model] = models;
  if (model === undefined) return null;
  const { rowCount } = model;
  // Copies are copies in the first model too: where its rows are all different, the others need no look.
  if (!hasRepeats(rowHashes([model], rowCount))) return null;
  const hashes = rowHashes(models, rowCount);
  if (!hasRepeats(hashes)) return null;
  const groups = groupsOf(hashes).map((group) => group.filter((n) => sameRows(models, group[0] ?? n, n)));
  const counts = models.map((each) => occurrences(rowHashes([each], rowCount)));
  const copies = Int32Array.from({ length: rowCount }, (_, n) => n);
  let found = false;
  for (const group of groups) {
    const [first] = group;
    if (first === undefined || group.length < 2 || expected(counts, first, rowCount) >= 1) continue;
    for (const n of group) copies[n] = first;
    found = true;
  }
  return found ? copies : null;
}

/** Whether a hash that is a number occurs twice: a table with open addresses, half of it empty at least. */
function hasRepeats(hashes: Float64Array): boolean {
  const table = new Float64Array(2 ** Math.ceil(Math.log2(2 * hashes.length + 1))).fill(Number.NaN);
  const last = table.length - 1;
  for (let n = 0; n < hashes.length; n++) {
    const hash = hashes[n]!;
    if (Number.isNaN(hash)) continue;
    let at = spreadBits(hash) & last;
    while (!Number.isNaN(table[at]!)) {
      if (table[at] === hash) return true;
      at = (at + 1) & last;
    }
    table[at] = hash;
  }
  return false;
}

/** All bits of a hash in the low ones of 32, which rows of whole numbers leave at zero (the end of MurmurHash3). */
function spreadBits(hash: number): number {
  let bits = (hash / 2 ** 32) ^ hash;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

/** Examples that share the row of example n in every model, were the models independent of one another. */
function expected(counts: readonly Uint32Array[], n: number, rowCount: number): number {
  return counts.reduce((product, count) => product * ((count[n] ?? 0) / rowCount), rowCount);
}

/** How many examples have the hash of each. */
function occurrences(hashes: Float64Array): Uint32Array {
  const counts = new Map<number, number>();
  for (const hash of hashes) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  return Uint32Array.from(hashes, (hash) => counts.get(hash) ?? 0);
}

/** Examples of equal hashes, those that are alone left out. */
function groupsOf(hashes: Float64Array): number[][] {
  const groups = new Map<number, number[]>();
  for (const [n, hash] of hashes.entries()) {
    if (Number.isNaN(hash)) continue;
    const group = groups.get(hash);
    if (group === undefined) groups.set(hash, [n]);
    else group.push(n);
  }
  return [...groups.values()].filter(({ length }) => length > 1);
}

function sameRows(models: readonly RaggedRows[], a: number, b: number): boolean {
  return models.every((model) => {
    const [first, second] = [rowOf(model, a), rowOf(model, b)];
    return first.length === second.length && first.every((value, k) => value === second[k]);
  });
}

/** A hash of 53 bits of the rows of every example in all models; NaN where a model has none. */
function rowHashes(models: readonly RaggedRows[], rowCount: number): Float64Array {
  const hashes = new Float64Array(rowCount);
  const words = models.map(({ values }) => new Uint32Array(values.buffer, values.byteOffset, 2 * values.length));
  for (let n = 0; n < rowCount; n++) {
    let [low, high] = [0x811c9dc5, 0x9e3779b9];
    let whole = true;
    for (const [m, { offsets }] of models.entries()) {
      const [start, end] = [2 * (offsets[n] ?? 0), 2 * (offsets[n + 1] ?? 0)];
      whole &&= end > start;
      const bits = words[m] ?? new Uint32Array();
      for (let i = start; i < end; i++) {
        low = Math.imul(low ^ (bits[i] ?? 0), 0x01000193);
        high = Math.imul(high ^ low ^ (low >>> 15), 0x85ebca6b);
      }
    }
    hashes[n] = whole ? (high >>> 11) * 2 ** 32 + (low >>> 0) : Number.NaN;
  }
  return hashes;
}
