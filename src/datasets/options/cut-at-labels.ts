const MAX_LABELS = 26;

/**
 * The pieces of a text between its labels `a )`, `b )`, ..., without them; null when there are none. The first label of
 * the text says how the others look. A comma, a semicolon or a line break stands before a label, or is missing there;
 * of a label that is missing itself the option is an empty piece.
 */
export function cutAtLabels(text: string): string[] | null {
  const first = /^\s*(\(?)\s*([aA])\s*([).:])\s*/.exec(text);
  const [, opening = '', letter = '', mark = ''] = first ?? [];
  const form = first === null ? NO_FIRST : { opened: opening !== '', first: letter, mark };
  // Without its first label a text is one with labels if two more follow in their order.
  if (first === null && !/[,;]\s*b\s*\).*[,;]\s*c\s*\)/is.test(text)) return null;
  const pieces: string[] = [];
  let start = first?.[0].length ?? 0;
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

const NO_FIRST: LabelForm = { opened: false, first: 'a', mark: ')' };

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
 * A label whose comma is missing. It is one where a later label shows that it must be there, and at the end of a text
 * with labels such as `e )` where no bracket is open that its own would close: `f ( c )` names no option, nor does `( a
 * + c )`.
 */
function bareLabel(text: string, start: number, k: number, form: LabelForm): RegExpExecArray | null {
  const letter = letterOf(form, k);
  const pattern = labelPattern(`${form.first}${form.mark}${k} bare`, () => {
    return new RegExp(`\\s+\\(?\\s*${letter}\\s*\\${form.mark}\\s*`, 'g');
  });
  const later = [k + 1, k + 2].flatMap((n) => labelAfter(text, start, n, form)?.index ?? []);
  const [follower] = later;
  if (follower !== undefined) {
    const shown = firstOutside(text, start, pattern) ?? matchAfter(text, start, pattern);
    return shown !== null && shown.index < follower ? shown : null;
  }
  if (form.mark !== ')') return null;
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
  let open = 0;
  let at = start;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    for (; at < match.index; at++) {
      if (text[at] === '(') open++;
      else if (text[at] === ')' && open > 0) open--;
    }
    if (open === 0) return match;
  }
  return null;
}
