import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is asked: its text is the whole prompt. */
interface Question {
  readonly id: string;
  readonly text: string;
}

/**
 * Writes a project of four-option questions into an empty folder, with the suite `bench` of a base and a target.
 *
 * @returns flags of the commands that run it
 */
export function questionProject(
  place: string,
  questions: readonly Question[],
  { base, target }: { readonly base: string; readonly target: string },
): string[] {
  const at = (name: string) => join(place, name);
  mkdirSync(at('datasets'));
  const rows = questions.map(({ id, text }) => ({ id, question: text, options: ['a', 'b', 'c', 'd'], answer: 'A' }));
  writeFileSync(at('datasets/bench.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const fields = '{ id: id, options: options, label: { field: answer, as: letter } }';
  const yaml = `source: bench.jsonl\nfields: ${fields}\nprompt: { template: "{question}" }\nscoring: { minimumOptionMass: 0 }\n`;
  writeFileSync(at('datasets/bench.yaml'), yaml);
  const models = [
    `{ id: base, role: base, bucket: bench, file: ${JSON.stringify(base)} }`,
    `{ id: target, role: post-trained, base: base, bucket: bench, file: ${JSON.stringify(target)} }`,
  ];
  const suite = '{ targets: [target], datasets: [bench], methods: [vanilla, daca] }';
  writeFileSync(at('models.yaml'), `models: [${models.join(', ')}]\nsuites: { bench: ${suite} }\n`);
  const files = { models: 'models.yaml', datasets: 'datasets', cache: 'cache', out: 'out' };
  const places = Object.entries(files).flatMap(([flag, name]) => [`--${flag}`, at(name)]);
  return ['--suite', 'bench', '--gpu', 'off', ...places];
}
