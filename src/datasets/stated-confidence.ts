/** A number as it was written. */
export interface Stated {
  readonly number: string;
  readonly percent: boolean;
}

const NUMBER = String.raw`([-+−]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\s*(%|percent\b|\/\s*100\b)?`;
const AFTER_THE_WORD = new RegExp(String.raw`\bconfiden(?:ce|t)\b[^\d\n+−-]{0,40}?${NUMBER}`, 'gi');
const BEFORE_THE_WORD = new RegExp(String.raw`${NUMBER}\s*confiden(?:ce|t)\b`, 'gi');
const WITH_PERCENT = /([-+−]?\d+(?:\.\d+)?)\s*(%|percent\b|\/\s*100\b)/gi;
const ALONE = new RegExp(NUMBER, 'gi');

/** The confidences in a text: after or before the word, else with a percent sign, else the only number. */
export function statedConfidences(text: string): Stated[] {
  for (const pattern of [AFTER_THE_WORD, BEFORE_THE_WORD, WITH_PERCENT]) {
    const found = statedBy(text, pattern);
    if (found.length > 0) return found;
  }
  const numbers = statedBy(text, ALONE);
  return numbers.length === 1 ? numbers : [];
}

function statedBy(text: string, pattern: RegExp): Stated[] {
  return [...text.matchAll(pattern)].map(([, number, sign]) => ({
    number: number!.replace('−', '-'),
    percent: sign !== undefined,
  }));
}
