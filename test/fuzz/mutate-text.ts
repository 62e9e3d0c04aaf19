import type { Random } from './random.js';

/** Pieces that parsers trip over. */
export const STRANGE: readonly string[] = [
  '', ' ', '\t', '\r', '\r\n', '\n\n', '\u0000', '\u001b[2J', '\ufeff', '\u2028', '\u0085', '\u202e', '\ud83d\ude00',
  '"', "'", '\\', '{', '}', '[', ']', ':', ',', ';', '#', '-', '- ', '? ', '| ', '> ', '%YAML 1.1\n', '---\n', '...\n',
  '&a ', '*a', '<<: *a', '!!binary ', '!x ', 'null', '~', 'true', 'no', '0123', '0x1f', '1e999', '-0', '.nan', 'NaN',
  '9007199254740993', '99999999999999999999999999', '1.10', '2026-11-28', '__proto__', 'constructor', 'hasOwnProperty',
  '=1+1', '..\\..\\', '../../', '/etc/passwd', 'hf_CANARY', '{{', '}}', '{options}', '\\ud800', '\\u0000',
]; // biome-ignore format: one list of pieces reads best without a line for each
const LONG = 100_000;

/** A copy with 1 to 3 changes to lines or characters. The result may hold bytes that are not UTF-8. */
export function mutateText(good: string, random: Random): Buffer {
  let text = good;
  const changes = 1 + random.below(3);
  for (let n = 0; n < changes; n++) text = random.pick(CHANGES)(text, random);
  const bytes = Buffer.from(text);
  if (random.chance(0.05) && bytes.length > 0) bytes[random.below(bytes.length)] = 0x80 + random.below(128);
  return bytes;
}

const CHANGES: ReadonlyArray<(text: string, random: Random) => string> = [
  (text, random) => overLines(text, (lines) => lines.splice(random.below(lines.length), 1)),
  (text, random) => overLines(text, (lines) => lines.splice(random.below(lines.length), 0, random.pick(lines))),
  (text, random) =>
    overLines(text, (lines) => {
      const n = random.below(lines.length);
      lines[n] = lines[n]!.slice(0, random.below(lines[n]!.length + 1));
    }),
  (text, random) =>
    overLines(text, (lines) => {
      const n = random.below(lines.length);
      lines[n] = `${' '.repeat(random.below(9))}${lines[n]!.trimStart()}`;
    }),
  (text, random) => text.slice(0, random.below(text.length + 1)),
  (text, random) => {
    const at = random.below(text.length + 1);
    return text.slice(0, at) + random.pick(STRANGE) + text.slice(at);
  },
  (text, random) => {
    const at = random.below(text.length + 1);
    return text.slice(0, at) + text.slice(at + 1 + random.below(12));
  },
  (text, random) => {
    const words = [...text.matchAll(/[\w.-]+/g)];
    if (words.length === 0) return text;
    const word = random.pick(words);
    return text.slice(0, word.index) + random.pick(STRANGE) + text.slice(word.index + word[0].length);
  },
  (text, random) => {
    if (!random.chance(0.1)) return text;
    const at = random.below(text.length + 1);
    return text.slice(0, at) + random.pick(['[', '{"a":', 'x', '- ', '(']).repeat(LONG / 10) + text.slice(at);
  },
  (text, random) => (random.chance(0.2) ? text.replaceAll('\n', random.pick(['\r\n', '\r', '\n\n'])) : text),
];

function overLines(text: string, change: (lines: string[]) => unknown): string {
  const lines = text.split('\n');
  change(lines);
  return lines.join('\n');
}
