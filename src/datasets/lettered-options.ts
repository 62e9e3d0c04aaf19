const MAX_LABELS = 26;

/**
 * Options from one text with lettered labels, as MathQA has them, without their labels. Two forms are read: `a ) 38 , b )
 * 27.675 , c ) 30`, cut at the labels in their order (a comma inside an option is text), and the same written out as a
 * Python list, `['a ) 2 : 3', 'b ) 4 : 5']`. A label that stands there twice (`a ) a ) 15`, `e ) c . 14`) goes too.
 *
 * Letters of the answer stay right in a damaged text: a label whose comma is missing (`c ) 3 d ) 4`) still begins its option
 * where no bracket is open before it, and an option that is not there at all (`b ) 2 , d ) 4`) is an empty one.
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

/**
 * Takes its label off every option of a list, and a second label behind it. A list whose labels are in another order, or
 * leave a letter out, is put in theirs.
 */
export function withoutLabels(options: readonly string[]): string[] {
  return byLetter(options).map((option, k, { length }) => {
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
  options.forEach((option, n) => {
    placed[places[n]!] = option;
  });
  return placed.length > options.length + 2 ? options : placed;
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
  const first = /^\s*(\(?)\s*([aA])\s*([).:])\s*/.exec(text);
  if (first === null) return null;
  const form: LabelForm = { opened: first[1] !== '', first: first[2]!, mark: first[3]! };
  const pieces: string[] = [];
  let start = first[0].length;
  let absent = 0;
  for (let k = 1; k < MAX_LABELS; k++) {
    const next = labelAfter(text, start, k, form) ?? bareLabel(text, start, k, form);
    if (next === null) {
      // No label but a later one: the option between them is not there.
      if (form.mark !== ')' || [k + 1, k + 2].every((n) => labelAfter(text, start, n, form) === null)) break;
      absent++;
      continue;
    }
    pieces.push(text.slice(start, next.index), ...Array(absent).fill(''));
    absent = 0;
    start = next.index + next[0].length;
  }
  return [...pieces, text.slice(start)];
}

/** How the labels of a text look: after its first one. */
interface LabelForm {
  readonly opened: boolean;
  /** a or A. */
  readonly first: string;
  readonly mark: string;
}

/** ` , b ) `: the label of option k behind a comma, a semicolon or a line break; rather one outside of brackets. */
function labelAfter(text: string, start: number, k: number, form: LabelForm): RegExpExecArray | null {
  const label = labelPattern(`${form.first}${form.mark}${k}`, () => {
    const letter = letterOf(form, k);
    return new RegExp(`\\s*[,;\\n]\\s*\\(?\\s*${letter}\\s*\\${form.mark}\\s*`, form.mark === ')' ? 'gi' : 'g');
  });
  return firstOutside(text, start, label) ?? matchAfter(text, start, label);
}

/**
 * A label whose comma is missing. It is one where a later label shows that it must be there, and at the end of a text with
 * labels such as `e )` where no bracket is open that its own would close: `f ( c )` names no option, nor does `( a + c )`.
 */
function bareLabel(text: string, start: number, k: number, form: LabelForm): RegExpExecArray | null {
  const letter = letterOf(form, k);
  const pattern = labelPattern(`${form.first}${form.mark}${k} bare`, () => {
    return new RegExp(`\\s+\\(?\\s*${letter}\\s*\\${form.mark}\\s*`, 'g');
  });
  const later = [k + 1, k + 2].flatMap((n) => labelAfter(text, start, n, form)?.index ?? []);
  const shown = later.length === 0 ? null : (firstOutside(text, start, pattern) ?? matchAfter(text, start, pattern));
  if (shown !== null && shown.index < later[0]!) return shown;
  if (form.mark !== ')' || later.length > 0) return null;
  const last = labelPattern(`${form.first}${k} last ${form.opened}`, () =>
    form.opened
      ? new RegExp(`(?<!\\b[a-z]|[+*=^])\\s+\\(\\s*${letter}\\s*\\)\\s*`, 'g')
      : new RegExp(`(?<![+*=^])\\s+${letter}\\s*\\)\\s*`, 'g'),
  );
  return firstOutside(text, start, last);
}

function letterOf({ first }: LabelForm, k: number): string {
  return String.fromCharCode(first.charCodeAt(0) + k);
}

const patterns = new Map<string, RegExp>();

function labelPattern(name: string, make: () => RegExp): RegExp {
  const pattern = patterns.get(name) ?? make();
  patterns.set(name, pattern);
  return pattern;
}

function matchAfter(text: string, start: number, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = start;
  return pattern.exec(text);
}

/** The first match before which every bracket since `start` is closed again. */
function firstOutside(text: string, start: number, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = start;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    let open = 0;
    for (const character of text.slice(start, match.index)) {
      if (character === '(') open++;
      else if (character === ')' && open > 0) open--;
    }
    if (open === 0) return match;
  }
  return null;
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
