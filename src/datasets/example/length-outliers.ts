import type { ExamplePrompt } from '../../contract/prompt.js';

/** Fewer rows have no usual length. */
const FEWEST = 20;
/** A file whose middle half is of one length still allows for this ratio. */
const NARROWEST = Math.log(1.25);
const RANGES = 3;
const LISTED = 10;

/** What `lengthOutliers` goes by, for people. */
const OUTLIER_RULE = [
  'beyond the quartiles of the logarithm of the length',
  `by over ${RANGES} interquartile ranges`,
].join(' ');

/**
 * Rows whose prompt is unusually long or short: most often a text that belongs to another row, or a file that slipped
 * in. What all prompts begin with (a few-shot block) does not count. Lengths in characters.
 *
 * @returns one line with the ids, or none
 */
export function lengthOutliers(prompts: readonly ExamplePrompt[]): string[] {
  if (prompts.length < FEWEST) return [];
  const shared = commonBeginning(prompts.map(({ text }) => text));
  const lengthOf = ({ text }: ExamplePrompt) => Math.log(Math.max(1, text.length - shared));
  const sorted = Float64Array.from(prompts, lengthOf).sort();
  const quartile = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
  const [low, high] = [quartile(0.25), quartile(0.75)];
  const range = RANGES * Math.max(high - low, NARROWEST);
  const found = prompts.filter((prompt) => lengthOf(prompt) > high + range || lengthOf(prompt) < low - range);
  if (found.length === 0) return [];
  const listed = found.slice(0, LISTED).map(({ id, text }) => `${id} (${text.length - shared})`);
  const more = found.length > LISTED ? `, and ${found.length - LISTED} more` : '';
  const usual = `the middle half has ${Math.round(Math.exp(low))} to ${Math.round(Math.exp(high))} characters`;
  const rows = found.length === 1 ? '1 row' : `${found.length} rows`;
  return [`${rows} of unusual length, ${OUTLIER_RULE}; ${usual}: ${listed.join(', ')}${more}`];
}

/** Characters that all texts begin with: those of the first and the last in order. */
function commonBeginning(texts: readonly string[]): number {
  const [first = ''] = texts;
  let [least, most] = [first, first];
  for (const text of texts) {
    if (text < least) least = text;
    if (text > most) most = text;
  }
  let length = 0;
  while (length < least.length && least[length] === most[length]) length++;
  return length;
}
