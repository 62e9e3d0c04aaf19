const MAX_LABELS = 26;

/**
 * Options from one text with lettered labels, as MathQA has them, without their labels. Two forms are read: `a ) 38 , b )
 * 27.675 , c ) 30`, cut at the labels in their order (a comma inside an option is text), and the same written out as a
 * Python list, `['a ) 2 : 3', 'b ) 4 : 5']`. A label that stands there twice (`a ) a ) 15`, `e ) c . 14`) goes too.
 *
 * @returns the option texts, or what is wrong
 */
export function letteredOptions(text: string): string[] | { readonly fault: string } {
  const pieces = /^\s*\[.*\]\s*$/s.test(text) ? pythonList(text) : cutAtLabels(text);
  if (pieces === null || pieces.length < 2) {
    const found = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);
    return { fault: `expected options with the labels a ), b ), ... in their order, found ${found}` };
  }
  return withoutLabels(pieces);
}

/** Takes its label off every option of a list, and a second label behind it. */
export function withoutLabels(options: readonly string[]): string[] {
  return options.map((option, k) => {
    let text = option.trim();
    for (;;) {
      const rest = afterLabel(text, k, options.length);
      if (rest === null) return text;
      text = rest;
    }
  });
}

/**
 * The text behind a label at its beginning; null when there is none. `b )` counts with the letter of any option, since
 * some inner labels are wrong; so does `b .`, unless another initial follows (`a . m .`); `b :`, which may be a ratio,
 * with the option's own letter alone.
 */
function afterLabel(text: string, k: number, count: number): string | null {
  const match = /^\(?\s*([a-z])\s*([).:])\s*(?=\S)/i.exec(text);
  if (match === null) return null;
  const letter = match[1]!.toLowerCase().charCodeAt(0) - 97;
  const rest = text.slice(match[0].length);
  if (match[2] === ')') return letter < count ? rest : null;
  if (match[2] === '.') return letter < count && !/^[a-z]\s*\./i.test(rest) ? rest : null;
  return letter === k && !/^[a-z](?![a-z])/i.test(rest) ? rest : null;
}

function cutAtLabels(text: string): string[] | null {
  const first = /^\s*\(?\s*([aA])\s*([).:])\s*/.exec(text);
  if (first === null) return null;
  const pieces: string[] = [];
  let start = first[0].length;
  for (let k = 1; k < MAX_LABELS; k++) {
    const label = labelAfter(first[1]!, k, first[2]!);
    label.lastIndex = start;
    const next = label.exec(text) ?? bareLabel(text, start, first, k);
    if (next === null) break;
    pieces.push(text.slice(start, next.index));
    start = next.index + next[0].length;
  }
  return [...pieces, text.slice(start)];
}

/** A label whose comma is missing, found only where a later label shows that it must be there. */
function bareLabel(text: string, start: number, [, letter = 'a', mark = ')']: RegExpExecArray, k: number) {
  const later = [k + 1, k + 2].flatMap((n) => {
    const label = labelAfter(letter, n, mark);
    label.lastIndex = start;
    return label.exec(text)?.index ?? [];
  });
  if (later.length === 0) return null;
  const bare = new RegExp(`\\s+\\(?\\s*${String.fromCharCode(letter.charCodeAt(0) + k)}\\s*\\${mark}\\s*`, 'g');
  bare.lastIndex = start;
  const next = bare.exec(text);
  return next !== null && next.index < later[0]! ? next : null;
}

const labels = new Map<string, RegExp>();

/** ` , b ) `: the label of option k, in the form of the first one, behind a comma, a semicolon or a line break. */
function labelAfter(first: string, k: number, mark: string): RegExp {
  const letter = String.fromCharCode(first.charCodeAt(0) + k);
  const known = labels.get(letter + mark);
  const label = known ?? new RegExp(`\\s*[,;\\n]\\s*\\(?\\s*${letter}\\s*\\${mark}\\s*`, 'g');
  labels.set(letter + mark, label);
  return label;
}

/** The strings of a Python list literal; null when it is none. */
function pythonList(text: string): string[] | null {
  const item = /\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*(,|\]\s*$)/sy;
  const items: string[] = [];
  item.lastIndex = text.indexOf('[') + 1;
  for (;;) {
    const match = item.exec(text);
    if (match === null) return null;
    items.push((match[1] ?? match[2]!).replace(/\\(['"\\])/g, '$1'));
    if (match[3] !== ',') return items;
  }
}
