/**
 * From the sum of a text's token log-probabilities to its score: the sum itself, the sum / tokens, the sum / characters
 * of the option's text, or the sum minus the same sum after `pmiPrompt` (what the text is worth without the question).
 */
export type TextScore =
  | { readonly normalize: 'sum' | 'mean-token' | 'per-char' }
  | { readonly normalize: 'pmi'; readonly pmiPrompt: string };

/** One example with its options in another order. */
export interface RotatedPrompt {
  readonly text: string;
  /** The K labels in the ORIGINAL order of the options: what stands for option k in this prompt. */
  readonly continuations: readonly string[];
}

/** What the scorer is asked for one example: a prompt and the K texts that may follow it. */
export interface ExamplePrompt {
  readonly id: string;
  /** The user's text, without chat framing. Always plain text for the tokenizer: data never becomes a control token. */
  readonly text: string;
  /**
   * letter: the logit of one label token is the score; text: the log-probability of the whole continuation is;
   * rotations: letter scores under every cyclic order of the options.
   */
  readonly mode: 'letter' | 'text' | 'rotations';
  /** What may follow, in option order, after `answerPrefix`: labels such as "A", "B", or the texts of the options. */
  readonly continuations: readonly string[];
  /** The K orders of the options, in `rotations` mode only; the first is `text` with `continuations`. */
  readonly rotations?: readonly RotatedPrompt[];
  /** How the log-probabilities of a text become its score; only in text mode. */
  readonly textScore?: TextScore;
  /** Text between prompt and continuation; null: one space after a visible character, nothing after white space. */
  readonly answerPrefix: string | null;
}
