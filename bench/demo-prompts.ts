import { readFileSync } from 'node:fs';
import type { ExamplePrompt } from '../src/contract/prompt.js';

/** Letter prompts of the demo's facts, `perPrompt` questions in each: the earlier ones are answered "A". */
export function demoPrompts(count: number, perPrompt: number): ExamplePrompt[] {
  const file = new URL('../datasets/demo-facts.jsonl', import.meta.url);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return Array.from({ length: count }, (_, n) => {
    const texts = Array.from({ length: perPrompt }, (_, k) => questionText(lines[(n + k) % lines.length]!));
    const text = texts.join(' A\n');
    return { id: `row-${n}`, text, mode: 'letter', continuations: ['A', 'B', 'C', 'D'], answerPrefix: null };
  });
}

function questionText(line: string): string {
  const { question, options } = JSON.parse(line) as { question: string; options: string[] };
  return `Question: ${question}\n${options.map((option, k) => `${'ABCDE'[k]}. ${option}`).join('\n')}\nAnswer:`;
}
