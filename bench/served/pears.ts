import type { ExamplePrompt } from '../../src/contract/prompt.js';

const LETTERS = ['A', 'B', 'C', 'D'];

/** A prompt whose texts are made when they are read: a million of them say what the client keeps, not the bench. */
class Pears implements ExamplePrompt {
  readonly mode = 'letter';
  readonly answerPrefix = null;

  constructor(
    private readonly i: number,
    private readonly before: string,
  ) {}

  get id(): string {
    return `q${this.i}`;
  }

  get text(): string {
    const [has, buys] = [11 + ((this.i * 7) % 60), 12 + ((this.i * 13) % 50)];
    return `${this.before}Question: Anna has ${has} pears and buys ${buys} more. How many now?\nA. ${this.i}\nB. 40\nC. 50\nD. 60\nAnswer:`;
  }

  get continuations(): readonly string[] {
    return LETTERS;
  }
}

/** So many questions of four options, all different, each after so many solved ones. */
export function pears(count: number, shots = 0): ExamplePrompt[] {
  return Array.from({ length: count }, (_, i) => {
    // Solved ones that differ from question to question, so that no server has them in its cache.
    const before = Array.from({ length: shots }, (_, n) => `${new Pears((i + 1) * 1000 + n, '').text} B\n\n`).join('');
    return new Pears(i, before);
  });
}
