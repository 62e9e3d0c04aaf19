import { existsSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { datasetSchema } from '../../src/config/dataset-schema.js';
import type { ModelRow } from '../../src/contract/scored-row.js';
import { renderElicitation } from '../../src/datasets/prompts/render-elicitation.js';
import { scoreModels } from '../../src/scoring/score-models.js';
import { startedModule } from '../built-modules.js';
import { wordProblems } from '../pipeline/demo-workspace.js';
import { GARBLED } from './garbling-llama-backend.js';
import { workerProcesses } from './worker-processes.js';

const modelPath = path.resolve(import.meta.dirname, '../../models/demo/tern-dpo.gguf');
const backendModule = startedModule('scoring/garbling-llama-backend').href;
const workers = () => workerProcesses('garbling-llama-backend');

const dataset = {
  id: 'quiz',
  title: 'quiz',
  leftOut: [],
  warnings: [],
  rules: [],
  origin: [],
  hash: '',
  shots: [],
  examples: wordProblems(16).map(({ id, question, options }) => ({
    id,
    fields: { question },
    options,
    label: 0,
    contentHash: id,
  })),
};
const spec = {
  id: 'quiz',
  file: 'quiz.yaml',
  locate: () => ({}),
  yaml: datasetSchema.parse({
    source: 'quiz.jsonl',
    fields: { options: 'options' },
    prompt: { template: 'Question: {question}\n{options}\nAnswer:' },
  }),
};
const ask = (structured: 'grammar' | 'text', samples: number, temperature: number) =>
  renderElicitation(
    { dataset, spec, variant: null, frame: 'raw' },
    {
      instruction: null,
      seed: 1,
      maxTokens: 20,
      structured,
      samples,
      temperature,
    },
  );
const JOBS = { greedy: ask('grammar', 1, 0), samples: ask('grammar', 2, 0.7), text: ask('text', 1, 0.7) };

/** Lets tern-dpo reply with 4 questions a batch; `onRows` runs as replies arrive. */
async function reply(onRows: (count: number) => void = () => {}) {
  const kept: Record<string, ModelRow[]> = {};
  const logs: string[] = [];
  let count = 0;
  const jobs = Object.entries(JOBS).map(([name, prompts]) => {
    const rows: ModelRow[] = [];
    kept[name] = rows;
    const take = async (group: readonly ModelRow[]) => {
      rows.push(...group);
      count += group.length;
      onRows(count);
    };
    return { dataset: name, prompts, onRows: take, onReplies: take };
  });
  const model = { id: 'm', role: 'base', bucket: 'b', prompt: 'raw', scoring: { sequences: 4 } } as const;
  const [outcome] = await scoreModels(
    [{ model, place: { kind: 'gguf', path: modelPath, bytes: statSync(modelPath).size }, jobs }],
    { device: 'cpu', cores: 1 },
    { onLog: (_, line) => void logs.push(line) },
    { backendModule, batchSeconds: 1 },
  );
  const sorted = (rows: ModelRow[]) => rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const rows = Object.fromEntries(Object.entries(kept).map(([name, each]) => [name, sorted(each)]));
  return { outcome, rows, again: logs.filter((line) => line.includes('trying again')) };
}

/** The replies of an undisturbed run. */
let whole: Awaited<ReturnType<typeof reply>>;
beforeAll(async () => {
  whole = await reply();
  expect([whole.outcome!.kind, whole.again]).toEqual(['done', []]);
  const { greedy, samples, text } = whole.rows;
  expect([greedy!.length, samples!.length, text!.length]).toEqual([16, 32, 16]);
  for (const row of [...greedy!, ...samples!, ...text!]) expect(row.status).toBe('replied');
});

describe.skipIf(process.platform !== 'linux')('a worker in the middle of the replies of a real model', () => {
  it('that is killed, and whose successor hangs, leaves the same replies as an undisturbed run, each once', async () => {
    const faults: NodeJS.Signals[] = ['SIGKILL', 'SIGSTOP'];
    const hit = new Set<number>();
    const { outcome, rows, again } = await reply((count) => {
      const [pid] = workers();
      if (pid === undefined || hit.has(pid) || count < 10 * (hit.size + 1)) return;
      const signal = faults[hit.size];
      hit.add(pid);
      if (signal !== undefined) process.kill(pid, signal);
    });
    expect(outcome!.kind).toBe('done');
    expect(again).toEqual([
      expect.stringMatching(/worker process ended: signal SIGKILL.*trying again with 4 sequence/),
      expect.stringMatching(
        /neither a message nor work for 1 s while evaluating a batch.*trying again with 4 sequence/,
      ),
    ]);
    expect(rows).toEqual(whole.rows);
  });

  it('that sends garbage is ended, and its replies are as in an undisturbed run', async () => {
    const marker = path.join(mkdtempSync(path.join(tmpdir(), 'supportcal-garbled-')), 'sent');
    process.env[GARBLED] = marker;
    try {
      const { outcome, rows, again } = await reply();
      expect([outcome!.kind, existsSync(marker)]).toEqual(['done', true]);
      expect(again).toEqual([expect.stringMatching(/sent garbage \(row "nobody#1", which was not asked for/)]);
      expect(rows).toEqual(whole.rows);
    } finally {
      delete process.env[GARBLED];
    }
  });
});
