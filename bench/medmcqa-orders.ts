import { readFileSync } from 'node:fs';
import type { ExamplePrompt } from '../src/contract/prompt.js';

/** MedMCQA's dev file, questions taken evenly, under all cyclic orders of their options, as the product asks them. */
export function medmcqaOrders(file: string, count: number): ExamplePrompt[] {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return Array.from({ length: count }, (_, n) => {
    const row = JSON.parse(lines[Math.floor((n * lines.length) / count)]!) as Record<string, unknown>;
    const texts = [row.opa, row.opb, row.opc, row.opd].map(String);
    return ordersOf(`q${n}`, String(row.question), texts);
  });
}

/** A question under all cyclic orders of its options. */
export function ordersOf(id: string, question: string, texts: readonly string[]): ExamplePrompt {
  const rotations = texts.map((_, r) => {
    const shown = texts.map((_, p) => `${'ABCDE'[p]}. ${texts[(p + r) % texts.length]}`);
    const continuations = texts.map((_, k) => 'ABCDE'[(k - r + texts.length) % texts.length]!);
    return { text: `Question: ${question}\n${shown.join('\n')}\nAnswer:`, continuations };
  });
  return { id, ...rotations[0]!, mode: 'rotations', rotations, answerPrefix: null };
}
