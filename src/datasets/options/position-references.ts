import type { Example } from '../example/example.js';
import type { OptionLabels } from './option-labels.js';

/** Examples of which some option speaks of other options or of places in the list. */
export interface PositionReferences {
  readonly examples: number;
  /** Over all examples. */
  readonly options: number;
  /** The ids of the examples, in their order. */
  readonly ids: readonly string[];
}

/** Counts options that stop meaning the same when the options are shown in another order. */
export function positionReferences(examples: readonly Example[], labels: OptionLabels): PositionReferences {
  const found = examples.map(({ id, options }) => {
    return { id, options: options.filter((option) => refersToPosition(option, options.length, labels)).length };
  });
  const referring = found.filter(({ options }) => options > 0);
  return {
    examples: referring.length,
    options: referring.reduce((sum, { options }) => sum + options, 0),
    ids: referring.map(({ id }) => id),
  };
}

/** "all of the above", "none of these", "any one of the following". */
const OF_THE_ABOVE = /\b(all|none|any|both|either|neither|some|most)( one)?( of)?( the)? (above|following|below)\b/;
const OF_THESE =
  /^(all|none|any|both|either|neither)( one)?( of)?( the)? (these|those|them|others?|options|choices|answers|statements)$/;
/** "All", "Both are correct", "none is true". */
const QUANTIFIER =
  /^(all|none|both|neither|either|any)( (is|are))?( (not|equally))?( (true|false|right|wrong|correct|incorrect))?$/;
const OPTION_NAMED = /\b(options?|choices?|alternatives?) ([b-z]|\d+|a(?= (?:and|or) |$))\b/;

/**
 * Whether an option of K speaks of other options or of places in the list: "all of the above", "both A and C", "neither
 * B nor D", "A, B only", "the first two". Bare numbers ("1 and 2") count where the labels are digits, or beside a word
 * such as "both" or "options"; elsewhere they are most likely values, or statements of the question.
 */
export function refersToPosition(option: string, count: number, labels: OptionLabels): boolean {
  const text = plain(option);
  if (OF_THE_ABOVE.test(text) || OF_THESE.test(text) || QUANTIFIER.test(text)) return true;
  const named = OPTION_NAMED.exec(text);
  if (named !== null && isPlace(named[2] ?? '', count)) return true;
  return isListOfPlaces(text.split(' '), count, labels === 'digits');
}

/** Lower case, punctuation as spaces, without a label of its own ("d) none of the above"). */
function plain(option: string): string {
  const text = option.normalize('NFKC').toLowerCase();
  return text
    .replace(/^\s*\(?[a-z0-9][).:]\s+(?=\S)/, '')
    .replace(/&/g, ' and ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** Words that may stand between places. The first ones say that places are meant. */
const MARKERS = new Set(['both', 'neither', 'either', 'only', 'option', 'options', 'choice', 'choices', 'answers']);
const FILLERS = new Set(
  'and or nor but not is are all none the of true false right wrong correct incorrect statement statements'.split(' '),
);
const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'last'];
const NUMBERS = new Set(['two', 'three', 'four', 'five']);

/** Every word is a place, or a word between places; and the places are two or more, or one that is marked as such. */
function isListOfPlaces(words: readonly string[], count: number, digits: boolean): boolean {
  let [letters, numbers, ordinals, marked] = [0, 0, 0, false];
  for (const word of words) {
    if (MARKERS.has(word)) marked = true;
    else if (ORDINALS.includes(word)) ordinals++;
    else if (NUMBERS.has(word) && ordinals > 0) marked = true;
    else if (/^\d+$/.test(word) && isPlace(word, count)) numbers++;
    else if (isPlace(word, count)) letters++;
    else if (marked && isGlued(word, count)) letters += word.length;
    else if (!FILLERS.has(word)) return false;
  }
  const places = letters + ordinals + (digits || marked ? numbers : 0);
  return places > 1 || (places === 1 && marked);
}

/** One of the first K letters or numbers. */
function isPlace(word: string, count: number): boolean {
  if (/^\d+$/.test(word)) return Number(word) >= 1 && Number(word) <= count;
  return word.length === 1 && word >= 'a' && word.charCodeAt(0) < 'a'.charCodeAt(0) + count;
}

/** "both bc": letters in their order without anything between them. */
function isGlued(word: string, count: number): boolean {
  const letters = [...word];
  return (
    letters.length > 1 &&
    letters.every((letter, n) => isPlace(letter, count) && letter > (letters[n - 1] ?? '') && !/\d/.test(letter))
  );
}
