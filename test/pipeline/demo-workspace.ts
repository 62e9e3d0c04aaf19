import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { run } from '../cli/fake-io.js';

const demo = path.resolve(import.meta.dirname, '../../models/demo');

/** A temporary project around three demo models (a target, its own base, one reference) and a small data set. */
export function demoWorkspace() {
  const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-demo-'));
  const file = (name: string) => path.join(folder, name);
  mkdirSync(file('datasets'));
  const models = { base: 'tern-base', reference: 'heron-base', target: 'tern-dpo' };
  const write = (files: Partial<Record<keyof typeof models, string>> = {}) => {
    const at = (role: keyof typeof models) => JSON.stringify(files[role] ?? path.join(demo, `${models[role]}.gguf`));
    writeFileSync(
      file('models.yaml'),
      `models:
  - {id: base, role: base, file: ${at('base')}}
  - {id: reference, role: base, file: ${at('reference')}}
  - {id: target, role: post-trained, base: base, file: ${at('target')}}
suites:
  s: {datasets: [quiz], seeds: [1, 2], combinationSizes: [1]}
`,
    );
  };
  write();
  const flags = [
    '--suite',
    's',
    '--models',
    file('models.yaml'),
    '--datasets',
    file('datasets'),
    '--cache',
    file('cache'),
  ];
  return {
    folder,
    file,
    /** Absolute path of a demo model's file. */
    demoModel: (role: keyof typeof models) => path.join(demo, `${models[role]}.gguf`),
    /** Puts other files in place of the demo models. */
    writeModels: write,
    run: (command: string, ...more: string[]) =>
      run([command, ...flags, ...(command === 'ls' ? [] : ['--out', file('out')]), '--gpu', 'off', ...more]),
  };
}

/** N word problems in the wording that the demo models know. */
export function wordProblems(count: number): { id: string; question: string; options: string[]; answer: string }[] {
  return Array.from({ length: count }, (_, n) => {
    const [a, b] = [11 + ((n * 7) % 60), 12 + ((n * 13) % 50)];
    const options = [a + b, a + b + 1, a + b - 10, Math.abs(a - b) + 1].map(String);
    const shift = n % 4;
    return {
      id: `w${String(n).padStart(3, '0')}`,
      question: `Anna has ${a} pears and buys ${b} more. How many pears does Anna have now?`,
      options: [...options.slice(shift), ...options.slice(0, shift)],
      answer: 'ADCB'[shift]!,
    };
  });
}
