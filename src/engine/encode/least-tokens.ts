import type { WirePrompt } from '../protocol/protocol.js';

/**
 * Bytes of a text by kind: ASCII letters, ASCII digits, other visible ASCII, and all beyond ASCII in UTF-8. Blanks and
 * control characters are none, since some tokens take those beside them along.
 */
export type ByteCounts = readonly [letters: number, digits: number, marks: number, others: number];

/** What a GGUF file says of its vocabulary under `tokenizer.ggml`, as far as it matters here. */
interface Vocabulary {
  readonly tokens?: readonly string[];
  readonly token_type?: readonly number[];
}

/** Token that no text is read as. */
const CONTROL = 3;

/**
 * The most bytes of each kind that one token of a vocabulary stands for. A vocabulary of bytes spells a byte beyond
 * visible ASCII as a character of two bytes, so that the counts are rather too high, never too low.
 *
 * @param kind `tokenizer.ggml.model`
 * @returns null for vocabularies where bytes of a text may get no token at all, or many of them one
 */
export function tokenReach(
  kind: string | null,
  { tokens, token_type: types = [] }: Vocabulary = {},
): ByteCounts | null {
  if (tokens === undefined || (kind !== 'gpt2' && kind !== 'llama')) return null;
  if (kind === 'gpt2' && !hasAllBytes(tokens)) return null;
  const most: [number, number, number, number] = [1, 1, 1, 1];
  for (const [id, text] of tokens.entries()) {
    if (types[id] === CONTROL) continue;
    for (const [n, bytes] of byteCounts(text).entries()) most[n] = Math.max(most[n] ?? 1, bytes);
  }
  return most;
}

/** Visible bytes stand for themselves in a vocabulary of bytes; the 256 letters behind them for all others. */
function hasAllBytes(tokens: readonly string[]): boolean {
  const known = new Set(tokens.filter(({ length }) => length === 1));
  for (let byte = 0x21; byte < 0x7f; byte++) if (!known.has(String.fromCharCode(byte))) return false;
  return [...known].filter((text) => text > '\u007f').length >= 256 - (0x7f - 0x21);
}

/** Fewest tokens that a text can have: each kind of bytes by itself needs so many. */
export function leastTokens(text: string, reach: ByteCounts): number {
  return Math.max(...byteCounts(text).map((bytes, kind) => Math.ceil(bytes / (reach[kind] ?? 1))));
}

/** A prompt of fewer characters is tokenised, which takes no time, whatever it holds. */
const SHORT = 65_536;

/**
 * Fewest tokens of a prompt, found without tokenising it, which takes minutes for one of 15 MB; 0 for one that is
 * short, or where the vocabulary tells nothing.
 */
export function leastOf(prompt: WirePrompt, reach: () => ByteCounts | null): number {
  if (!isLong(prompt)) return 0;
  const known = reach();
  return known === null ? 0 : leastTokens(longestText(prompt), known);
}

/** Whether a prompt is long enough to be looked at before it is tokenised. */
export function isLong(prompt: WirePrompt): boolean {
  return longestText(prompt).length >= SHORT;
}

/** The longest that a sequence must hold: one order of the options, the longest option behind it in text mode. */
function longestText({ text, rotations = [], mode, continuations }: WirePrompt): string {
  const longest = longestOf([text, ...rotations.map((each) => each.text)]);
  return mode === 'text' ? longest + longestOf(continuations) : longest;
}

function longestOf(texts: readonly string[]): string {
  return texts.reduce((longest, text) => (text.length > longest.length ? text : longest), '');
}

function byteCounts(text: string): ByteCounts {
  let [letters, digits, marks, others] = [0, 0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x80) others += code < 0x800 || isSurrogate(code) ? 2 : 3;
    else if ((code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)) letters++;
    else if (code >= 0x30 && code <= 0x39) digits++;
    else if (code > 0x20 && code !== 0x7f) marks++;
  }
  return [letters, digits, marks, others];
}

/** Half of a character of four bytes. */
function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xe000;
}
