/**
 * Memory and speed of `supportcal predict` on standard input: `npx tsx bench/predict-memory.ts ARTEFACT logits|input N`.
 * N rows are generated as they are read. `logits` applies the temperature to four scores; `input` reads questions,
 * renders their prompts and answers them with scores from a stub in place of a model.
 */
import { readFile } from 'node:fs/promises';
import { standardInput } from '../src/formats/text/byte-stream.js';
import { parseArtefact } from '../src/pipeline/artefact/parse-artefact.js';
import { artefactQuestions } from '../src/pipeline/predict/artefact-questions.js';
import { predictLogits } from '../src/pipeline/predict/predict-logits.js';
import { predictionLine } from '../src/pipeline/predict/prediction-line.js';
import { streamQuestions } from '../src/pipeline/predict/stream-questions.js';

const [file = '', kind = 'logits', rows = '1000000'] = process.argv.slice(2);
const artefact = parseArtefact(await readFile(file, 'utf8'), file);
const scoresOf = (n: number) => [0, 1, 2, 3].map((k) => 4 * Math.sin(7.3 * n + 2.1 * k));

async function* lines() {
  let text = '';
  for (let n = 0; n < Number(rows); n++) {
    const row =
      kind === 'logits'
        ? { logits: scoresOf(n) }
        : { question: `What is number ${n} of a long list of questions?`, options: ['one', 'two', `${n}`, 'none'] };
    text += `${JSON.stringify(row)}\n`;
    if (text.length < 1 << 16) continue;
    yield text;
    text = '';
  }
  yield text;
}

const input = standardInput(lines());
const answers =
  kind === 'logits'
    ? predictLogits(artefact, input, { unit: 'logits' }, () => undefined)
    : streamQuestions(artefact, {
        questions: artefactQuestions(artefact, file),
        input,
        rules: {},
        score: async (prompts) =>
          prompts.map(({ id }, n) => {
            const [logZ, optionMass, promptTokens] = [9, 0.99, 30];
            return { status: 'ok' as const, id, logits: scoresOf(n), logZ, optionMass, promptTokens };
          }),
      });
const started = performance.now();
let [count, bytes, peak] = [0, 0, 0];
for await (const group of answers) {
  for (const row of group) bytes += predictionLine(row, 'jsonl').length;
  count += group.length;
  peak = Math.max(peak, process.memoryUsage.rss());
}
const seconds = (performance.now() - started) / 1000;
process.stdout.write(
  `${kind}: ${count} rows, ${(bytes / 2 ** 20).toFixed(0)} MiB out, ${seconds.toFixed(1)} s, ` +
    `${(count / seconds / 1000).toFixed(0)}k rows/s, peak ${(peak / 2 ** 20).toFixed(0)} MiB\n`,
);
