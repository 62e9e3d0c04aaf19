import { readFileSync } from 'node:fs';

export interface Question {
  readonly id: string;
  /** Ends in "Answer:". */
  readonly prompt: string;
  /** "A", "B" and so on. */
  readonly labels: readonly string[];
  readonly label: number;
}

/** The demo data set's questions, repeated with a number in front when more are asked for: no two prompts are equal. */
export function readQuestions(count: number): Question[] {
  const file = new URL('../datasets/demo-facts.jsonl', import.meta.url);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return Array.from({ length: count }, (_, n) => {
    const row = JSON.parse(lines[n % lines.length]!) as { question: string; options: string[]; answer: string };
    const labels = [...'ABCDE'].slice(0, row.options.length);
    const options = row.options.map((option, k) => `${labels[k]}. ${option}`).join('\n');
    const again = n < lines.length ? '' : `${Math.floor(n / lines.length) + 1}. `;
    return {
      id: `row-${n}`,
      prompt: `Question: ${again}${row.question}\n${options}\nAnswer:`,
      labels,
      label: labels.indexOf(row.answer),
    };
  });
}

/** The binary file that `llama-perplexity --multiple-choice` reads: a count, places, then the tasks. */
export function multipleChoiceFile(questions: readonly Question[]): Buffer {
  const tasks = questions.map(({ prompt, labels, label }) => {
    const answers = Buffer.concat([
      integer(labels.length),
      ...labels.map((text) => string(text)),
      ...labels.map((_, k) => integer(k === label ? 1 : 0)),
    ]);
    // The second list, several right answers, is read and not used.
    return Buffer.concat([string(prompt), answers, answers]);
  });
  let place = 4 + 4 * tasks.length;
  const places = tasks.map((task) => {
    const here = integer(place);
    place += task.length;
    return here;
  });
  return Buffer.concat([integer(tasks.length), ...places, ...tasks]);
}

function integer(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function string(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  return Buffer.concat([integer(bytes.length), bytes]);
}
