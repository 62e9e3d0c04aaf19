import { writeFileSync } from 'node:fs';
import { openEntry } from '../../src/cache/open-entry.js';
import { loadWorkspace } from '../../src/pipeline/load-workspace.js';
import type { RunOptions } from '../../src/pipeline/run-options.js';
import { allEntries, planScores } from '../../src/pipeline/score-plan.js';
import type { ModelFacts } from '../../src/scoring/contract.js';
import { testRow } from '../cache/test-ingredients.js';
import { demoWorkspace, wordProblems } from './demo-workspace.js';

export const QUIZ = `source: quiz.jsonl
fields: { id: id, options: options, label: { field: answer, as: letter } }
prompt: { template: "Question: {question}\\n{options}\\nAnswer:" }
`;

/** A demo workspace with a data set of word problems; made-up rows can take the place of scoring. */
export function quizWorkspace(rows = 12) {
  const workspace = demoWorkspace();
  writeFileSync(workspace.file('datasets/quiz.yaml'), QUIZ);
  const lines = wordProblems(rows).map((row) => JSON.stringify(row));
  writeFileSync(workspace.file('datasets/quiz.jsonl'), `${lines.join('\n')}\n`);
  const options: RunOptions = {
    suite: 's',
    models: workspace.file('models.yaml'),
    datasets: workspace.file('datasets'),
    cache: workspace.file('cache'),
    out: workspace.file('out'),
    gpu: 'off',
    refresh: false,
  };
  return { ...workspace, options };
}

/** Writes made-up rows into every entry that the suite lacks, as a scoring run would; returns the entries' names. */
export async function fillCache(options: RunOptions, backend: ModelFacts['backend'] = 'cpu'): Promise<string[]> {
  const workspace = await loadWorkspace(options);
  const names: string[] = [];
  for (const plan of await planScores(workspace, backend)) {
    for (const { dataset: id, entry } of allEntries(plan)) {
      if (entry.kind !== 'open') continue;
      const prompts = workspace.datasets.find(({ spec }) => spec.id === id)!.content!.prompts;
      const opened = await openEntry(options.cache, entry.key, { ids: prompts.map((prompt) => prompt.id) });
      if (opened.kind !== 'open') continue;
      await opened.writer.append(prompts.map((prompt, n) => testRow(prompt.id, n)));
      await opened.writer.complete({ device: 'stub' }, '2026-01-01T00:00:00.000Z');
      await opened.writer.release();
      names.push(entry.key.name);
    }
  }
  return names.sort();
}
