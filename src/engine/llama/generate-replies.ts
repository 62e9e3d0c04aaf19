import type { ControlledEvaluateInputItem, LlamaContextSequence, LlamaModel, Token } from 'node-llama-cpp';
import type { ReplyWriter } from '../library/write-natively.js';
import type { Generation, GenerationRow, Sample } from '../protocol/backend.js';
import { type BranchContext, rewind } from './branches/evaluate-branches.js';
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
  context: Pick<BranchContext, 'kept' | 'batchSize'> & { readonly writer: ReplyWriter | null },
): Promise<Generation[][]> {
  const states = rows.map((row, n): RowState => {
    const stem = row.tokens.slice(0, -1);
    return { row, sequence: sequenceAt(sequences, n), stem, results: [] };
  });
  await evaluateStems(states, context);
  const passes = Math.max(...rows.map(({ samples }) => samples.length));
  const write = context.writer === null ? byLibrary : natively(context.writer);
  for (let pass = 0; pass < passes; pass++) {
    const taking = states.filter(({ row }) => row.samples.length > pass);
    const company = taking.length === 1 ? states.find((state) => state !== taking[0]) : undefined;
    for (const state of [...taking, ...(company === undefined ? [] : [company])]) await rewind(state);
    const written = await write(model, taking, { pass, company });
    for (const [t, { results }] of taking.entries()) results.push(written[t] ?? UNWRITTEN);
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

/** Which sample of its rows is written, and who keeps a lone row company. */
interface Pass {
  readonly pass: number;
  readonly company: RowState | undefined;
}

/** All replies of a pass at a time, by our own reader. */
function natively(writer: ReplyWriter) {
  return async (model: LlamaModel, taking: readonly RowState[], { pass, company }: Pass): Promise<Generation[]> => {
    const starts = taking.map(({ row, sequence }) => {
      const last = row.tokens.at(-1) as number;
      return { sequence, last, ...sampleOf(row, pass), maxTokens: row.maxTokens };
    });
    const written = await writer(starts, company?.sequence);
    return written.map(({ tokens, ended, error }): Generation => {
      if (error !== undefined) return { kind: 'error', message: error };
      return { kind: 'text', text: model.detokenize(Array.from(tokens) as Token[]), tokens: tokens.length, ended };
    });
  };
}

/** Token after token, as the library gives them. */
async function byLibrary(
  model: LlamaModel,
  taking: readonly RowState[],
  { pass, company }: Pass,
): Promise<(Generation | null)[]> {
  const written = taking.map(({ row, sequence }) => open(sequence, row, sampleOf(row, pass)));
  const filler = taking[0]?.row.tokens.at(-1) as Token;
  await writeTogether(model, written, company === undefined ? [] : [company.sequence], filler);
  return written.map(({ result }) => result);
}

function sampleOf({ samples }: GenerationRow, pass: number): Sample {
  const sample = samples[pass];
  if (sample === undefined) throw new RangeError(`a row has no sample ${pass}`);
  return sample;
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
