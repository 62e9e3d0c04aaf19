import type { WirePrompt } from '../protocol/protocol.js';
import type { EncodedRotations } from './encode-rotations.js';
import { characterCounts, type EncodedText } from './encode-text-row.js';
import type { EncodedPrompt } from './encoded-prompt.js';

/** How a prompt stands in a list of numbers. Of a refusal or a prompt that is replied to, nothing follows. */
const OWN = 0;
const LETTER = 1;
const TEXT = 2;
const ROTATIONS = 3;

/**
 * The tokens of prompts as one list of numbers, which is sent to another process in a thousandth of the time that it
 * took to make them. What follows from a prompt without its tokens is left out: `unpackPrompts` is given the prompts.
 */
export function packPrompts(prompts: readonly EncodedPrompt[]): Uint32Array {
  const numbers: number[] = [];
  const list = (tokens: ArrayLike<number>) => {
    numbers.push(tokens.length);
    for (let n = 0; n < tokens.length; n++) numbers.push(tokens[n] ?? 0);
  };
  const lists = (all: readonly ArrayLike<number>[]) => {
    numbers.push(all.length);
    for (const tokens of all) list(tokens);
  };
  for (const prompt of prompts) {
    if (prompt.kind === 'ok') {
      numbers.push(LETTER);
      list(prompt.tokens);
      list(prompt.optionIds);
    } else if (prompt.kind === 'text') {
      const { tokens, continuations, baseline } = prompt;
      numbers.push(TEXT);
      list(tokens);
      lists(continuations);
      lists(baseline === null ? [] : [baseline.tokens, ...baseline.continuations]);
    } else if (prompt.kind === 'rotations') {
      numbers.push(ROTATIONS);
      list(prompt.tokens);
      lists(prompt.tails.flatMap(({ tokens, optionIds }) => [tokens, optionIds]));
    } else numbers.push(OWN);
  }
  return Uint32Array.from(numbers);
}

/**
 * Prompts as another process encoded and packed them; `encode` makes those that it left out.
 *
 * @returns null when the numbers are not those of so many prompts
 */
export function unpackPrompts(
  packed: Uint32Array,
  prompts: readonly WirePrompt[],
  encode: (prompt: WirePrompt) => EncodedPrompt,
): EncodedPrompt[] | null {
  const numbers = new PackedNumbers(packed);
  const encoded: EncodedPrompt[] = [];
  for (const prompt of prompts) {
    const read = READERS[numbers.next()];
    const result = read === undefined ? null : read(numbers, prompt, encode);
    if (result === null || numbers.isShort) return null;
    encoded.push(result);
  }
  return numbers.isThrough ? encoded : null;
}

type Reader = (
  numbers: PackedNumbers,
  prompt: WirePrompt,
  encode: (prompt: WirePrompt) => EncodedPrompt,
) => EncodedPrompt | null;

const READERS: Readonly<Record<number, Reader>> = {
  [OWN]: (_, prompt, encode) => encode(prompt),
  [LETTER]: (numbers, { id }) => ({ kind: 'ok', id, tokens: numbers.list(), optionIds: Array.from(numbers.list()) }),
  [TEXT]: readText,
  [ROTATIONS]: readRotations,
};

function readText(numbers: PackedNumbers, { id, continuations: texts, textScore }: WirePrompt): EncodedText {
  const tokens = numbers.list();
  const continuations = numbers.lists().map((each) => Array.from(each));
  const [bare, ...others] = numbers.lists().map((each) => Array.from(each));
  const baseline = bare === undefined ? null : { tokens: bare, continuations: others };
  const normalize = textScore?.normalize ?? 'sum';
  return { kind: 'text', id, tokens, continuations, normalize, characters: characterCounts(texts), baseline };
}

function readRotations(numbers: PackedNumbers, { id }: WirePrompt): EncodedRotations | null {
  const tokens = numbers.list();
  const lists = numbers.lists();
  const tailAt = (at: number) => ({
    tokens: lists[at] ?? new Uint32Array(),
    optionIds: Array.from(lists[at + 1] ?? []),
  });
  if (lists.length < 2 || lists.length % 2 !== 0) return null;
  const others = Array.from({ length: lists.length / 2 - 1 }, (_, n) => tailAt(2 * n + 2));
  return { kind: 'rotations', id, tokens, tails: [tailAt(0), ...others] };
}

/** Reads numbers in their order; what is not there reads as nothing, and is remembered. */
class PackedNumbers {
  #at = 0;

  constructor(private readonly packed: Uint32Array) {}

  get isShort(): boolean {
    return this.#at > this.packed.length;
  }

  get isThrough(): boolean {
    return this.#at === this.packed.length;
  }

  next(): number {
    return this.packed[this.#at++] ?? 0;
  }

  /** A part of the same memory. */
  list(): Uint32Array {
    const length = this.next();
    const start = this.#at;
    this.#at += length;
    return this.packed.subarray(start, this.#at);
  }

  lists(): Uint32Array[] {
    const count = Math.min(this.next(), this.packed.length);
    return Array.from({ length: count }, () => this.list());
  }
}
