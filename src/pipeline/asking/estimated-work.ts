/** What is known of a data set whose prompts are not here. */
export interface StatedSize {
  readonly rows: number;
  /** Mean length of a plain prompt. */
  readonly promptTokens: number;
  /** Length of the longest plain prompt in tokens. */
  readonly longest: number;
  /** Options per example. */
  readonly options: number;
}

/** What a model has to do for one data set, asked in one way. */
export interface EstimatedWork {
  /** Tokens of prompts. */
  readonly evaluatedTokens: number;
  /** Tokens of replies. */
  readonly generatedTokens: number;
  /** Tokens of the longest prompt with the room for its reply. */
  readonly longest: number;
  /** Rows of the cache entry, and those among them that are replies. */
  readonly rows: number;
  readonly replies: number;
}

/**
 * What a request adds to a prompt: the default one has 26 to 35 tokens in the vocabularies of Llama 3, Qwen 2 and Llama
 * 2.
 */
export const REQUEST_TOKENS = 30;

/** One plain prompt for each row. */
export function plainWork({ rows, promptTokens, longest }: StatedSize): EstimatedWork {
  return { evaluatedTokens: rows * promptTokens, generatedTokens: 0, longest, rows, replies: 0 };
}
