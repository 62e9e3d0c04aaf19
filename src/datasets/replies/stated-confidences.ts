/** A number as it was written. */
export interface Stated {
  readonly number: string;
  readonly percent: boolean;
  /** It is one end of a range, one of several alternatives, or a bound: no confidence by itself. */
  readonly vague: boolean;
}

const PERCENT = String.raw`(%|percent\b|(?:\/|out of)\s*100\b)`;
const NUMBER = String.raw`([-+−]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\s*${PERCENT}?`;
const AFTER_THE_WORD = new RegExp(String.raw`\bconfiden(?:ce|t)\b[^\d\n+−-]{0,40}?${NUMBER}`, 'dgi');
const BEFORE_THE_WORD = new RegExp(String.raw`${NUMBER}\s*confiden(?:ce|t)\b`, 'dgi');
const WITH_PERCENT = new RegExp(String.raw`([-+−]?\d+(?:\.\d+)?)\s*${PERCENT}`, 'dgi');
const ALONE = new RegExp(NUMBER, 'dgi');

/** What joins two numbers into a range or a choice, on one line. */
const JOIN = String.raw`[-–—−~±/|,&]|\.{2,}|…|\+\/-|(?:to|or|and|through|until|vs\.?)\b`;
/** A second number, or a plus sign, right after the first. */
const GOES_ON = new RegExp(
  String.raw`^[ \t]*(?:%|percent\b)?[ \t]*(?:(?:${JOIN})[ \t]*(?:about[ \t]+)?[-+−]?\.?\d|\+)`,
  'i',
);
/** A first number, or a word of a range or a bound, right before it. */
const GOES_BEFORE = new RegExp(
  String.raw`(?:\d[ \t]*(?:%|percent)?[ \t]*(?:${JOIN})[ \t]*|\b(?:between|from|range of|at least|at most|more than|less than|greater than|over|under|above|below|up to)[ \t]*|[<>≤≥]=?[ \t]*)$`,
  'i',
);
/** A sign that is not a sign: what stands before it is a number. */
const AFTER_A_NUMBER = /\d[ \t]*(?:%|percent)?[ \t]*$/i;

/** The scale that was asked for, repeated: in brackets, after "scale of", or as the name of the field. */
const SCALE = String.raw`0(?:\.0)?[ \t]*%?[ \t]*(?:[-–—−~]|\.{2,}|…|to|and)[ \t]*(?:100[ \t]*%?|1(?:\.0)?)(?![\d.])`;
const ECHOES = [
  new RegExp(String.raw`[([<][^()\[\]<>\n]{0,30}\b${SCALE}[^()\[\]<>\n]{0,20}[)\]>]`, 'gi'),
  new RegExp(
    String.raw`\b(?:on|in|using)[ \t]+(?:a|the)[ \t]+(?:scale|range)[ \t]+(?:of|from|between)?[ \t]*${SCALE}`,
    'gi',
  ),
  new RegExp(String.raw`\bon[ \t]+a[ \t]+${SCALE}[ \t]+scale`, 'gi'),
  new RegExp(String.raw`(?:\b(?:from|between)[ \t]+)?\b${SCALE}(?=[ \t]*[:=])`, 'gi'),
];

/**
 * The confidences in a text: after or before the word, else with a percent sign, else the only number. The scale of the
 * request, repeated beside a number, is no confidence; where nothing but it stands, it is a range.
 */
export function statedConfidences(text: string): Stated[] {
  const read = ECHOES.reduce((rest, echo) => rest.replace(echo, ' '), text);
  for (const source of read === text ? [text] : [read, text]) {
    for (const pattern of [AFTER_THE_WORD, BEFORE_THE_WORD, WITH_PERCENT]) {
      const found = statedBy(source, pattern);
      if (found.length > 0) return found;
    }
    const numbers = statedBy(source, ALONE);
    if (numbers.length === 1) return numbers;
  }
  return [];
}

function statedBy(text: string, pattern: RegExp): Stated[] {
  return [...text.matchAll(pattern)].map((match) => {
    const [, number = '', sign] = match;
    const [from = 0, to = 0] = match.indices?.[1] ?? [];
    const [before, after] = [text.slice(Math.max(0, from - 40), from), text.slice(to, to + 40)];
    const signed = /^[-+−]/.test(number) && AFTER_A_NUMBER.test(before);
    const goesOn = GOES_ON.test(sign === undefined ? after : text.slice(match.indices?.[2]?.[1] ?? to).slice(0, 40));
    const vague = signed || goesOn || GOES_BEFORE.test(before);
    return { number: number.replace('−', '-'), percent: sign !== undefined, vague };
  });
}
