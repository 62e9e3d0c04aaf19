import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Results } from '../../../src/results/results-schema.js';
import { demoWorkspace, wordProblems } from '../demo-workspace.js';

interface Settings {
  readonly seed?: number;
  readonly target?: string;
}

const workspace = demoWorkspace();
const AS_CHAT = "prompt: chat, promptVariant: short, assistantPrefix: 'Answer:'";

/** 20 rows of which the few-shot block takes two; the target is a chat model with a prompt of its own. */
function write({ seed = 1, target = AS_CHAT }: Settings = {}): void {
  const at = (role: 'base' | 'reference' | 'target') => JSON.stringify(workspace.demoModel(role));
  writeFileSync(
    workspace.file('models.yaml'),
    `models:
  - {id: base, role: base, file: ${at('base')}}
  - {id: reference, role: base, file: ${at('reference')}}
  - {id: target, role: post-trained, base: base, file: ${at('target')}, ${target}}
suites:
  s: {datasets: [quiz], seeds: [1, 2], combinationSizes: [1]}
`,
  );
  writeFileSync(
    workspace.file('datasets/quiz.yaml'),
    `source: quiz.jsonl
fields: {id: id, options: options, label: {field: answer, as: letter}}
prompt:
  template: "Question: {question}\\n{options}\\nAnswer:"
  variants: {short: {template: "{question}\\n{options}"}}
  fewShot: {count: 2, seed: ${seed}}
`,
  );
}

async function toScore(settings: Settings): Promise<string | undefined> {
  write(settings);
  const { stderr } = await workspace.run('score', '--log-level', 'info');
  return stderr.match(/\d+ rows to score, \d+ in the cache/)?.[0];
}

describe('few-shot blocks and prompts per model, on real models', () => {
  let results: Results;
  beforeAll(async () => {
    writeFileSync(
      workspace.file('datasets/quiz.jsonl'),
      wordProblems(20)
        .map((row) => `${JSON.stringify(row)}\n`)
        .join(''),
    );
    write();
    const { code, stderr } = await workspace.run('pipeline');
    expect([code, stderr.match(/error.*/)]).toEqual([0, null]);
    results = JSON.parse(readFileSync(workspace.file('out/results.json'), 'utf8'));
  }, 120_000);

  it('leave the rows of the block out of every split, with a note', () => {
    const note = results.warnings.find((warning) => warning.includes('few-shot'));
    const ids = note?.match(/^quiz: left out \(shown in the few-shot block\), 2 in all: (w\d+), (w\d+)$/)?.slice(1);
    expect(ids).toHaveLength(2);
    const splits = JSON.parse(readFileSync(workspace.file('out/splits.json'), 'utf8'));
    for (const { calibration, evaluation } of Object.values<Record<string, string[]>>(splits.quiz)) {
      const split = [...calibration!, ...evaluation!];
      expect(split).toHaveLength(18);
      for (const id of ids!) expect(split).not.toContain(id);
    }
    expect(results).toMatchObject({ status: 'complete', skipped: [] });
    const { datasets } = JSON.parse(readFileSync(workspace.file('out/manifest.json'), 'utf8'));
    expect(datasets[0].fewShot.map(({ id }: { id: string }) => id)).toEqual(ids);
  });

  it('ask a model in its own variant where the data set has it', () => {
    const entries = readdirSync(workspace.file('cache')).filter((name) => name.endsWith('.arrow'));
    expect(entries.map((name) => name.replace(/-[0-9a-f]{12}\.arrow$/, '')).sort()).toEqual([
      'base--quiz',
      'reference--quiz',
      'target--quiz--short',
    ]);
  });

  it('score again exactly what a changed setting touches', async () => {
    expect(await toScore({})).toBe('0 rows to score, 54 in the cache');
    expect(await toScore({ target: AS_CHAT.replace('Answer', 'Reply') })).toBe('18 rows to score, 36 in the cache');
    expect(await toScore({ target: AS_CHAT.replace('promptVariant: short, ', '') })).toBe(
      '18 rows to score, 36 in the cache',
    );
    expect(await toScore({ seed: 2 })).toBe('54 rows to score, 0 in the cache');
  }, 120_000);
});
