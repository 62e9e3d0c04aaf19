import type { Tokenize } from '../protocol/backend.js';

/** Tokens of `text` with each of `endings` after it, as the tokenizer finds them in the joined texts. */
export function tokenizeEndings(text: string, endings: readonly string[], tokenize: Tokenize): number[][] {
  return (tokenize.endings ?? oneByOne(tokenize))(text, endings);
}

/** So many texts are tokenised in both ways, and one difference ends the quick one. */
const COMPARED = 20;

/**
 * A tokenizer that takes a text with many endings as its lines before the last one, tokenised once, and its last line
 * with each ending. Right for models that keep lines apart (`LoadedModel.keepsLinesApart`) only.
 */
export function tokenizerByLines(tokenize: Tokenize): Tokenize {
  const slow = oneByOne(tokenize);
  const lineBreak = tokenize('\n');
  let [compared, trusted] = [0, true];
  const endings = (text: string, ends: readonly string[]): number[][] => {
    const quick = trusted ? byLastLine({ text, ends, lineBreak }, tokenize) : null;
    if (quick === null) return slow(text, ends);
    if (compared === COMPARED) return quick;
    compared++;
    const whole = slow(text, ends);
    trusted = whole.every((tokens, n) => isEqual(tokens, quick[n]));
    return whole;
  };
  return Object.assign((text: string) => tokenize(text), { endings });
}

function oneByOne(tokenize: Tokenize) {
  return (text: string, endings: readonly string[]) => endings.map((ending) => tokenize(text + ending));
}

interface Parts {
  readonly text: string;
  readonly ends: readonly string[];
  /** Tokens of a line break alone, and of what the tokenizer puts before every text. */
  readonly lineBreak: readonly number[];
}

/** null where there is no border to cut at, where that saves nothing, or where the tokens do not meet at the border. */
function byLastLine({ text, ends, lineBreak }: Parts, tokenize: Tokenize): number[][] | null {
  const border = lastBorder(text);
  if (border < 0 || (text.length - border) * ends.length >= text.length * (ends.length - 1)) return null;
  const line = text.slice(border);
  const lines: number[][] = [];
  for (const end of ends) {
    const tokens = tokenize(`\n${line}${end}`);
    if (!lineBreak.every((id, n) => tokens[n] === id)) return null;
    lines.push(tokens.slice(lineBreak.length));
  }
  const whole = tokenize(text + (ends[0] ?? ''));
  const [first = []] = lines;
  const before = whole.slice(0, Math.max(0, whole.length - first.length));
  if (!isEqual(whole.slice(before.length), first)) return null;
  return lines.map((tokens) => [...before, ...tokens]);
}

/** Where the last line begins that begins with a letter of ASCII and is not the first; -1 if there is none. */
function lastBorder(text: string): number {
  for (let at = text.lastIndexOf('\n'); at >= 0; at = at === 0 ? -1 : text.lastIndexOf('\n', at - 1)) {
    if (/[A-Za-z]/.test(text.charAt(at + 1))) return at + 1;
  }
  return -1;
}

function isEqual(a: readonly number[], b: readonly number[] = []): boolean {
  return a.length === b.length && a.every((id, n) => id === b[n]);
}
