import { cutAtLabels } from './cut-at-labels.js';

/**
 * Options from one text with lettered labels, as MathQA has them, without their labels. Two forms are read: `a ) 38 , b
 * ) 27.675 , c ) 30`, cut at the labels in their order (a comma inside an option is text), and the same written out as
 * a Python list, `['a ) 2 : 3', 'b ) 4 : 5']`. A label that stands there twice (`a ) a ) 15`, `e ) c . 14`) goes too.
 *
 * Letters of the answer stay right in a damaged text: a label whose comma is missing (`c ) 3 d ) 4`) still begins its
 * option where no bracket is open before it, and an option that is not there at all (`b ) 2 , d ) 4`) is an empty one.
 *
 * @returns the option texts, or what is wrong
 */
export function letteredOptions(text: string): string[] | { readonly fault: string } {
  const list = pythonList(text);
  const pieces = list ?? cutAtLabels(withoutQuotes(text));
  if (pieces === null || pieces.length < 2) {
    const found = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);
    return { fault: `expected options with the labels a ), b ), ... in their order, found ${found}` };
  }
  return list === null ? withoutOwnLabels(pieces) : withoutLabels(pieces);
}

/**
 * Takes its label off every option of a list, and a second label behind it. A list whose labels are in another order,
 * or leave a letter out, is put in theirs.
 */
export function withoutLabels(options: readonly string[]): string[] {
  return withoutOwnLabels(byLetter(options));
}

/** Takes labels off options that stand at their places, whatever letters a second label has. */
function withoutOwnLabels(options: readonly string[]): string[] {
  return options.map((option, k, { length }) => {
    let text = option.trim();
    for (;;) {
      const rest = afterLabel(text, k, length);
      if (rest === null) return text;
      text = rest;
    }
  });
}

/** The options at the places that their letters say, where all have one and no two the same. */
function byLetter(options: readonly string[]): readonly string[] {
  const places = options.map((option) => {
    const letter = /^\s*\(?\s*([a-z])\s*\)/i.exec(option)?.[1];
    return letter === undefined ? -1 : letter.toLowerCase().charCodeAt(0) - 97;
  });
  if (places.includes(-1) || new Set(places).size < places.length) return options;
  const placed: string[] = Array(Math.max(...places) + 1).fill('');
  for (const [n, place] of places.entries()) placed[place] = options[n] ?? '';
  return placed.length > options.length + 2 ? options : placed;
}

/**
 * The text behind a label at its beginning; null when there is none. `b )` counts with the letter of any option, since
 * some inner labels are wrong; so does `b .`, unless another initial follows (`a . m .`); `b :`, which may be a ratio,
 * and `( b )`, which may be a factor, with the option's own letter alone. `a ) and c )` speaks of other options.
 */
function afterLabel(text: string, k: number, count: number): string | null {
  const match = /^(\(?)\s*([a-z])\s*([).:])\s*(?=\S)/i.exec(text);
  if (match === null) return null;
  const [, bracket, name = '', mark] = match;
  const letter = name.toLowerCase().charCodeAt(0) - 97;
  const rest = text.slice(match[0].length);
  if (/^(and|or|&)\s*\(?\s*[a-z]\s*[).]/i.test(rest)) return null;
  if (mark === ')') return (bracket === '' ? letter < count : letter === k) ? rest : null;
  if (mark === '.') return letter < count && !/^[a-z]\s*\./i.test(rest) ? rest : null;
  return letter === k && !/^[a-z](?![a-z])/i.test(rest) ? rest : null;
}

/** A Python list that is cut or damaged, as if it were plain text. */
function withoutQuotes(text: string): string {
  if (!/^\s*\[\s*['"]/.test(text)) return text;
  return text
    .replace(/^\s*\[\s*['"]/, '')
    .replace(/['"]?\s*\]?\s*$/, '')
    .replace(/['"]\s*,\s*['"]/g, ' , ');
}

/** The strings of a Python list literal; null when it is none. */
function pythonList(text: string): string[] | null {
  if (!/^\s*\[.*\]\s*$/s.test(text)) return null;
  const item = /\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*(,|\]\s*$)/sy;
  const items: string[] = [];
  item.lastIndex = text.indexOf('[') + 1;
  for (;;) {
    const match = item.exec(text);
    if (match === null) return null;
    items.push((match[1] ?? match[2] ?? '').replace(/\\(['"\\])/g, '$1'));
    if (match[3] !== ',') return items;
  }
}
