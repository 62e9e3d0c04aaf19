import type { ParsedReply } from '../../contract/scored-row.js';
import { type Stated, statedConfidences } from './stated-confidences.js';

/** Raised when a rule below changes: replies that were read by other rules are then read, and written, again. */
export const REPLY_RULES = 2;

/** The rules as far as they concern replies that a grammar held: these have one form, which is read as ever. */
export const HELD_REPLY_RULES = 1;

/** Characters of a reply that are read; an answer stands in the first few. */
const READ = 10_000;

/** What a reply may name: the K labels as they were shown, and the K texts of the options. */
export interface ReplyChoices {
  readonly labels: readonly string[];
  readonly options: readonly string[];
}

/**
 * Reads answer and confidence from a reply. Nothing is guessed, clamped or filled in:
 *
 * 1. Only the first 10,000 characters count, in Unicode form NFKC, with the digits of every script as 0 to 9.
 * 2. Every JSON object with an "answer" counts; one that names a field twice says nothing by it.
 * 3. Without one, the answer is what follows "answer", "answer is" or "answer:", else the label that the reply begins
 *    with (alone, in brackets, or with punctuation, a number or nothing after it); the confidence is what follows
 *    "confidence", else a number with % behind it, else the one number in the reply.
 * 4. A label counts as it was shown, or in the other case when it is not in its place a word; the whole text of one
 *    option counts as its label.
 * 5. A confidence is a percentage; a number with a decimal point, from 0 to 1 and without %, is a fraction of 1.
 * 6. Two different answers or two different confidences are `ambiguous`, and so is a number that is one end of a range
 *    (0-100, 0.5 to 100, between 20 and 80), an alternative (85 or 90), a bound (at least 80, > 80) or written with a
 *    decimal comma; below 0 or above 100 is `out-of-range`. The scale of the request beside a number does not count:
 *    "confidence (0-100): 85" is 85.
 * 7. No answer, and words such as "I cannot" or "I'm sorry", is a `refusal`; otherwise `no-answer`, `no-confidence`.
 *
 * @param ended false: the reply was cut. What it says counts only when it is a whole JSON object
 */
export function parseReply(text: string, choices: ReplyChoices, ended = true): ParsedReply {
  const reply = asciiDigits(text.slice(0, READ).normalize('NFKC'));
  const objects = jsonReplies(reply, choices);
  if (objects.length === 0 && !ended) return none('cut');
  const answers = objects.length > 0 ? objects.map(({ answer }) => answer) : textAnswers(reply, choices);
  const found = [...new Set(answers.filter((answer) => answer !== -1))];
  const [answer, ...others] = found;
  if (answer === undefined) return none(REFUSAL.test(reply) ? 'refusal' : 'no-answer');
  if (others.length > 0 || answers.includes(-1)) return none('ambiguous');
  const stated = objects.length > 0 ? objects.flatMap(({ confidence }) => confidence) : statedConfidences(reply);
  return withConfidence(answer, stated);
}

function withConfidence(answer: number, stated: readonly Stated[]): ParsedReply {
  if (stated.some(({ vague }) => vague)) return none('ambiguous');
  const values = [...new Set(stated.map(percent))];
  const [confidence, ...others] = values;
  if (confidence === undefined) return none('no-confidence');
  if (others.length > 0) return none('ambiguous');
  if (!(confidence >= 0 && confidence <= 100)) return none('out-of-range');
  return { verdict: 'parsed', answer, confidence };
}

function none(verdict: Exclude<ParsedReply['verdict'], 'parsed'>): ParsedReply {
  return { verdict, answer: -1, confidence: Number.NaN };
}

function percent({ number, percent }: Stated): number {
  const value = Number(number);
  const fraction = !percent && number.includes('.') && value >= 0 && value <= 1;
  return fraction ? 100 * value : value;
}

const REFUSAL =
  /\b(?:i(?:['’]m| am)? (?:sorry|unable|not able)|(?:i|we) (?:can ?not|can['’]t|won['’]t|will not|do not know|don['’]t know)|can(?: ?not|['’]t) (?:answer|determine|help)|as an ai|unable to)\b/i;

interface JsonReply {
  /** -1: the object names no option. */
  readonly answer: number;
  readonly confidence: readonly Stated[];
}

/** The objects of a reply that have an answer. The number is taken from the text: 1 and 1.0 are not the same. */
function jsonReplies(reply: string, choices: ReplyChoices): JsonReply[] {
  return [...reply.matchAll(/\{[^{}]*\}/g)].flatMap(([text]): JsonReply[] => {
    const fields = fieldsOf(text);
    if (fields === null || !fields.has('answer')) return [];
    const named = fields.get('answer');
    const answer = typeof named === 'string' || typeof named === 'number' ? choiceOf(String(named), choices) : -1;
    const value = fields.get('confidence');
    if (typeof value === 'string') return [{ answer, confidence: statedConfidences(`confidence ${value}`) }];
    if (typeof value !== 'number') return [{ answer, confidence: [] }];
    const written = /"confidence"\s*:\s*(-?[\d.eE+-]+)/i.exec(text)?.[1] ?? String(value);
    return [{ answer, confidence: [{ number: written, percent: false, vague: false }] }];
  });
}

/** By name in lower case; null when the text is no JSON object. A field that is named twice has no value. */
function fieldsOf(text: string): Map<string, unknown> | null {
  try {
    const value = JSON.parse(text) as Record<string, unknown>;
    const fields = new Map(Object.entries(value).map(([name, each]) => [name.trim().toLowerCase(), each]));
    for (const name of ['answer', 'confidence'])
      if ([...text.matchAll(new RegExp(`"${name}"\\s*:`, 'gi'))].length > 1) fields.set(name, null);
    return fields;
  } catch {
    return null;
  }
}

function textAnswers(reply: string, { labels, options }: ReplyChoices): number[] {
  const named = [...reply.matchAll(/\banswer\b["*]*\s*(?:is\b|:|=|-)?\s*["'*([]*([^\n]*)/gi)].flatMap(([, rest = '']) =>
    leadingOnes(rest, { labels, options }),
  );
  if (named.length > 0) return named;
  return leadingOnes(reply.trimStart().replace(/^["'*([]+/, ''), { labels, options });
}

/** The option that a text begins with, and those that it names in the same breath: "A/B", "A, C", "A-D", "A & B". */
function leadingOnes(text: string, choices: ReplyChoices): number[] {
  const first = leading(text, choices);
  const label = choices.labels[first];
  if (first === -1 || label === undefined || !text.startsWith(label)) return first === -1 ? [] : [first];
  const next = /^["'*\])]*[ \t]*(?:[/|,&–—-]|(?:or|and|to)\b)+[ \t]*["'*([]*([^\s"'*)\].,;:/|&–—-]+)/i;
  const other = choices.labels.indexOf(next.exec(text.slice(label.length))?.[1] ?? '');
  return other === -1 ? [first] : [first, other];
}

/** The label, or the whole option, that a text begins with; -1: none. A label must not be the beginning of a phrase. */
function leading(text: string, choices: ReplyChoices): number {
  const whole = choiceOf(text.replace(/[.!"'*)\]\s]+$/, ''), choices);
  if (whole !== -1) return whole;
  const ends = /^["'*\])]*\s*(?:$|[\n.,;:)(/|—-]|\d|(?:with|at|confidence|because|since|and i)\b)/i;
  const longestFirst = choices.labels.map((label, k) => ({ label, k })).sort((a, b) => b.label.length - a.label.length);
  const found = longestFirst.find(({ label }) => text.startsWith(label) && ends.test(text.slice(label.length)));
  return found?.k ?? -1;
}

/** The option that a whole text names by its label or its own words; -1: none, or more than one. */
function choiceOf(text: string, { labels, options }: ReplyChoices): number {
  const exact = labels.indexOf(text.trim());
  if (exact !== -1) return exact;
  const folded = fold(text).replace(/^[([]|[.)\]]$/g, '');
  for (const names of [labels, options]) {
    const same = names.flatMap((name, k) => (fold(name) === folded ? [k] : []));
    const [only, ...others] = same;
    if (only !== undefined && others.length === 0) return only;
  }
  const [, label, rest = ''] = /^\(?([^\s.):]+)\s*[.):]\s+(.*)$/s.exec(text.trim()) ?? [];
  const k = label === undefined ? -1 : labels.indexOf(label);
  return k !== -1 && fold(options[k] ?? '') === fold(rest) ? k : -1;
}

function fold(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase();
}

/** The decimal digits of a script are ten neighbours; NFKC has made those of styles (full width, bold) plain before. */
function asciiDigits(text: string): string {
  return text.replace(/[^\p{ASCII}]/gu, (character) => {
    if (!/\p{Nd}/u.test(character)) return character;
    const code = character.codePointAt(0) ?? 0;
    let value = 0;
    while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
    return String(value);
  });
}
