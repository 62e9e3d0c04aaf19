import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadDatasetSpecs } from '../../src/config/load-dataset-specs.js';
import { loadDataset } from '../../src/datasets/load-dataset.js';
import { addDataset } from '../../src/pipeline/add-dataset.js';

const root = mkdtempSync(path.join(tmpdir(), 'supportcal-shapes-'));
afterAll(() => rmSync(root, { recursive: true }));
mkdirSync(path.join(root, 'datasets'));

/**
 * What a set of that shape looks like (the texts are ours), and what is to be proposed: fields, right answers, prompt.
 */
interface Shape {
  readonly rows: readonly object[] | string;
  readonly fields: object;
  readonly answers: readonly (string | null)[];
  readonly template: string;
  readonly note?: RegExp;
  /** What is doubtful about it; nothing where absent. */
  readonly doubts?: readonly RegExp[];
}

const two = (row: (n: 0 | 1) => object) => [row(0), row(1)];
const labels = ['A', 'B', 'C'];
const texts = (n: number) => [`pear${n}`, `plum${n}`, `fig${n}`];

const SHAPES: Readonly<Record<string, Shape>> = {
  'ARC of the hub': {
    rows: two((n) => ({
      id: `Q${n}`,
      question: `Fruit ${n}?`,
      choices: { text: texts(n), label: n ? ['1', '2', '3'] : labels },
      answerKey: n ? '3' : 'A',
    })),
    fields: { id: 'id', options: 'choices.text', label: { field: 'answerKey', keys: 'choices.label' } },
    answers: ['pear0', 'fig1'],
    template: '{question}',
  },
  'ARC and OpenBookQA of the release': {
    rows: two((n) => ({
      id: `7-${n}`,
      question: { stem: `Fruit ${n}?`, choices: texts(n).map((text, k) => ({ text, label: labels[k] })) },
      answerKey: labels[n + 1],
    })),
    fields: {
      id: 'id',
      options: 'question.choices.text',
      label: { field: 'answerKey', keys: 'question.choices.label' },
    },
    answers: ['plum0', 'fig1'],
    template: '{question.stem}',
  },
  'OpenBookQA of the hub': {
    rows: two((n) => ({
      id: `7-${n}`,
      question_stem: `Fruit ${n}`,
      choices: { text: texts(n), label: labels },
      answerKey: labels[n],
    })),
    fields: { id: 'id', options: 'choices.text', label: { field: 'answerKey', keys: 'choices.label' } },
    answers: ['pear0', 'plum1'],
    template: '{question_stem}',
  },
  CommonsenseQA: {
    rows: two((n) => ({
      id: `c${n}`,
      question: `Where ${n}?`,
      question_concept: 'fruit',
      choices: { label: labels, text: texts(n) },
      answerKey: n ? '' : 'C',
    })),
    fields: { id: 'id', options: 'choices.text', label: { field: 'answerKey', keys: 'choices.label' } },
    answers: ['fig0', null],
    template: '{question}',
  },
  HellaSwag: {
    rows: two((n) => ({
      ind: n + 4,
      activity_label: 'Baking',
      ctx_a: 'A man bakes.',
      ctx_b: 'then he',
      ctx: `A man bakes ${n}. then he`,
      endings: [...texts(n), 'sits'],
      source_id: 'x~v_1',
      split: 'val',
      split_type: 'zeroshot',
      label: n ? '3' : '0',
    })),
    fields: { options: 'endings', label: { field: 'label', labelBase: 0 } },
    answers: ['pear0', 'sits'],
    template: '{ctx}',
  },
  PIQA: {
    rows: two((n) => ({ goal: `Peel it ${n}`, sol1: `by hand ${n}`, sol2: `by foot ${n}`, label: n })),
    fields: { options: { columns: ['sol1', 'sol2'] }, label: { field: 'label', labelBase: 0 } },
    answers: ['by hand 0', 'by foot 1'],
    template: '{goal}',
  },
  'PIQA with hidden answers': {
    rows: two((n) => ({ goal: `Peel it ${n}`, sol1: `by hand ${n}`, sol2: `by foot ${n}`, label: n === 0 ? 0 : -1 })),
    fields: { options: { columns: ['sol1', 'sol2'] }, label: { field: 'label', labelBase: 0 } },
    answers: ['by hand 0', null],
    template: '{goal}',
  },
  WinoGrande: {
    rows: two((n) => ({
      sentence: `The jar hid the lid, so _ was small ${n}.`,
      option1: 'jar',
      option2: 'lid',
      answer: String(n + 1),
    })),
    fields: { options: { columns: ['option1', 'option2'] }, label: { field: 'answer', labelBase: 1 } },
    answers: ['jar', 'lid'],
    template: '{sentence}',
  },
  SciQ: {
    rows: two((n) => ({
      question: `What falls ${n}?`,
      distractor3: `d${n}`,
      distractor1: `b${n}`,
      distractor2: `c${n}`,
      correct_answer: `rain ${n}`,
      support: 'Rain falls.',
    })),
    fields: { options: { right: 'correct_answer', wrong: ['distractor1', 'distractor2', 'distractor3'], seed: 1 } },
    answers: ['rain 0', 'rain 1'],
    template: '{support}\n\nQuestion: {question}',
  },
  GPQA: {
    rows: two((n) => ({
      'Pre-Revision Question': 'Old?',
      'Pre-Revision Correct Answer': 'old',
      'Pre-Revision Incorrect Answer 1': 'o1',
      Question: `How heavy ${n}?`,
      'Correct Answer': `heavy ${n}`,
      'Incorrect Answer 1': 'x1',
      'Incorrect Answer 2': 'x2',
      'Incorrect Answer 3': 'x3',
      Explanation: 'So.',
      Subdomain: 'Optics',
      'Record ID': `rec${n}`,
    })),
    fields: {
      id: 'Record ID',
      options: {
        right: 'Correct Answer',
        wrong: ['Incorrect Answer 1', 'Incorrect Answer 2', 'Incorrect Answer 3'],
        seed: 1,
      },
    },
    answers: ['heavy 0', 'heavy 1'],
    template: '{Question}',
  },
  BoolQ: {
    rows: two((n) => ({ question: `is rain wet ${n}`, answer: n === 0, passage: 'Rain is wet.' })),
    fields: { options: { labels: ['false', 'true'] }, label: { field: 'answer', as: 'text' } },
    answers: ['true', 'false'],
    template: '{passage}\n\nText: {question}',
  },
  MMLU: {
    rows: two((n) => ({
      question: `Fruit ${n}?`,
      subject: 'botany',
      choices: [...texts(n), 'nut'],
      answer: n ? 3 : 0,
    })),
    fields: { options: 'choices', label: { field: 'answer', labelBase: 0 } },
    answers: ['pear0', 'nut'],
    template: '{question}',
  },
  'MMLU-Pro': {
    rows: two((n) => ({
      question_id: 70 + n,
      question: `Fruit ${n}?`,
      options: Array.from({ length: 10 - n }, (_, k) => `fruit ${k}`),
      answer: n ? 'I' : 'J',
      answer_index: n ? 8 : 9,
      cot_content: '',
      category: 'business',
      src: 's',
    })),
    fields: { id: 'question_id', options: 'options', label: { field: 'answer', as: 'letter' } },
    answers: ['fruit 9', 'fruit 8'],
    template: '{question}',
  },
  MedQA: {
    rows: two((n) => ({
      question: `Which drug ${n}?`,
      answer: texts(n)[n],
      options: { A: `pear${n}`, B: `plum${n}`, C: `fig${n}` },
      meta_info: 'step1',
      answer_idx: labels[n],
    })),
    fields: {
      options: { columns: ['options.A', 'options.B', 'options.C'] },
      label: { field: 'answer_idx', as: 'letter' },
    },
    answers: ['pear0', 'plum1'],
    template: '{question}',
  },
  RACE: {
    rows: two((n) => ({
      example_id: 'high1.txt',
      article: 'A long story.',
      answer: 'BC'[n],
      question: `Who ${n}?`,
      options: texts(n),
    })),
    fields: { options: 'options', label: { field: 'answer', as: 'letter' } },
    answers: ['plum0', 'fig1'],
    template: '{article}\n\nQuestion: {question}',
  },
  LogiQA: {
    rows: two((n) => ({
      context: 'All pears are fruit.',
      query: `Which ${n}?`,
      options: texts(n),
      correct_option: n ? 2 : 0,
    })),
    fields: { options: 'options', label: { field: 'correct_option', labelBase: 0 } },
    answers: ['pear0', 'fig1'],
    template: '{context}\n\nQuestion: {query}',
  },
  'AQuA-RAT': {
    rows: two((n) => ({
      question: `How many ${n}?`,
      options: [`A)2${n}`, `B)21.5`, `C)22`],
      rationale: 'Count.',
      correct: 'AC'[n],
    })),
    fields: { options: { field: 'options', extract: 'lettered' }, label: { field: 'correct', as: 'letter' } },
    answers: ['20', '22'],
    template: '{question}',
  },
  'Social IQA': {
    rows: two((n) => ({
      context: 'Kim ate.',
      question: `Why ${n}?`,
      answerA: 'hunger',
      answerB: 'fun',
      answerC: 'fear',
      label: n ? '3' : '1',
    })),
    fields: { options: { columns: ['answerA', 'answerB', 'answerC'] }, label: { field: 'label', labelBase: 1 } },
    answers: ['hunger', 'fear'],
    template: '{context}\n\nQuestion: {question}',
  },
  SWAG: {
    rows: two((n) => ({
      'video-id': 'v',
      'fold-ind': `${n}`,
      startphrase: `She opens the door and ${n}`,
      sent1: 'She arrives.',
      sent2: 'She',
      'gold-source': 'gold',
      ending0: 'goes in',
      ending1: 'sings',
      ending2: 'melts',
      ending3: 'flies',
      label: n ? 3 : 0,
    })),
    fields: {
      options: { columns: ['ending0', 'ending1', 'ending2', 'ending3'] },
      label: { field: 'label', labelBase: 0 },
    },
    answers: ['goes in', 'flies'],
    template: '{startphrase}',
  },
  'TruthfulQA of the hub': {
    rows: two((n) => ({
      question: `Is rain wet ${n}?`,
      mc1_targets: { choices: ['Yes', 'No', 'Never'], labels: [1, 0, 0] },
      mc2_targets: { choices: ['Yes', 'It is', 'No', 'Never'], labels: [1, 1, 0, 0] },
    })),
    fields: { options: { truth: 'mc1_targets', seed: 1 } },
    answers: ['Yes', 'Yes'],
    template: '{question}',
  },
  'MMLU of the release, without a header': {
    rows: '"Which fruit, if any, is 0?",pear,plum,"fig, dried",kiwi,C\nWhich is 1?,1,2,1,0,A\n',
    fields: { options: { columns: ['A', 'B', 'C', 'D'] }, label: { field: 'answer', as: 'letter' } },
    answers: ['fig, dried', '1'],
    template: '{question}',
    note: /names of the columns in `header` are ours/,
  },
  'a CSV with bare quotes': {
    rows: 'question;options;answer\nWhich 0;["pear", "plum"];B\nWhich "fruit" is 1;["fig", "kiwi"];A\n'.replaceAll(
      ';',
      '\t',
    ),
    fields: { options: 'options', label: { field: 'answer', as: 'letter' } },
    answers: ['plum', 'fig'],
    template: '{question}',
    note: /quotes of the file are text/,
  },
  'CMMLU, with the index of pandas': {
    rows: ',Question,A,B,C,D,Answer\n0,Was 0?,p,q,r,s,A\n1,Was 1?,t,u,v,w,D\n',
    fields: { options: { columns: ['A', 'B', 'C', 'D'] }, label: { field: 'Answer', as: 'letter' } },
    answers: ['p', 'w'],
    doubts: [/single letter/],
    template: '{Question}',
  },
  'a CSV with semicolons': {
    rows: 'nr;Frage;A;B;Antwort\n1;Was, bitte?;eins;zwei;B\n2;Wo?;hier;da;A\n',
    fields: { id: 'nr', options: { columns: ['A', 'B'] }, label: { field: 'Antwort', as: 'letter' } },
    answers: ['zwei', 'hier'],
    doubts: [/"Antwort" is taken for the label by its values/],
    template: '{Frage}',
  },
  'HEAD-QA': {
    rows: two((n) => ({
      name: 'C',
      category: 'biology',
      qid: n + 1,
      qtext: `Cell ${n}`,
      ra: n + 2,
      answers: texts(n).map((atext, k) => ({ aid: k + 1, atext })),
    })),
    fields: { id: 'qid', options: 'answers.atext', label: { field: 'ra', keys: 'answers.aid' } },
    answers: ['plum0', 'fig1'],
    template: '{qtext}',
  },
  BBQ: {
    rows: two((n) => ({
      example_id: n,
      answer_info: { ans0: ['a', 'b'], ans1: ['c', 'd'] },
      context: 'Two met.',
      question: `Who ${n}?`,
      ans0: `Ann${n}`,
      ans1: 'Nobody',
      label: n,
    })),
    fields: { id: 'example_id', options: { columns: ['ans0', 'ans1'] }, label: { field: 'label', labelBase: 0 } },
    answers: ['Ann0', 'Nobody'],
    template: '{context}\n\nQuestion: {question}',
  },
  StrategyQA: {
    rows: two((n) => ({ qid: `s${n}`, question: `Is rain wet ${n}?`, answer: n === 1, facts: ['It is.', 'It was.'] })),
    fields: { id: 'qid', options: { labels: ['false', 'true'] }, label: { field: 'answer', as: 'text' } },
    answers: ['false', 'true'],
    template: '{question}',
  },
  Belebele: {
    rows: two((n) => ({
      flores_passage: 'It rains.',
      question: `What ${n}?`,
      mc_answer1: 'a',
      mc_answer2: 'b',
      mc_answer3: 'c',
      correct_answer_num: `${n * 2 + 1}`,
    })),
    fields: {
      options: { columns: ['mc_answer1', 'mc_answer2', 'mc_answer3'] },
      label: { field: 'correct_answer_num', labelBase: 1 },
    },
    answers: ['a', 'c'],
    doubts: [/single letter/],
    template: '{question}',
  },
  RTE: {
    rows: two((n) => ({ sentence1: 'It rained all day.', sentence2: `Wet ${n}.`, label: n, idx: n })),
    fields: { id: 'idx', options: { labels: ['class 0', 'class 1'] }, label: { field: 'label', labelBase: 0 } },
    answers: ['class 0', 'class 1'],
    doubts: [/numbers only/],
    template: '{sentence1}\n\nText: {sentence2}',
  },
  'TruthfulQA as CSV': {
    rows: 'Type,Category,Question,Best Answer,Correct Answers,Incorrect Answers,Source\nX,Y,Is rain wet?,Yes,Yes; It is,No; Never; ,s\nX,Y,Is sand wet?,No,No,Yes,s\n',
    fields: { options: { right: 'Best Answer', wrong: 'Incorrect Answers', separator: ';', seed: 1 } },
    answers: ['Yes', 'No'],
    template: '{Question}',
  },
  'SST-2': {
    rows: two((n) => ({ idx: n, sentence: `a ${n} film`, label: n })),
    fields: { id: 'idx', options: { labels: ['class 0', 'class 1'] }, label: { field: 'label', labelBase: 0 } },
    answers: ['class 0', 'class 1'],
    doubts: [/numbers only/],
    template: 'Text: {sentence}',
  },
  ANLI: {
    rows: [0, 1, 2].map((n) => ({
      uid: `u${n}`,
      premise: 'It rains.',
      hypothesis: `It is wet ${n}.`,
      label: n,
      reason: '',
    })),
    fields: {
      id: 'uid',
      options: { labels: ['class 0', 'class 1', 'class 2'] },
      label: { field: 'label', labelBase: 0 },
    },
    answers: ['class 0', 'class 1', 'class 2'],
    doubts: [/numbers only/],
    template: '{premise}\n\nText: {hypothesis}',
  },
  PubMedQA: {
    rows: ['yes', 'no', 'maybe'].map((word, n) => ({
      pubid: 5 + n,
      question: `Does it help ${n}?`,
      context: { contexts: ['It may.'], labels: ['B'] },
      long_answer: 'Perhaps.',
      final_decision: word,
    })),
    fields: { options: { labels: ['maybe', 'no', 'yes'] }, label: { field: 'final_decision', as: 'text' } },
    answers: ['yes', 'no', 'maybe'],
    doubts: [/3 different values in 3 rows/],
    template: '{question}',
  },
};

describe('add-dataset proposes for the shape of', () => {
  it.each(Object.entries(SHAPES))('%s what loads with the right answers', async (name, { rows, ...expected }) => {
    const id = name.toLowerCase().replaceAll(/\W+/g, '-');
    const file = path.join(
      root,
      'datasets',
      typeof rows !== 'string' ? `${id}.jsonl` : rows.includes('\t') ? `${id}.tsv` : `${id}.csv`,
    );
    writeFileSync(file, typeof rows === 'string' ? rows : rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const added = await addDataset({ file, datasets: path.join(root, 'datasets'), write: true, acceptDoubts: true });
    const [spec] = await loadDatasetSpecs(path.join(root, 'datasets'), [added.dataset]);
    const { examples } = await loadDataset(spec!);
    const answerOf = ({ options, label }: (typeof examples)[number]) => (label === null ? null : options[label]!);
    expect(spec!.yaml.fields).toEqual(expected.fields);
    expect(examples.map(answerOf).sort()).toEqual([...expected.answers].sort());
    expect(spec!.yaml.prompt!.template).toContain(expected.template);
    expect(added.doubts).toEqual((expected.doubts ?? []).map((doubt) => expect.stringMatching(doubt)));
    if (expected.note) expect(added.notes).toContainEqual(expect.stringMatching(expected.note));
  });
});
