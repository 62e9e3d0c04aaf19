/**
 * Compares every number of published/supportcal-paper.yaml with the LaTeX source of the paper, both ways.
 *
 *   npx tsx bench/check-published.ts PAPER.tex [published/supportcal-paper.yaml]
 *
 * Tables 1 and 2, Appendix B, D and E, the medians of Appendix A. Prints what differs and how many numbers were
 * compared; ends with 1 when something does. The paper's source is not part of this project.
 */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { type PublishedFile, publishedSchema } from '../src/config/published-schema.js';
import { write } from './measure.js';

const TABLES: Readonly<Record<string, string>> = {
  'tab:medmcqa': 'medmcqa',
  'tab:mathqa': 'mathqa',
  'tab:tweeteval': 'tweeteval',
  'tab:relative_only_medmcqa': 'relative_only_medmcqa',
  'tab:relative_only_mathqa': 'relative_only_mathqa',
};
const METHODS: Readonly<Record<string, string>> = {
  Vanilla: 'vanilla',
  CAPE: 'cape',
  'Elicit.': 'elicitation',
  'Elic.-Ens.': 'elicitation-ensemble',
  DACA: 'daca',
  'Relative-only': 'relative-only',
};
const TARGETS: Readonly<Record<string, string>> = {
  'Gemma3-4B': 'gemma3-4b-it',
  'Gemma3-12B': 'gemma3-12b-it',
  'Gemma3-27B': 'gemma3-27b-it',
  'Llama-3-8B': 'llama-3-8b-instruct',
  'Llama-3.1-8B': 'llama-3.1-8b-instruct',
  'Mistral-7B-Instruct': 'mistral-7b-instruct-v0.3',
  'DeepSeek-V2-Lite': 'deepseek-v2-lite-chat',
  'Qwen2.5-7B': 'qwen2.5-7b-instruct',
  'Qwen2.5-14B': 'qwen2.5-14b-instruct',
  'Qwen2.5-32B': 'qwen2.5-32b-instruct',
  'Qwen2.5-Math-7B': 'qwen2.5-math-7b-instruct',
  'Qwen3-8B': 'qwen3-8b',
  'Yi-1.5-6B': 'yi-1.5-6b-chat',
  'Yi-1.5-9B': 'yi-1.5-9b-chat',
  'Yi-1.5-34B': 'yi-1.5-34b-chat',
};
const DATASETS: Readonly<Record<string, string>> = {
  MedMCQA: 'medmcqa',
  MathQA: 'mathqa',
  'TweetEval Sentiment': 'tweeteval-sentiment',
};

const [texFile, yamlFile = 'published/supportcal-paper.yaml'] = process.argv.slice(2);
if (texFile === undefined) throw new Error('usage: npx tsx bench/check-published.ts PAPER.tex [FILE.yaml]');
const printed = numbersOfTex(readFileSync(texFile, 'utf8'));
const ours = numbersOfYaml(publishedSchema.parse(parse(readFileSync(yamlFile, 'utf8'))));
const faults = [...new Set([...printed.keys(), ...ours.keys()])].flatMap((key) =>
  printed.get(key) === ours.get(key) ? [] : [`${key}: the paper has ${printed.get(key)}, the file ${ours.get(key)}`],
);
for (const fault of faults) write(fault);
write(`${printed.size} numbers in the paper, ${ours.size} in ${yamlFile}, ${faults.length} differ`);
process.exitCode = faults.length > 0 || printed.size === 0 ? 1 : 0;

/** Numbers by where they stand: `table/target/column/mean`. */
function numbersOfYaml({ tables, diagnostics }: PublishedFile): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const { name, columns, rows, macro } of tables) {
    for (const [target, cells] of Object.entries(rows)) {
      cells.forEach((cell, c) => {
        if (cell === null) return;
        numbers.set(`${name}/${target}/${columns[c]}/mean`, cell[0]).set(`${name}/${target}/${columns[c]}/se`, cell[1]);
      });
    }
    macro?.forEach((mean, c) => {
      numbers.set(`${name}/macro/${columns[c]}`, mean);
    });
  }
  for (const { dataset, disagreementMedianPercent, weights } of diagnostics) {
    if (disagreementMedianPercent !== undefined) numbers.set(`disagreement/${dataset}`, disagreementMedianPercent);
    for (const [sign, [mean, median]] of Object.entries(weights ?? {}))
      numbers.set(`weights/${dataset}/${sign}/mean`, mean).set(`weights/${dataset}/${sign}/median`, median);
  }
  return numbers;
}

function numbersOfTex(tex: string): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const [, table] of tex.matchAll(/\\begin\{table\}([\s\S]*?)\\end\{table\}/g)) {
    const label = /\\label\{(tab:[\w-]+)\}/.exec(table!)![1]!;
    const body = /\\toprule([\s\S]*?)\\bottomrule/.exec(table!)![1]!.replace(/\\midrule/g, '');
    const lines = body.split(/\\\\\s*\n/).map((line) => line.split('&').map((cell) => cell.trim()));
    const [head, ...rows] = lines.filter((cells) => cells.length > 1);
    if (label === 'tab:signsplit-weights') readWeights(rows, numbers);
    else if (TABLES[label] !== undefined) readEce(TABLES[label], head!.slice(1).map(columnOf), rows, numbers);
    else write(`the table ${label} is not compared`);
  }
  for (const [, name, percent] of tex.matchAll(/\([ab]\) (\w+), median ([\d.]+)\\%/g))
    numbers.set(`disagreement/${DATASETS[name!]}`, Number(percent));
  const text = /disagreement rate is ([\d.]+)\\% on MedMCQA and ([\d.]+)\\% on MathQA/.exec(tex)!;
  for (const [n, dataset] of ['medmcqa', 'mathqa'].entries()) {
    if (numbers.get(`disagreement/${dataset}`) !== Number(text[n + 1]))
      write(`the text and Appendix A of the paper have other medians for ${dataset}`);
  }
  return numbers;
}

function columnOf(cell: string): string {
  const size = /^\\SupportCal\{\} \((?:\$M=)?(\d)\$?\)$/.exec(cell)?.[1];
  const method = size === undefined ? METHODS[cell] : `supportcal ${size}`;
  if (method === undefined) throw new Error(`unknown column ${cell}`);
  return method;
}

function readEce(name: string, columns: string[], rows: string[][], numbers: Map<string, number>): void {
  for (const [first, ...cells] of rows) {
    const macro = first!.includes('Macro');
    const target = TARGETS[first!];
    if (!macro && target === undefined) throw new Error(`unknown target ${first}`);
    cells.forEach((cell, c) => {
      const found = cell.match(/\d+\.\d+/g)!.map(Number);
      if (macro) numbers.set(`${name}/macro/${columns[c]}`, found[0]!);
      else
        numbers
          .set(`${name}/${target}/${columns[c]}/mean`, found[0]!)
          .set(`${name}/${target}/${columns[c]}/se`, found[1]!);
    });
  }
}

function readWeights(rows: string[][], numbers: Map<string, number>): void {
  for (const [first, negative, positive] of rows) {
    for (const [sign, cell] of Object.entries({ negative: negative!, positive: positive! })) {
      const [mean, median] = cell.match(/\d+\.\d+/g)!.map(Number);
      numbers.set(`weights/${DATASETS[first!]}/${sign}/mean`, mean!);
      numbers.set(`weights/${DATASETS[first!]}/${sign}/median`, median!);
    }
  }
}
