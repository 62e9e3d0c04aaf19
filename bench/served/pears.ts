import type { ExamplePrompt } from '../../src/contract/prompt.js';

const LETTERS = ['A', 'B', 'C', 'D'];

/** A prompt whose texts are made when they are read: a million of them say what the client keeps, not the bench. */
class Pears implements ExamplePrompt {
  readonly mode = 'letter';
  readonly answerPrefix = null;

  constructor(private readonly i: number) {}

  get id(): string {
    return `q${this.i}`;
  }

  get text(): string {
    const [has, buys] = [11 + ((this.i * 7) % 60), 12 + ((this.i * 13) % 50)];
    return `Question: Anna has ${has} pears and buys ${buys} more. How many now?\nA. ${this.i}\nB. 40\nC. 50\nD. 60\nAnswer:`;
  }

  get continuations(): readonly string[] {
    return LETTERS;
  }
}

/** So many questions of four options, all different. */
export function pears(count: number): ExamplePrompt[] {
  return Array.from({ length: count }, (_, i) => new Pears(i));
}
