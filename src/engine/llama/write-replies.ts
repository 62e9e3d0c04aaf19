import { drawIndex } from '../../numeric/random/draw-index.js';
import { type SeededGenerator, seededGenerator } from '../../numeric/random/seeded-generator.js';
import type { Generation, GenerationRow, Reading } from '../protocol/backend.js';
import { massFault, readingFault } from '../protocol/reading-fault.js';
import type { TokenTree } from '../protocol/token-tree.js';
import type { BranchSequence, Lap } from './branches/branch-laps.js';
import { attempt, type BranchContext, evaluateTogether, rewind } from './branches/evaluate-branches.js';
import { sequenceAt } from './sequence-at.js';

/** A prompt whose replies have a form. */
export type FormedRow = Omit<GenerationRow, 'form'> & { readonly form: TokenTree };

/** A point where replies differ: its samples go on from there once the logits of the next tokens are read. */
interface Fork {
  readonly node: TokenTree;
  /** Reply tokens up to here, the first `from` of which are evaluated already when it is this fork's turn. */
  readonly path: readonly number[];
  readonly from: number;
  readonly samples: readonly number[];
  /** Probability of all that was allowed at the forks on the way here, their product. */
  readonly allowed: number;
}

interface Writing {
  readonly sequence: BranchSequence;
  readonly row: FormedRow;
  readonly generators: readonly SeededGenerator[];
  /** Next one last: what comes after a fork is done before the next fork beside it, so that its path is still there. */
  readonly forks: Fork[];
  readonly replies: { readonly text: string; readonly path: readonly number[]; readonly allowed: number }[];
  stem: readonly number[];
  error: string | null;
}

/** The context that replies are written in. */
export interface ReplyContext extends BranchContext {
  /** The text of tokens, for a reply that is cut. */
  readonly textOf: (tokens: readonly number[]) => string;
}

/**
 * Writes replies of a form. Row n goes to sequence n. All samples of a row share one evaluation of the prompt and of
 * every beginning that they have in common; tokens that follow for certain are evaluated with those before them, and
 * only where replies differ is anything drawn.
 */
export async function writeReplies(
  sequences: readonly BranchSequence[],
  rows: readonly FormedRow[],
  context: ReplyContext,
): Promise<Generation[][]> {
  const states = rows.map((row, n) => startOf(row, sequenceAt(sequences, n)));
  await evaluateTogether(
    states.map((state) => lapOf(state, state.row.tokens.slice(context.kept))),
    context,
  );
  for (let laps = nextLaps(states); laps.length > 0; laps = nextLaps(states)) {
    await Promise.all(laps.map(({ state }) => attempt(state, () => rewind(state))));
    await evaluateTogether(laps, context);
  }
  return states.map((state) => state.row.samples.map((_, s) => generationOf(state, s, context.textOf)));
}

function startOf(row: FormedRow, sequence: BranchSequence): Writing {
  const generators = row.samples.map(({ seed }) => seededGenerator(seed));
  const state: Writing = { sequence, row, generators, forks: [], replies: [], stem: row.tokens, error: null };
  goOn(state, { node: row.form, path: [], from: 0, samples: [...row.samples.keys()], allowed: 1 });
  return state;
}

/** Goes on from a point of a reply to the next one where replies differ, or to their end. */
function goOn(state: Writing, start: Fork): void {
  const { from, samples, allowed } = start;
  const path = [...start.path];
  let { node } = start;
  while (node.next.size === 1) {
    const [[token, child]] = node.next as unknown as [[number, TokenTree]];
    path.push(token);
    node = child;
  }
  if (node.text === null) state.forks.push({ node, path, from, samples, allowed });
  else for (const sample of samples) state.replies[sample] = { text: node.text, path, allowed };
}

/** Takes the next fork of a row: `input` is evaluated, and what its samples choose is read at its end. */
function lapOf(state: Writing, prompt: readonly number[] = []): Lap {
  const fork = state.forks.pop();
  if (fork === undefined) throw new Error('a row whose replies are done has no next lap');
  const input = [...prompt, ...fork.path.slice(fork.from)];
  const take = (reading: Reading) => choose(state, fork, reading);
  return { state, input, readings: [{ at: input.length - 1, ids: [...fork.node.next.keys()], take }] };
}

function choose(state: Writing, { node, path, samples, allowed }: Fork, reading: Reading): void {
  const fault = readingFault(reading);
  if (fault !== null) throw new Error(fault);
  const choices = [...node.next];
  const taken = new Map<number, number[]>();
  for (const sample of samples) {
    const { temperature, generator } = drawingOf(state, sample);
    const choice = drawIndex(reading.logits as readonly number[], temperature, uniform(generator));
    taken.set(choice, [...(taken.get(choice) ?? []), sample]);
  }
  const mass = allowed * massOf(reading);
  for (const [choice, takers] of [...taken].reverse()) {
    const chosen = choices[choice];
    if (chosen === undefined) throw new Error('no token could be drawn');
    const [token, node] = chosen;
    goOn(state, { node, path: [...path, token], from: path.length, samples: takers, allowed: mass });
  }
}

/**
 * Probability of the tokens that were asked for; rounding may take their sum a little above 1.
 *
 * @throws Error when it is more than rounding explains
 */
function massOf({ logits, maxLogit, totalWeight }: Reading): number {
  const weights = logits.reduce<number>((sum, logit) => sum + Math.exp((logit ?? Number.NaN) - maxLogit), 0);
  const fault = massFault(weights / totalWeight);
  if (fault !== null) throw new Error(fault);
  return Math.min(1, weights / totalWeight);
}

/** How a sample of a row is drawn. */
function drawingOf({ row, generators }: Writing, sample: number) {
  const [asked, generator] = [row.samples[sample], generators[sample]];
  if (asked === undefined || generator === undefined) throw new RangeError(`a row has no sample ${sample}`);
  return { temperature: asked.temperature, generator };
}

function uniform(generator: SeededGenerator): number {
  return (generator.next() >>> 0) / 2 ** 32;
}

/**
 * The next fork of the rows whose input is of the length that most have, so that one pass takes them without filler.
 * One row alone would take other kernels than several, so another keeps it company.
 */
function nextLaps(states: readonly Writing[]): Lap[] {
  const sound = states.filter(({ error }) => error === null);
  const byLength = new Map<number, Writing[]>();
  for (const state of sound.filter(({ forks }) => forks.length > 0)) {
    const length = nextLength(state);
    byLength.set(length, [...(byLength.get(length) ?? []), state]);
  }
  const [chosen] = [...byLength].sort(([a, x], [b, y]) => y.length - x.length || b - a);
  if (chosen === undefined) return [];
  const [length, takers] = chosen;
  for (const state of takers) state.stem = stemOf(state);
  const laps = takers.map((state) => lapOf(state));
  const companion = takers.length === 1 ? sound.find((state) => state !== takers[0]) : undefined;
  if (companion === undefined) return laps;
  companion.stem = stemOf(companion);
  const filler = new Array<number>(length).fill(companion.row.tokens.at(-1) ?? 0);
  return [...laps, { state: companion, input: filler, readings: [] }];
}

function nextLength({ forks }: Writing): number {
  const next = forks.at(-1);
  return next === undefined ? 0 : next.path.length - next.from;
}

/** What the sequence must hold when the next fork of a row is taken. */
function stemOf({ row, forks }: Writing): readonly number[] {
  const next = forks.at(-1);
  return next === undefined ? row.tokens : [...row.tokens, ...next.path.slice(0, next.from)];
}

function generationOf(
  { row, replies, error }: Writing,
  sample: number,
  textOf: (tokens: readonly number[]) => string,
): Generation {
  const reply = replies[sample];
  if (reply === undefined) return { kind: 'error', message: error ?? 'the reply was not finished' };
  const { text, path, allowed: allowedMass } = reply;
  if (path.length <= row.maxTokens) return { kind: 'text', text, tokens: path.length, ended: true, allowedMass };
  const cut = textOf(path.slice(0, row.maxTokens));
  return { kind: 'text', text: cut, tokens: row.maxTokens, ended: false, allowedMass };
}
