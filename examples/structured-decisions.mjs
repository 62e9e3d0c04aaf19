// Structured decisions of node-llama-cpp, and plain letters, with calibrated probabilities.
//
//   npm ci && npm run build && node examples/structured-decisions.mjs
//
// A post-trained demo model and its own pretrained base decide the same questions. No answer is known to the fit: where
// both models agree, the base says how sure one should be. Elsewhere, install supportcal and node-llama-cpp and put your
// own models and questions in place of those of this repository.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { applyTemperature, calibrateDecision, decisionLogits, ece, fitArtefact } from 'supportcal/core';

const questions = await questionsOf('../datasets/demo-facts.jsonl', Number(process.argv[2] ?? 60));
const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.error });
// One thread is enough for models of two megabytes.
const size = { contextSize: 512, threads: 1 };
const base = await load('heron-base.gguf');
const target = await load('heron-pg.gguf');

// 1. Structured decisions: one choice a question. The calibration is fitted on decisions, whose prompts are their own.
const [ofBase, ofTarget] = [await decisionsOf(base), await decisionsOf(target)];
const calibration = fitArtefact(ofTarget.map(decisionLogits), ofBase.map(decisionLogits));
const decisions = ofTarget.map((decision) => calibrateDecision(decision, calibration));
const right = decisions.map(({ choice }, n) => choice === questions[n].answer);
report('decisions', calibration, decisions, right);

// 2. Plain letters: the logits of " A", " B", ... after a prompt of one's own, with a temperature of its own.
const [lettersOfBase, lettersOfTarget] = [await lettersOf(base), await lettersOf(target)];
const ofLetters = fitArtefact(lettersOfTarget, lettersOfBase);
const answers = lettersOfTarget.map((logits) => applyTemperature(logits, ofLetters));
report(
  'letters',
  ofLetters,
  answers,
  answers.map(({ prediction }, n) => 'ABCD'[prediction] === questions[n].answer),
);
await llama.dispose();

async function questionsOf(file, count) {
  const text = await readFile(new URL(file, import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .slice(0, count)
    .map((line) => JSON.parse(line));
}

function load(name) {
  return llama.loadModel({ modelPath: fileURLToPath(new URL(`../models/demo/${name}`, import.meta.url)) });
}

async function decisionsOf(model) {
  const context = await model.createDecisionContext(size);
  const made = [];
  for (const { question, options } of questions) {
    const criteria = Object.fromEntries(options.map((option, k) => ['ABCD'[k], option]));
    const { answer } = await context.decide(question, {
      answer: { type: 'choice', instruction: 'Which answer is right?', criteria },
    });
    made.push(answer);
  }
  await context.dispose();
  return made;
}

async function lettersOf(model) {
  const context = await model.createContext(size);
  const sequence = context.getSequence();
  const rows = [];
  for (const { question, options } of questions) {
    const lines = options.map((option, k) => `${'ABCD'[k]}. ${option}`);
    const prompt = model.tokenize(`Question: ${question}\n${lines.join('\n')}\nAnswer:`);
    // The token of a letter is the one that it is after the prompt: "A" and " A" are different tokens.
    const tokens = options.map((_, k) => model.tokenize(`Answer: ${'ABCD'[k]}`).at(-1));
    await sequence.clearHistory();
    const last = { generateNext: { logits: { filter: { tokens } } } };
    const output = await sequence.controlledEvaluate([...prompt.slice(0, -1), [prompt.at(-1), last]]);
    const { logits } = output.at(-1).next;
    rows.push(tokens.map((token) => logits.get(token)));
  }
  await context.dispose();
  return rows;
}

function report(what, { temperatureKind, temperature, rows }, answers, right) {
  const error = (of) => (100 * ece(answers.map(of), right)).toFixed(1);
  const found = temperatureKind === 'finite' ? `temperature ${temperature.toFixed(3)}` : temperatureKind;
  const before = error(({ rawConfidence }) => rawConfidence);
  const after = error(({ confidence }) => confidence);
  process.stdout.write(`${what}: ${found} from ${rows} questions without answers; ECE ${before} -> ${after} points\n`);
}
