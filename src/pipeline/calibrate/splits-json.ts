import type { Split } from '../../calibration/split-examples.js';

/** The splits of one data set: indexes into its ids, by seed. */
export interface DatasetSplits {
  readonly dataset: string;
  readonly ids: readonly string[];
  readonly bySeed: ReadonlyArray<{ readonly seed: number } & Pick<Split, 'calibration' | 'evaluation'>>;
}

const COMMA = 0x2c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Bytes that are copied at a time. */
const WORD = 4;

/**
 * The bytes of splits.json: `{dataset: {seed: {calibration: [ids], evaluation: [ids]}}}`. Every id is encoded once and
 * its bytes are copied from there: a million ids in five splits would else be ten million strings.
 */
export function splitsJson(datasets: readonly DatasetSplits[]): Uint8Array {
  const chunks = datasets.flatMap((splits, d) => [Buffer.from(d === 0 ? '' : ','), ...datasetJson(splits)]);
  return Buffer.concat([Buffer.from('{'), ...chunks, Buffer.from('}\n')]);
}

const made = new WeakMap<DatasetSplits, readonly Uint8Array[]>();

/** The part of one data set, made once, when there is time for it. */
export function datasetJson(splits: DatasetSplits): readonly Uint8Array[] {
  const known = made.get(splits) ?? encodeSplits(splits);
  made.set(splits, known);
  return known;
}

function encodeSplits({ dataset, ids, bySeed }: DatasetSplits): Uint8Array[] {
  const encoded = encodeIds(ids);
  return [
    Buffer.from(`${JSON.stringify(dataset)}:{`),
    ...bySeed.flatMap(({ seed, calibration, evaluation }, s) => [
      Buffer.from(`${s === 0 ? '' : ','}"${seed}":{"calibration":[`),
      listOf(encoded, calibration),
      Buffer.from('],"evaluation":['),
      listOf(encoded, evaluation),
      Buffer.from(']}'),
    ]),
    Buffer.from('}'),
  ];
}

interface EncodedIds {
  /** All ids with a word behind them. */
  readonly padded: Uint8Array;
  /** Id i takes padded[starts[i]] .. padded[starts[i + 1] - 2], quotes included; a comma or bracket follows. */
  readonly starts: Int32Array;
}

function encodeIds(ids: readonly string[]): EncodedIds {
  const text = JSON.stringify(ids);
  const padded = Buffer.from(text + ' '.repeat(WORD));
  const bytes = padded.subarray(0, padded.length - WORD);
  const starts = new Int32Array(ids.length + 1);
  // A bracket, then every id with two quotes and what follows it.
  starts[0] = 1;
  for (let id = 0; id < ids.length; id++) starts[id + 1] = starts[id]! + ids[id]!.length + 3;
  const whole = starts[ids.length] === bytes.length;
  return { padded, starts: whole ? starts : findStarts(bytes, ids.length) };
}

/** Finds where each id begins when some are escaped or not ASCII. */
function findStarts(bytes: Uint8Array, count: number): Int32Array {
  const starts = new Int32Array(count + 1);
  let inside = false;
  let id = 0;
  for (let at = 1; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === BACKSLASH) at++;
    else if (byte === QUOTE) {
      inside = !inside;
      if (inside) starts[id++] = at;
    }
  }
  starts[count] = bytes.length;
  return starts;
}

/** The ids with the given indexes, commas between. */
function listOf({ padded, starts }: EncodedIds, indexes: Int32Array): Uint8Array {
  let size = 0;
  for (let i = 0; i < indexes.length; i++) size += starts[indexes[i]! + 1]! - starts[indexes[i]!]!;
  const list = new Uint8Array(size + WORD);
  const [source, target] = [viewOf(padded), viewOf(list)];
  let to = 0;
  for (let i = 0; i < indexes.length; i++) {
    const start = starts[indexes[i]!]!;
    const length = starts[indexes[i]! + 1]! - 1 - start;
    // What the last word has too much is written over by the comma and the next id.
    for (let at = 0; at < length; at += WORD) target.setUint32(to + at, source.getUint32(start + at));
    to += length;
    list[to++] = COMMA;
  }
  return list.subarray(0, Math.max(0, size - 1));
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
