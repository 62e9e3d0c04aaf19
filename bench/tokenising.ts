/**
 * Time to tokenise letter prompts of MedMCQA's rows with four options, the prompt once for each option and the lines
 * before the last one only once. Compares the tokens of both, all rows; no model is evaluated.
 *
 *   npx tsx bench/tokenising.ts DEV.json VOCABULARY.gguf... (ROWS=2000)
 *
 * DEV.json: MedMCQA's dev file, one JSON object a line (question, opa to opd).
 */
import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { type EncodedPrompts, encodeJobs } from '../src/engine/encode/encode-jobs.js';
import { RAW_FRAME } from '../src/engine/frame/prompt-frame.js';
import { backend } from '../src/engine/llama/llama-backend.js';
import type { LoadedModel } from '../src/engine/protocol/backend.js';
import type { WirePrompt } from '../src/engine/protocol/protocol.js';
import { cpuSeconds, write } from './measure.js';

const [file, ...vocabularies] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: npx tsx bench/tokenising.ts DEV.json VOCABULARY.gguf...');
const rows = readFileSync(resolve(file), 'utf8')
  .trim()
  .split('\n')
  .slice(0, Number(process.env.ROWS ?? 2000));
const LETTERS = ['A', 'B', 'C', 'D'];
const prompts = rows.map((line, n): WirePrompt => {
  const row = JSON.parse(line) as Record<string, string>;
  const options = LETTERS.map((letter) => `${letter}. ${row[`op${letter.toLowerCase()}`]}`).join('\n');
  const text = `Question: ${row.question}\n${options}\nAnswer:`;
  return { id: String(n), text, mode: 'letter', continuations: LETTERS, answerPrefix: null };
});

const framing = { frame: RAW_FRAME, bos: { add: false, reason: 'the bench adds none' }, bosId: null };

async function timed({ tokenize }: LoadedModel, linesApart: boolean) {
  let encoded: EncodedPrompts | undefined;
  const seconds = await cpuSeconds(async () => {
    encoded = await encodeJobs([prompts], [], framing, { tokenize, linesApart });
  });
  return { tokens: JSON.stringify(encoded?.jobs), seconds };
}

for (const path of vocabularies) {
  const request = { modelPath: resolve(path), device: 'cpu' as const, threads: 1, vocabOnly: true, onLog: () => {} };
  const model = await backend.load(request);
  await timed(model, false);
  const [whole, lines] = [await timed(model, false), await timed(model, true)];
  const equal = whole.tokens === lines.tokens;
  const each = (seconds: number) => ((1000 * seconds) / prompts.length).toFixed(3);
  write(
    `${basename(path)}: ${prompts.length} prompts, ms of processor time each: ${each(whole.seconds)} whole, ` +
      `${each(lines.seconds)} by lines; lines kept apart: ${model.keepsLinesApart?.() === true}; tokens equal: ${equal}`,
  );
  await model.close();
}
await backend.shutdown();
