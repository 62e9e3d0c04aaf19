import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { wordProblems } from '../demo-workspace.js';
import { quizWorkspace } from '../quiz-workspace.js';

describe('validate without inference', () => {
  let workspace: ReturnType<typeof quizWorkspace>;
  let shown: Awaited<ReturnType<typeof workspace.run>>;
  beforeAll(async () => {
    workspace = quizWorkspace(wordProblems(6));
    shown = await workspace.run('validate', '--show-prompt', 'w001', '--model', 'base');
  });

  it('--show-prompt prints text, tokens, option tokens and where the start token came from, per model', () => {
    const { code, stdout } = shown;
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^base, quiz, example w001 \(letter mode\)\n {2}\| <\|endoftext\|>Question: Anna has 18 pears/,
    );
    expect(stdout).toMatch(/start token {2}yes \(0\): the file says add_bos_token = true/);
    expect(stdout).toMatch(/options\n {4}"A" {2}\d+ " A"\n {4}"B" {2}\d+ " B"/);
    expect(stdout).not.toMatch(/^reference/m);
  });

  it('--show-prompt takes the number of an example too, where no id is that number', async () => {
    const byNumber = await workspace.run('validate', '--show-prompt', '2', '--model', 'base');
    expect([byNumber.code, byNumber.stdout]).toEqual([0, shown.stdout]);
    expect(await workspace.run('validate', '--show-prompt', '9999')).toMatchObject({ code: 2 });
  });

  it('--show-prompt --json gives the same for every model of the suite', async () => {
    const { stdout } = await workspace.run('validate', '--show-prompt', 'w001', '--json');
    const { status, prompts } = JSON.parse(stdout);
    expect(status).toBe('complete');
    expect(prompts.map((each: { model: string }) => each.model).sort()).toEqual(['base', 'reference', 'target']);
    for (const { prompt } of prompts) {
      expect(prompt.pieces.slice(1).join('')).toBe(prompt.text.replace('<|endoftext|>', ''));
      expect(prompt.optionPieces).toEqual([[' A'], [' B'], [' C'], [' D']]);
    }
  });

  it('an example or a model that is not there is a usage error that says what is', async () => {
    const noExample = await workspace.run('validate', '--show-prompt', 'x');
    expect([noExample.code, noExample.stderr]).toEqual([2, expect.stringContaining('quiz has w000, w001, w002, ...')]);
    const noModel = await workspace.run('validate', '--show-prompt', 'w001', '--model', 'bass');
    expect([noModel.code, noModel.stderr]).toEqual([2, expect.stringContaining('it has base, reference, target')]);
  });

  it('--dump-tokens writes one line per model and example, in a file that is there when it is whole', async () => {
    const file = workspace.file('deep/tokens.jsonl');
    expect((await workspace.run('validate', '--dump-tokens', file)).code).toBe(0);
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    const rows = lines.map((line) => JSON.parse(line));
    expect(rows.length).toBe(3 * 6);
    expect(Object.keys(rows[0])).toEqual(['model', 'dataset', 'id', 'mode', 'bos', 'tokens', 'options', 'refused']);
    for (const row of rows) {
      expect(row.tokens[0]).toBe(0);
      expect(row.options.map((ids: number[]) => ids.length)).toEqual([1, 1, 1, 1]);
    }
  });

  it('a model that cannot be asked leaves the others, with code 4', async () => {
    const yaml = readFileSync(workspace.file('models.yaml'), 'utf8');
    writeFileSync(
      workspace.file('models.yaml'),
      yaml.replace('{id: base, role: base,', '{id: base, role: base, prompt: chat,'),
    );
    const { code, stdout, stderr } = await workspace.run('validate', '--show-prompt', 'w001');
    writeFileSync(workspace.file('models.yaml'), yaml);
    expect([code, stderr]).toEqual([4, expect.stringMatching(/base: .*no chat template/)]);
    expect(stdout).toMatch(/^target, quiz/m);
    expect(existsSync(workspace.file('cache'))).toBe(false);
  });
});
