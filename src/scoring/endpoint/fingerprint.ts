import type { EndpointModel } from '../../config/source-kind.js';
import { contentHash } from '../../files/content-hash.js';
import { framePrompt } from './frame-prompt.js';
import { type Asking, askOptions } from './score-options.js';

/** Log-probabilities of the options of the fixed prompts; null: the server did not tell one. */
export type Fingerprint = readonly (readonly (number | null)[])[];

const LABELS = ['A', 'B', 'C', 'D'] as const;

/** What the ten fixed prompts ask. They never change: a fingerprint on record would be another model's. */
const QUESTIONS: readonly (readonly [question: string, ...options: readonly string[]])[] = [
  ['Which of these is a metal?', 'oak', 'copper', 'wool', 'glass'],
  ['How many legs does a spider have?', 'four', 'six', 'eight', 'ten'],
  ['Which month comes after March?', 'April', 'June', 'May', 'July'],
  ['What is 7 + 6?', '11', '12', '14', '13'],
  ['Which word means the opposite of "early"?', 'soon', 'late', 'quick', 'first'],
  ['Which animal lives in water?', 'trout', 'sparrow', 'goat', 'hare'],
  ['Which of these is a colour?', 'seven', 'green', 'under', 'loud'],
  ['What is the capital of France?', 'Rome', 'Madrid', 'Paris', 'Vienna'],
  ['What is 9 x 3?', '27', '24', '18', '36'],
  ['Which of these grows on trees?', 'salt', 'sand', 'apples', 'coal'],
];

/**
 * Rounding of other batches moves a log-probability by some hundredths on a GPU; another model moves it by far more.
 */
const SAME = { median: 0.03, largest: 0.3 } as const;

/**
 * Asks the fixed prompts.
 *
 * @param count how many of them; the first ones are enough to see that another model answers
 */
export async function takeFingerprint(asking: Asking, count = QUESTIONS.length): Promise<Fingerprint> {
  const prompts = QUESTIONS.slice(0, count).map((question) => fixedPrompt(question, asking.model));
  const asked = await Promise.all(prompts.map((prompt) => askOptions(prompt, asking)));
  return asked.map(({ logprobs }) => logprobs.map((each) => (Number.isFinite(each) ? each : null)));
}

/** One of the fixed prompts, for probes. */
export function anyFixedPrompt(model: EndpointModel) {
  return fixedPrompt(QUESTIONS[0] ?? [''], model);
}

function fixedPrompt([question, ...options]: (typeof QUESTIONS)[number], model: EndpointModel) {
  const lines = options.map((option, k) => `${LABELS[k]}. ${option}`);
  const text = `${question}\n${lines.join('\n')}\nAnswer:`;
  return framePrompt({ text, continuations: [...LABELS], answerPrefix: null }, model);
}

/**
 * Whether two fingerprints are of one model. Only differences between the options of a prompt count, as far as both
 * know them. Two that share nothing are not of one model.
 */
export function sameModel(one: Fingerprint, other: Fingerprint): boolean {
  const differences = one.flatMap((logprobs, p) => {
    const pairs = logprobs.flatMap((value, k) => {
      const second = other[p]?.[k] ?? null;
      return value === null || second === null || !Number.isFinite(value - second) ? [] : [value - second];
    });
    const mean = pairs.reduce((sum, each) => sum + each, 0) / pairs.length;
    return pairs.length < 2 ? [] : pairs.map((each) => Math.abs(each - mean));
  });
  differences.sort((a, b) => a - b);
  const median = differences[Math.floor(differences.length / 2)];
  return median !== undefined && median <= SAME.median && (differences.at(-1) ?? 0) <= SAME.largest;
}

/** The name of a fingerprint on record. */
export function fingerprintName(fingerprint: Fingerprint): string {
  return contentHash(fingerprint).slice(0, 16);
}
