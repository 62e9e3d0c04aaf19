import type { ControlledEvaluateInputItem, LlamaContextSequence, LlamaModel, Token } from 'node-llama-cpp';
import type { Generation, GenerationRow, Sample } from '../protocol/backend.js';
import { type BranchContext, rewind } from './evaluate-branches.js';
import { passesOf } from './passes-of.js';
import { sequenceAt } from './sequence-at.js';

/** One reply that is being written. */
interface Writing {
  readonly sequence: LlamaContextSequence;
  readonly next: () => Promise<IteratorResult<Token, unknown>>;
  readonly close: () => Promise<unknown>;
  readonly written: Token[];
  readonly limit: number;
  result: Generation | null;
}

/**
 * Writes replies of free text. Row n goes to sequence n; its prompt but the last token is evaluated once, and each
 * sample starts again from there. All sequences go one token further in the same turn, so that llama.cpp evaluates
 * them in one pass; the last one that still writes gets company, since one sequence alone takes other kernels than
 * several.
 *
 * @returns per row one generation per sample
 */
export async function generateReplies(
  model: LlamaModel,
  sequences: readonly LlamaContextSequence[],
  rows: readonly GenerationRow[],
  context: Pick<BranchContext, 'kept' | 'batchSize'>,
): Promise<Generation[][]> {
  const states = rows.map((row, n): RowState => {
    const stem = row.tokens.slice(0, -1);
    return { row, sequence: sequenceAt(sequences, n), stem, results: [] };
  });
  await evaluateStems(states, context);
  const passes = Math.max(...rows.map(({ samples }) => samples.length));
  const filler = rows[0]?.tokens.at(-1) as Token;
  for (let pass = 0; pass < passes; pass++) {
    const taking = states.filter(({ row }) => row.samples.length > pass);
    const written = await Promise.all(taking.map((state) => openSample(state, pass)));
    const company = taking.length === 1 ? states.find((state) => state !== taking[0]) : undefined;
    if (company !== undefined) await rewind(company);
    await writeTogether(model, written, company === undefined ? [] : [company.sequence], filler);
    for (const [t, { results }] of taking.entries()) results.push(written[t]?.result ?? UNWRITTEN);
  }
  return states.map(({ results }) => results);
}

/** One row with its sequence, the tokens that every sample of it starts from, and what is written of it. */
interface RowState {
  readonly row: GenerationRow;
  readonly sequence: LlamaContextSequence;
  readonly stem: readonly number[];
  readonly results: Generation[];
}

const UNWRITTEN: Generation = { kind: 'error', message: 'the reply was not finished' };

/** The prompts of a pass are filled up to one length; the filler is erased by the `rewind` that follows. */
async function evaluateStems(
  states: readonly RowState[],
  { kept, batchSize }: Pick<BranchContext, 'kept' | 'batchSize'>,
): Promise<void> {
  const lengthOf = ({ stem }: RowState) => stem.length - kept;
  for (const group of passesOf(states, lengthOf, batchSize)) {
    const padded = Math.max(...group.map(lengthOf));
    await Promise.all(
      group.map(async ({ sequence, stem }) => {
        const items: ControlledEvaluateInputItem[] = stem.slice(kept) as Token[];
        while (items.length < padded) items.push(stem.at(-1) as Token);
        if (items.length > 0) await sequence.controlledEvaluate(items);
      }),
    );
  }
}

async function openSample(state: RowState, pass: number): Promise<Writing> {
  const sample = state.row.samples[pass];
  if (sample === undefined) throw new RangeError(`a row has no sample ${pass}`);
  await rewind(state);
  return open(state.sequence, state.row, sample);
}

function open(
  sequence: LlamaContextSequence,
  { tokens, maxTokens }: GenerationRow,
  { seed, temperature }: Sample,
): Writing {
  const iterator = sequence.evaluate([tokens.at(-1) as Token], {
    temperature,
    // The defaults (40, 0.95) cut off what the temperature would leave. 0 would cut nothing either, and sort the whole
    // vocabulary for every token: 9.5 ms of a core with 152k of them, for 1.4 without that sampler, which null leaves
    // out of the chain.
    topK: null as unknown as number,
    topP: 1,
    minP: 0,
    seed,
  });
  const close = () => iterator.return();
  return { sequence, next: () => iterator.next(), close, written: [], limit: maxTokens, result: null };
}

async function writeTogether(
  model: LlamaModel,
  writings: readonly Writing[],
  company: readonly LlamaContextSequence[],
  filler: Token,
): Promise<void> {
  for (;;) {
    const live = writings.filter(({ result }) => result === null);
    if (live.length === 0) return;
    const idle = [...company, ...writings.flatMap(({ result, sequence }) => (result === null ? [] : [sequence]))];
    const companion = live.length === 1 ? idle[0] : undefined;
    await Promise.all([
      ...live.map((writing) => step(model, writing)),
      // Its own reply is done: what it takes in now is erased before its next one.
      ...(companion === undefined ? [] : [companion.controlledEvaluate([filler])]),
    ]);
  }
}

async function step(model: LlamaModel, writing: Writing): Promise<void> {
  const { written, limit } = writing;
  const finish = (ended: boolean) => {
    writing.result = { kind: 'text', text: model.detokenize(written), tokens: written.length, ended };
  };
  try {
    const { value, done } = await writing.next();
    if (done) return finish(true);
    written.push(value);
    if (written.length < limit) return;
    await writing.close();
    finish(false);
  } catch (error) {
    writing.result = { kind: 'error', message: error instanceof Error ? error.message : String(error) };
    await writing.close().catch(() => undefined);
  }
}
