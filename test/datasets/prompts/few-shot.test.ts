import { describe, expect, it } from 'vitest';
import { limitDataset } from '../../../src/datasets/load-dataset.js';
import { renderPrompts } from '../../../src/datasets/prompts/render-prompts.js';
import { lines, refusal, temporaryFolder } from '../temporary-spec.js';

const folder = temporaryFolder();
const LABEL = { field: 'answer', as: 'letter' };
const TEMPLATE = 'Q: {question}\n{options}\nAnswer:';

function row(n: number, change: Record<string, unknown> = {}) {
  return { id: `r${n}`, question: `q${n}`, options: [`a${n}`, `b${n}`], answer: 'AB'[n % 2], ...change };
}

const ROWS = Array.from({ length: 12 }, (_, n) => row(n));

function yamlOf(fewShot: unknown, prompt: Record<string, unknown> = {}) {
  return {
    source: 'rows.jsonl',
    fields: { id: 'id', options: 'options', label: LABEL },
    prompt: { template: TEMPLATE, fewShot, ...prompt },
  };
}

async function load(fewShot: unknown, rows: readonly unknown[] = ROWS, prompt: Record<string, unknown> = {}) {
  folder.write('rows.jsonl', lines(rows));
  return folder.load(yamlOf(fewShot, prompt));
}

async function prompts(fewShot: unknown, rows: readonly unknown[] = ROWS, prompt: Record<string, unknown> = {}) {
  return renderPrompts(await load(fewShot, rows, prompt), folder.spec(yamlOf(fewShot, prompt)));
}

const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
const solved = (n: number, answer = 'AB'[n % 2]) => `Q: q${n}\nA. a${n}\nB. b${n}\nAnswer: ${answer}`;

describe('a few-shot block', () => {
  it('shows solved rows before every question, the same to each', async () => {
    const { shots } = await load({ count: 2, seed: 7 });
    const block = shots.map(({ id }) => `${solved(Number(id.slice(1)))}\n\n`).join('');
    const texts = (await prompts({ count: 2, seed: 7 })).map(({ text }) => text);
    expect(texts).toHaveLength(10);
    for (const text of texts) expect(text.startsWith(block)).toBe(true);
    expect(new Set(texts.map((text) => text.slice(block.length))).size).toBe(10);
  });

  it('takes its rows out of the examples and says so', async () => {
    const { shots, examples, leftOut } = await load({ count: 3, seed: 1 });
    expect([...ids(shots), ...ids(examples)].sort()).toEqual(ROWS.map(({ id }) => id).sort());
    expect(leftOut).toEqual(ids(shots).map((id) => ({ id, reason: 'shown in the few-shot block' })));
  });

  it('changes the hash of what is evaluated with its seed, and nothing else does', async () => {
    const first = await load({ count: 3, seed: 1 });
    const shuffled = await load({ count: 3, seed: 1 }, [...ROWS].reverse());
    expect([ids(shuffled.shots), shuffled.hash]).toEqual([ids(first.shots), first.hash]);
    const other = await load({ count: 3, seed: 2 });
    expect(ids(other.shots)).not.toEqual(ids(first.shots));
    expect(other.hash).not.toBe(first.hash);
  });

  it('is the same under a limit', async () => {
    const whole = await load({ count: 3, seed: 1 });
    const two = limitDataset(whole, 2);
    const spec = folder.spec(yamlOf({ count: 3, seed: 1 }));
    expect(renderPrompts(two, spec)).toEqual(renderPrompts(whole, spec).slice(0, 2));
  });

  it('never shows an unlabelled row, nor one that has a copy among the rows', async () => {
    const copies = [
      row(1, { id: 'same' }),
      row(2, { id: 'spaced', question: ' q2\u00a0' }),
      row(3, { id: 'turned', options: ['b3', 'a3'] }),
    ];
    const rows = [row(0, { answer: null }), row(1), row(2), row(3), row(4), row(5), ...copies];
    for (let seed = 0; seed < 20; seed++) {
      const { shots } = await load({ count: 2, seed }, rows);
      expect(ids(shots).sort()).toEqual(['r4', 'r5']);
    }
    expect(await refusal(load({ count: 3, seed: 0 }, rows))).toEqual([
      expect.stringMatching(
        /prompt\.fewShot\.count -: 3 solved examples are asked for, but the data set has 8 rows with a label, of which 6 /,
      ),
    ]);
  });

  it('refuses to take every row', async () => {
    expect(await refusal(load({ count: 12, seed: 0 }))).toEqual([expect.stringContaining('takes every row')]);
  });

  it('puts the answer where the scorer looks for it', async () => {
    const one = { count: 1, seed: 3, separator: '\n###\n' };
    const first = async (prompt: Record<string, unknown>) => (await prompts(one, ROWS, prompt))[0]!.text;
    const { shots } = await load(one);
    const n = Number(shots[0]!.id.slice(1));
    const label = 'AB'[n % 2]!;
    expect(await first({ template: 'Q {question}:' })).toContain(`Q q${n}: ${label}\n###\nQ q`);
    expect(await first({ template: 'Q {question}:\n' })).toContain(`Q q${n}:\n${label}\n###\nQ q`);
    expect(await first({ template: 'Q {question}:', answerPrefix: ' (' })).toContain(`Q q${n}: (${label}\n###\n`);
    expect(await first({ template: 'Q {question}:', optionLabels: ['no', 'yes'] })).toContain(
      `Q q${n}: ${label === 'A' ? 'no' : 'yes'}\n###\n`,
    );
  });

  it('shows the text of the right option where texts are scored', async () => {
    const yaml = { ...yamlOf({ count: 1, seed: 3 }, { template: 'Q {question}:' }), scoring: { mode: 'text' } };
    folder.write('rows.jsonl', lines(ROWS));
    const dataset = await folder.load(yaml);
    const n = Number(dataset.shots[0]!.id.slice(1));
    const text = renderPrompts(dataset, folder.spec(yaml))[0]!.text;
    expect(text).toBe(`Q q${n}: ${'ab'[n % 2]}${n}\n\nQ ${dataset.examples[0]!.fields.question}:`);
  });

  it('needs to know the answers', async () => {
    folder.write('rows.jsonl', lines(ROWS));
    const unlabelled = { ...yamlOf({ count: 1, seed: 3 }), fields: { id: 'id', options: 'options' } };
    expect(await refusal(folder.load(unlabelled))).toEqual([expect.stringContaining('say with `fields.label`')]);
  });

  it('follows the template of a variant, with the same rows', async () => {
    const prompt = { variants: { short: { template: '{question}?' } } };
    folder.write('rows.jsonl', lines(ROWS));
    const yaml = yamlOf({ count: 1, seed: 3 }, prompt);
    const dataset = await folder.load(yaml);
    const n = Number(dataset.shots[0]!.id.slice(1));
    const text = renderPrompts(dataset, folder.spec(yaml), 'short')[0]!.text;
    expect(text).toBe(`q${n}? ${'AB'[n % 2]}\n\n${dataset.examples[0]!.fields.question}?`);
  });
});

describe('a few-shot block from another file', () => {
  const from = { count: 2, seed: 4, from: 'train.jsonl' };
  const TRAIN = Array.from({ length: 6 }, (_, n) => row(100 + n));

  it('leaves every row of the data set to be evaluated', async () => {
    folder.write('train.jsonl', lines(TRAIN));
    const { shots, examples, leftOut } = await load(from);
    expect([examples.length, leftOut]).toEqual([12, []]);
    expect(ids(TRAIN)).toEqual(expect.arrayContaining(ids(shots)));
    expect((await prompts(from))[0]!.text).toBe(
      `${shots.map(({ id }) => solved(Number(id.slice(1)))).join('\n\n')}\n\nQ: q0\nA. a0\nB. b0\nAnswer:`,
    );
  });

  it('never shows a row that is evaluated, whatever its id and its other fields, nor one row twice', async () => {
    const twins = ROWS.map((each) => ({ ...each, id: `twin-${each.id}`, origin: 'train' }));
    folder.write('train.jsonl', lines([...twins, TRAIN[0], { ...TRAIN[0], id: 'again' }, TRAIN[1]]));
    for (let seed = 0; seed < 10; seed++) {
      const { shots } = await load({ ...from, seed });
      expect(shots.map(({ fields }) => fields.question).sort()).toEqual(['q100', 'q101']);
    }
    folder.write('train.jsonl', lines(ROWS));
    expect(await refusal(load(from))).toEqual([
      expect.stringMatching(/but train\.jsonl has 12 rows with a label, of which 12 would show an evaluated row/),
    ]);
  });

  it('reports the faults of that file under its own name', async () => {
    expect(await refusal(load({ ...from, from: 'none.jsonl' }))).toEqual([
      expect.stringMatching(/missing-file trial\.yaml:\d+ prompt\.fewShot\.from .*none\.jsonl: no such file/),
    ]);
    folder.write('train.jsonl', lines([TRAIN[0], row(7, { answer: 'Z' })]));
    expect(await refusal(load(from))).toEqual([expect.stringMatching(/train\.jsonl:2 answer r7: the label "Z"/)]);
  });
});
