import type { ControlledEvaluateInputItem, LlamaContextSequence, LlamaModel, Token } from 'node-llama-cpp';
import type { Generation, GenerationRow, Sample } from '../protocol/backend.js';
import { rewind } from './evaluate-branches.js';

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
 * Writes replies of free text. Row n goes to sequence n, where the first `kept` tokens of its prompt are evaluated already; the rest
 * but the last token is evaluated once, and each sample starts again from there. All sequences go one token further in
 * the same turn, so that llama.cpp evaluates them in one pass; the last one that still writes gets company, since one
 * sequence alone takes other kernels than several.
 *
 * @returns per row one generation per sample
 */
export async function generateReplies(
  model: LlamaModel,
  sequences: readonly LlamaContextSequence[],
  rows: readonly GenerationRow[],
  kept: number,
): Promise<Generation[][]> {
  const stems = rows.map(({ tokens }, n) => ({ sequence: sequences[n]!, stem: tokens.slice(0, -1) }));
  await evaluateStems(stems, kept);
  const results: Generation[][] = rows.map(() => []);
  const passes = Math.max(...rows.map(({ samples }) => samples.length));
  for (let pass = 0; pass < passes; pass++) {
    const taking = rows.flatMap((row, n) =>
      row.samples.length > pass ? [{ row, n, sample: row.samples[pass]! }] : [],
    );
    const written = await Promise.all(
      taking.map(async ({ row, n, sample }) => {
        await rewind(stems[n]!);
        return open(sequences[n]!, row, sample);
      }),
    );
    const company = rows.length > 1 && taking.length === 1 ? stems.find((_, n) => n !== taking[0]!.n)! : null;
    if (company !== null) await rewind(company);
    await writeTogether(model, written, company === null ? [] : [company.sequence], rows[0]!.tokens.at(-1) as Token);
    for (const [t, { n }] of taking.entries()) results[n]!.push(written[t]!.result!);
  }
  return results;
}

type Stem = Parameters<typeof rewind>[0] & { readonly sequence: LlamaContextSequence };

/** All prompts in one pass, filled up to one length; the filler is erased by the `rewind` that follows. */
async function evaluateStems(stems: readonly Stem[], kept: number): Promise<void> {
  const rests = stems.map(({ stem }) => stem.slice(kept) as Token[]);
  const padded = Math.max(...rests.map(({ length }) => length));
  await Promise.all(
    stems.map(async ({ sequence, stem }, n) => {
      const items: ControlledEvaluateInputItem[] = [...rests[n]!];
      while (items.length < padded) items.push(stem.at(-1)! as Token);
      if (items.length > 0) await sequence.controlledEvaluate(items);
    }),
  );
}

function open(
  sequence: LlamaContextSequence,
  { tokens, maxTokens }: GenerationRow,
  { seed, temperature }: Sample,
): Writing {
  const iterator = sequence.evaluate([tokens.at(-1) as Token], {
    temperature,
    // The defaults (40, 0.95) cut off what the temperature would leave.
    topK: 0,
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
