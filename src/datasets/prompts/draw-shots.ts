import type { FewShotYaml } from '../../config/dataset-schema.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { shuffle } from '../../numeric/random/shuffle.js';
import type { DatasetSpec } from '../example/dataset-spec.js';
import type { Example, LeftOutRow } from '../example/example.js';
import { foldedOption } from '../fields/dataset-warnings.js';
import type { PromptLayout } from './prompt-layout.js';

export interface ShotRequest {
  readonly spec: DatasetSpec;
  readonly fewShot: FewShotYaml;
  /** All rows of the data set, in id order. */
  readonly examples: readonly Example[];
  /** Rows of another file, in id order; null: the data set's own rows are drawn. */
  readonly pool: readonly Example[] | null;
  readonly layouts: readonly PromptLayout[];
}

export interface DrawnShots {
  /** In the order in which the prompts show them. */
  readonly shots: readonly Example[];
  /** What is left to evaluate, in id order. */
  readonly examples: readonly Example[];
  readonly usedUp: readonly LeftOutRow[];
}

/**
 * Draws the solved examples of the few-shot block: the first `count` of the shuffled candidates. A candidate has a
 * label, and no row that is evaluated has its content or looks like it in the prompt. The draw depends on ids, contents
 * and seed, never on the order of a file.
 *
 * @throws SupportCalError bad-input: fewer candidates than `count`, or nothing left to evaluate
 */
export function drawShots({ spec, fewShot, examples, pool, layouts }: ShotRequest): DrawnShots {
  const { count, seed } = fewShot;
  const looks = looksOf(layouts);
  const labelled = (pool ?? examples).filter((example) => example.label !== null);
  const candidates = pool === null ? once(labelled, examples, looks) : unseen(labelled, examples, looks);
  if (candidates.length < count) throw tooFew(spec, fewShot, labelled.length, candidates.length);
  const shots = Array.from(shuffle(candidates.length, seed).subarray(0, count), (n) => candidates[n]!);
  if (pool !== null) return { shots, examples, usedUp: [] };
  const drawn = new Set(shots);
  const rest = examples.filter((example) => !drawn.has(example));
  if (rest.length === 0) throw fail(spec, 'the few-shot block takes every row; none is left to evaluate');
  return { shots, examples: rest, usedUp: shots.map(({ id }) => ({ id, reason: 'shown in the few-shot block' })) };
}

/** Candidates without a copy among all rows: a copy of a shot would be evaluated with its answer in the prompt. */
function once(labelled: readonly Example[], all: readonly Example[], looks: Looks): Example[] {
  const times = new Map<string, number>();
  for (const key of all.flatMap(looks)) times.set(key, (times.get(key) ?? 0) + 1);
  return labelled.filter((example) => looks(example).every((key) => times.get(key) === 1));
}

/** Candidates that are no copy of an evaluated row, and of copies among themselves the first. */
function unseen(labelled: readonly Example[], evaluated: readonly Example[], looks: Looks): Example[] {
  const seen = new Set(evaluated.flatMap(looks));
  return labelled.filter((example) => {
    const keys = looks(example);
    const known = keys.some((key) => seen.has(key));
    for (const key of keys) seen.add(key);
    return !known;
  });
}

type Looks = (example: Example) => readonly [string, string];

/** What makes two rows copies: the same content, or the same fields in the templates and the same set of options. */
function looksOf(layouts: readonly PromptLayout[]): Looks {
  const fields = [...new Set(layouts.flatMap((layout) => layout.template.fields))].sort();
  return ({ contentHash, fields: values, options }) => {
    const shown = fields.map((field) => (Object.hasOwn(values, field) ? foldedOption(values[field] ?? '') : null));
    return [contentHash, JSON.stringify([shown, options.map(foldedOption).sort()])];
  };
}

function tooFew(spec: DatasetSpec, { count, from }: FewShotYaml, labelled: number, usable: number): SupportCalError {
  const where = from === undefined ? 'the data set' : typeof from === 'string' ? from : `split "${from.split}"`;
  const copies = labelled - usable;
  const why = copies === 0 ? '' : `, of which ${copies} would show an evaluated row or a row twice`;
  const advice = labelled === 0 ? 'say with `fields.label` which field holds the answers' : 'lower the count';
  const found = `${where} has ${labelled} rows with a label${why}`;
  const message = `${count} solved examples are asked for, but ${found}; ${advice}`;
  return fail(spec, message);
}

function fail(spec: DatasetSpec, message: string): SupportCalError {
  const path = ['prompt', 'fewShot', 'count'];
  return new SupportCalError('bad-input', { file: spec.file, ...spec.locate(path), field: path.join('.'), message });
}
