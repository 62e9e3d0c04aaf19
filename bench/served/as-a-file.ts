/**
 * Scores every demo model as a file and through a real llama-server, in every way of asking and of scoring, by the
 * command line, and compares the two caches.
 *
 *   npx tsx bench/served/as-a-file.ts LLAMA_SERVER [limit=100] [targets=all] [folder]
 *
 * LLAMA_SERVER is built as bench/peers.md says. Letter scores are log-probabilities over the whole vocabulary on both
 * sides, so that they are compared as they are; rotated ones are centred first. Greedy replies are compared by their
 * text; of replies drawn at a temperature, how many could be read, since the two sides have generators of their own.
 */
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { write } from '../measure.js';
import { compareScores } from './compare-scores.js';
import { type LlamaServer, startLlamaServer } from './llama-server.js';

const TARGETS = ['tern-dpo', 'plover-dpo', 'plover-pg', 'heron-rl', 'heron-pg', 'curlew-pg', 'dunlin-rl'];
const DATASETS = ['demo-facts', 'demo-arithmetic', 'demo-sentiment'];
const TEXTS = ['sum', 'mean-token', 'per-char', 'pmi'];
const ROOT = path.resolve(import.meta.dirname, '../..');

const [binary = '', limit = '100', chosen = 'all', given] = process.argv.slice(2);
const targets = chosen === 'all' ? TARGETS : chosen.split(',');
const bases = [...new Set(targets.map((id) => `${id.split('-')[0]}-base`))];
const folder = given ?? mkdtempSync(path.join(tmpdir(), 'served-'));
writeProject();
const servers = new Map<string, LlamaServer>();
try {
  for (const id of [...bases, ...targets]) servers.set(id, await startLlamaServer(binary, gguf(id)));
  writeModels('files', (id) => `file: ${JSON.stringify(gguf(id))}`);
  writeModels(
    'served',
    (id) => `endpoint: { url: ${servers.get(id)?.url}, model: served, api: llama-server, concurrency: 4 }`,
  );
  for (const side of ['files', 'served']) for (const suite of ['letters', 'texts']) await score(side, suite);
} finally {
  for (const server of servers.values()) server.stop();
}
for (const line of await compareScores(path.join(folder, 'cache-files'), path.join(folder, 'cache-served')))
  write(line);

function gguf(id: string): string {
  return path.join(ROOT, 'models/demo', `${id}.gguf`);
}

function writeProject(): void {
  mkdirSync(path.join(folder, 'datasets'), { recursive: true });
  for (const name of DATASETS)
    for (const end of ['yaml', 'jsonl'])
      copyFileSync(path.join(ROOT, 'datasets', `${name}.${end}`), path.join(folder, 'datasets', `${name}.${end}`));
  const facts = readFileSync(path.join(folder, 'datasets/demo-facts.yaml'), 'utf8').replace(/^prompt:[\s\S]*/m, '');
  for (const normalize of TEXTS) {
    const scoring = `scoring: { mode: text, normalize: ${normalize}${normalize === 'pmi' ? ', pmiPrompt: "Answer:"' : ''} }`;
    const prompt = 'prompt: { template: "Question: {question}\\nAnswer:" }';
    writeFileSync(path.join(folder, 'datasets', `text-${normalize}.yaml`), `${facts}${prompt}\n${scoring}\n`);
  }
}

function writeModels(side: string, place: (id: string) => string): void {
  const base = bases.map((id) => `  - { id: ${id}, role: base, ${place(id)} }`);
  const trained = targets.map(
    (id) => `  - { id: ${id}, role: post-trained, base: ${id.split('-')[0]}-base, prompt: chat, ${place(id)} }`,
  );
  const suite = (name: string, datasets: readonly string[], methods: string) =>
    `  ${name}: { targets: [${targets}], datasets: [${datasets}], methods: [${methods}] }`;
  const lines = [
    ...['models:', ...base, ...trained, 'suites:'],
    suite('letters', DATASETS, 'vanilla, cape, elicitation, elicitation-ensemble, p-true, daca'),
    suite(
      'texts',
      TEXTS.map((each) => `text-${each}`),
      'vanilla, daca',
    ),
  ];
  writeFileSync(path.join(folder, `${side}.yaml`), `${lines.join('\n')}\n`);
}

async function score(side: string, suite: string): Promise<void> {
  const began = performance.now();
  const flags = [
    '--models',
    `${side}.yaml`,
    '--cache',
    `cache-${side}`,
    '--suite',
    suite,
    '--limit',
    limit,
    '--gpu',
    'off',
  ];
  const args = [path.join(ROOT, 'dist/main.js'), 'score', ...flags, '--allow-outside', '--quiet'];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  const code = await new Promise((go) => child.once('exit', go));
  write(`${side}, ${suite}: ${((performance.now() - began) / 1000).toFixed(1)} s, exit code ${code}`);
}
