import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { run } from './fake-io.js';

/** A suite whose scores are all imported: one target, its own base, two references, on one data set without source. */
export interface ImportedSuite {
  readonly folder: string;
  readonly flags: readonly string[];
  file(name: string): string;
  import(model: string, rows: readonly object[], unit?: string): ReturnType<typeof run>;
}

export function importedSuite(): ImportedSuite {
  const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-cli-'));
  const file = (name: string) => path.join(folder, name);
  mkdirSync(file('datasets'));
  writeFileSync(file('datasets/quiz.yaml'), 'title: A quiz\n');
  writeFileSync(
    file('models.yaml'),
    `models:
  - {id: base, role: base}
  - {id: ref-a, role: base}
  - {id: ref-b, role: base}
  - {id: chat, role: post-trained, base: base}
suites:
  s: {datasets: [quiz], seeds: [1, 2]}
`,
  );
  const flags = ['--models', file('models.yaml'), '--datasets', file('datasets'), '--cache', file('cache')];
  return {
    folder,
    flags,
    file,
    import(model, rows, unit = 'logits') {
      writeFileSync(file(`${model}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      return run(['import', file(`${model}.jsonl`), '--model', model, '--dataset', 'quiz', '--unit', unit, ...flags]);
    },
  };
}

/** 40 rows of 3 options; every model has its own scale, so target and base disagree on some. */
export function rowsOf(scale: number, shift: number): { id: string; logits: number[]; label: number }[] {
  return Array.from({ length: 40 }, (_, n) => ({
    id: `q${n}`,
    logits: [0, 1, 2].map((k) => scale * Math.sin(7 * n + 3 * k + shift)),
    label: (n * 5) % 3,
  }));
}

export async function importAll(suite: ImportedSuite): Promise<void> {
  await suite.import('base', rowsOf(1, 0));
  await suite.import('ref-a', rowsOf(1, 0.5));
  await suite.import('ref-b', rowsOf(1, 2));
  await suite.import('chat', rowsOf(5, 0.4));
}
