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

/**
 * A reply is `lead + open + label + middle + number + close`: one of the leads, one of the labels as a JSON string, a
 * whole number from 0 to 100. The model chooses where the replies differ; what follows for certain is not asked.
 */
export interface ReplyForm {
  readonly leads: readonly string[];
  /** open, middle, close */
  readonly parts: readonly [string, string, string];
}

/** One reply that is to be generated. */
export interface ReplyRequest {
  /** Id of the example; the prompt's own id names the sample too. */
  readonly example: string;
  /** 1, 2, ...: which of the example's replies it is. */
  readonly sample: number;
  /** Seed of the sampler. It follows from the example's id and the sample alone, so that neighbours do not matter. */
  readonly seed: number;
  /** 0: the most probable token, always. */
  readonly temperature: number;
  readonly maxTokens: number;
  /** What the reply is held to; null: free text. */
  readonly form: ReplyForm | null;
  /** Texts of the K options, which a reply may name in place of their labels. */
  readonly options: readonly string[];
}

/** What the scorer is asked for one example: a prompt and the K texts that may follow it. */
export interface ExamplePrompt {
  readonly id: string;
  /** The user's text, without chat framing. Always plain text for the tokenizer: data never becomes a control token. */
  readonly text: string;
  /**
   * letter: the logit of one label token is the score; text: the log-probability of the whole continuation is;
   * rotations: letter scores of several prompts that begin alike (every cyclic order of the options); reply: nothing is
   * scored, the model writes.
   */
  readonly mode: 'letter' | 'text' | 'rotations' | 'reply';
  /** What may follow, in option order, after `answerPrefix`: labels such as "A", "B", or the texts of the options. */
  readonly continuations: readonly string[];
  /** In `reply` mode only; `continuations` are then the labels that a reply may name. */
  readonly reply?: ReplyRequest;
  /** The K orders of the options, in `rotations` mode only; the first is `text` with `continuations`. */
  readonly rotations?: readonly RotatedPrompt[];
  /** How the log-probabilities of a text become its score; only in text mode. */
  readonly textScore?: TextScore;
  /** Text between prompt and continuation; null: one space after a visible character, nothing after white space. */
  readonly answerPrefix: string | null;
}
