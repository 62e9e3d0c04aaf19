import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { plainEntries, planScores } from '../../../src/pipeline/score/score-plan.js';
import { loadWorkspace } from '../../../src/pipeline/workspace/load-workspace.js';
import type { Diagnostics } from '../../../src/results/diagnostics-schema.js';
import type { Results } from '../../../src/results/results-schema.js';
import { wordProblems } from '../demo-workspace.js';
import { quizWorkspace } from '../quiz-workspace.js';

/** A data set in text mode, as a user would write it. */
const QUIZ = `# Word problems whose answers are scored as texts: the prompt does not show them.
source: quiz.jsonl
fields:
  id: id
  options: options
  label: { field: answer, as: letter }
prompt:
  template: "Question: {question}\\nAnswer:"
scoring:
  mode: text
  normalize: mean-token
`;

const HYBRID = QUIZ.replace('{question}', '{question}\\n{options}').replace('mode: text', 'mode: hybrid');

type Workspace = ReturnType<typeof quizWorkspace>;

const json = <T>(workspace: Workspace, name: string): T =>
  JSON.parse(readFileSync(workspace.file(`out/${name}`), 'utf8'));

describe('the pipeline in text and hybrid mode', () => {
  const workspace = quizWorkspace(wordProblems(12), QUIZ);
  const write = (yaml: string) => writeFileSync(workspace.file('datasets/quiz.yaml'), yaml);

  beforeAll(async () => {
    const { code, stderr } = await workspace.run('pipeline');
    expect([code, stderr.match(/error.*/)]).toEqual([0, null]);
  }, 120_000);

  it('scores and calibrates every row', () => {
    const results = json<Results>(workspace, 'results.json');
    expect(results).toMatchObject({ status: 'complete', skipped: [] });
    expect(results.runs.map((run) => run.calibrationCount + run.evaluationCount)).toEqual(Array(2 * 7).fill(12));
  });

  it('says nothing about the mass of options that the prompt does not show', () => {
    const { models } = json<Diagnostics>(workspace, 'diagnostics.json');
    expect(models.map((model) => model.medianOptionMass)).toEqual([null, null, null]);
  });

  it('takes the scores from the cache, and scores again for another normalisation, pmi prompt or mode', async () => {
    /** Key of each model's entry that the cache lacks, '' where it has it; no model is loaded to find out. */
    const left = async (yaml: string) => {
      write(yaml);
      const plans = await planScores(await loadWorkspace(workspace.options), 'cpu');
      return plans
        .map((plan) => plainEntries(plan).get('quiz')!)
        .map((entry) => (entry.kind === 'open' ? entry.key.hash : ''));
    };
    const pmi = (prompt: string) => QUIZ.replace('mean-token', `pmi\n  pmiPrompt: "${prompt}"`);
    expect(await left(QUIZ)).toEqual(['', '', '']);
    const open = [
      await left(QUIZ.replace('mean-token', 'sum')),
      await left(QUIZ.replace('mean-token', 'per-char')),
      await left(pmi('Answer:')),
      await left(pmi('Reply:')),
      await left(HYBRID),
    ].flat();
    expect(open).not.toContain('');
    expect(new Set(open).size).toBe(5 * 3);
  });

  it('scores the same rows in hybrid mode, with the mass of the options that the prompt shows', async () => {
    write(HYBRID);
    const { code } = await workspace.run('pipeline');
    expect(code).toBe(0);
    const { models } = json<Diagnostics>(workspace, 'diagnostics.json');
    for (const model of models) expect(model).toMatchObject({ examples: 12, medianOptionMass: expect.any(Number) });
  }, 60_000);

  it('refuses options in the template of text mode before any model is loaded, with file and line', async () => {
    write(HYBRID.replace('mode: hybrid', 'mode: text'));
    const { code, stderr } = await workspace.run('validate');
    expect(code).toBe(3);
    expect(stderr).toMatch(/quiz\.yaml:8.*the template shows \{options\}/);
  });
});
