import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Question } from './peer-questions.js';

/** lm-evaluation-harness asking llama-cpp-python's server, which it sends one request per option. */
export interface Harness {
  /** Process id of the server. */
  readonly pid: number;
  /** Has the harness score the first `count` questions, its own start included; resolves to its accuracy. */
  run(count: number): number;
  stop(): void;
}

const TASK = 'supportcal_peer';
const PORT = 8093;

/** @param python an interpreter that has `lm-eval` and `llama-cpp-python[server]` */
export async function startHarness(
  python: string,
  modelPath: string,
  questions: readonly Question[],
  scratch: string,
): Promise<Harness> {
  const folder = join(scratch, 'harness');
  mkdirSync(folder, { recursive: true });
  writeTask(folder, questions);
  const threads = ['--n_threads', '1', '--n_threads_batch', '1'];
  const sizes = ['--n_ctx', '512', '--n_batch', '512', '--logits_all', 'true', '--flash_attn', 'false'];
  const args = ['-m', 'llama_cpp.server', '--model', modelPath, ...threads, ...sizes, '--port', String(PORT)];
  const server = spawn(python, [...args, '--verbose', 'false'], { stdio: 'ignore' });
  process.on('exit', () => server.kill('SIGKILL'));
  await untilUp(server);
  return {
    pid: server.pid!,
    run: (count) => runHarness(python, folder, count),
    stop: () => server.kill('SIGKILL'),
  };
}

function writeTask(folder: string, questions: readonly Question[]): void {
  const data = join(folder, 'questions.jsonl');
  writeFileSync(data, questions.map((question) => `${JSON.stringify(question)}\n`).join(''));
  // JSON is YAML.
  const task = {
    task: TASK,
    dataset_path: 'json',
    dataset_kwargs: { data_files: { test: data } },
    test_split: 'test',
    output_type: 'multiple_choice',
    doc_to_text: '{{prompt}}',
    doc_to_choice: '{{labels}}',
    doc_to_target: 'label',
    target_delimiter: ' ',
    metric_list: [{ metric: 'acc', aggregation: 'mean', higher_is_better: true }],
  };
  writeFileSync(join(folder, `${TASK}.yaml`), JSON.stringify(task));
}

function runHarness(python: string, folder: string, count: number): number {
  const model = ['--model', 'gguf', '--model_args', `base_url=http://127.0.0.1:${PORT}`];
  const task = ['--tasks', TASK, '--include_path', folder, '--limit', String(count)];
  const env = { ...process.env, HF_HOME: join(folder, 'home'), HF_HUB_OFFLINE: '1', HF_DATASETS_OFFLINE: '1' };
  const output = execFileSync(python, ['-m', 'lm_eval', ...model, ...task], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 2 ** 28,
  });
  return Number(/\|acc\s*\|[^|]*\|\s*([\d.]+)/.exec(output.toString())?.[1] ?? Number.NaN);
}

async function untilUp(server: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 300 && server.exitCode === null; tries++) {
    const answer = await fetch(`http://127.0.0.1:${PORT}/v1/models`).catch(() => null);
    if (answer?.ok) return;
    await new Promise((wake) => setTimeout(wake, 200));
  }
  throw new Error('llama_cpp.server did not start');
}
