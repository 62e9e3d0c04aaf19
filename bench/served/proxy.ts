/**
 * `supportcal serve --upstream` in front of a real llama-server: what it says of completions and chats against what
 * `/v1/score` of the same service says of the same questions, with the model as a file.
 *
 *   npx tsx bench/served/proxy.ts LLAMA_SERVER MODEL.gguf ARTEFACT.json QUESTIONS.jsonl [questions=100]
 *
 * `supportcal demo` writes artefact, model and questions. Completions get the prompt of the artefact as it is. Chats
 * get it inside the server's template, which is another question unless the artefact was fitted on chats: of them the
 * statuses are counted. A streamed request must be refused with 400.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArtefact } from '../../src/pipeline/artefact/parse-artefact.js';
import { artefactQuestions, questionAsker } from '../../src/pipeline/predict/artefact-questions.js';
import { write } from '../measure.js';
import { freePort, startLlamaServer } from './llama-server.js';

const [binary = '', model = '', file = '', questionFile = '', most = '100'] = process.argv.slice(2);
const rows = readFileSync(questionFile, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .slice(0, Number(most))
  .map((line) => JSON.parse(line) as Record<string, unknown>);
const artefact = parseArtefact(readFileSync(file, 'utf8'), file);
const asked = questionAsker(artefactQuestions(artefact, file))(
  rows.map((values, n) => ({ values: values as never, number: n + 1, line: undefined })),
);

const server = await startLlamaServer(binary, model);
const port = await freePort();
const main = path.resolve(import.meta.dirname, '../../dist/main.js');
const flags = ['--artefact', file, '--model', model, '--upstream', server.url, '--port', String(port), '--gpu', 'off'];
const service = spawn(process.execPath, [main, 'serve', ...flags], { stdio: ['ignore', 'ignore', 'inherit'] });
try {
  for (let tries = 0; tries < 300; tries++) {
    if ((await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => null))?.ok) break;
    await new Promise((go) => setTimeout(go, 100));
  }
  await compare();
} finally {
  service.kill('SIGTERM');
  server.stop();
}

async function compare(): Promise<void> {
  const counts: Record<string, number> = {};
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  let largest = 0;
  for (const [n, each] of asked.entries()) {
    if (each.kind !== 'ok') continue;
    const { text } = each.prompt;
    const own = (await ask('/v1/score', rows[n])).body as { probabilities: number[] };
    const options = { options: own.probabilities.length };
    const short = { max_tokens: 1, temperature: 0, model: 'served', supportcal: options };
    const plain = choiceOf(await ask('/v1/completions', { ...short, prompt: text }));
    count(`completions ${plain.status}`);
    const told = Object.values(plain.probabilities ?? {});
    for (const [k, value] of told.entries()) largest = Math.max(largest, Math.abs(value - (own.probabilities[k] ?? 9)));
    const chat = await ask('/v1/chat/completions', { ...short, messages: [{ role: 'user', content: text }] });
    count(`chat ${choiceOf(chat).status}`);
    if (n > 0) continue;
    for (const where of ['/v1/completions', '/v1/chat/completions']) {
      const streamed = await ask(where, { ...short, prompt: text, messages: [], stream: true });
      count(`${where} streamed ${streamed.status}`);
    }
  }
  write(`${JSON.stringify(counts)}; largest difference of a calibrated probability ${largest.toExponential(2)}`);
}

async function ask(where: string, body: unknown): Promise<{ status: number; body: unknown }> {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await fetch(`http://127.0.0.1:${port}${where}`, init);
  return { status: answer.status, body: await answer.json() };
}

function choiceOf({ body }: { readonly body: unknown }) {
  const { choices } = body as {
    choices?: { supportcal?: { status: string; probabilities?: Record<string, number> } }[];
  };
  return choices?.[0]?.supportcal ?? { status: 'no choice' };
}
