/** What the scorer is asked for one example: a prompt and the K texts that may follow it. */
export interface ExamplePrompt {
  readonly id: string;
  /** The user's text, without chat framing. Always plain text for the tokenizer: data never becomes a control token. */
  readonly text: string;
  /** K labels in option order, such as "A", "B"; the scorer puts `answerPrefix` before them. */
  readonly optionLabels: readonly string[];
  /** Text between prompt and label; null: one space after a visible character, nothing after white space. */
  readonly answerPrefix: string | null;
}
