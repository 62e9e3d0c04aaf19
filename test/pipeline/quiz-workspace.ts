import { writeFileSync } from 'node:fs';
import type { RunOptions } from '../../src/pipeline/workspace/run-options.js';
import { demoWorkspace, wordProblems } from './demo-workspace.js';

export const QUIZ = `source: quiz.jsonl
fields: {id: id, options: options, label: {field: answer, as: letter}}
prompt: {template: "Question: {question}\\n{options}\\nAnswer:"}
`;

/** A demo workspace with the data set of its suite, and its options for calls below the command line. */
export function quizWorkspace(rows: readonly object[] = wordProblems(12), yaml = QUIZ) {
  const workspace = demoWorkspace();
  const options: RunOptions = {
    suite: 's',
    models: workspace.file('models.yaml'),
    datasets: workspace.file('datasets'),
    cache: workspace.file('cache'),
    out: workspace.file('out'),
    gpu: 'off',
    refresh: false,
  };
  writeFileSync(workspace.file('datasets/quiz.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  writeFileSync(workspace.file('datasets/quiz.yaml'), yaml);
  return { ...workspace, options };
}
