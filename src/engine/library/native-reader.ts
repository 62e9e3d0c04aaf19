import { createRequire } from 'node:module';
import type { LlamaContext, LlamaContextSequence } from 'node-llama-cpp';

/** `reader.cpp`: `context` is the library's native one, and `index` the place of a token in its last batch. */
export interface NativeReader {
  /**
   * The token of the greatest logit, the sum of the exponentials of all logits less that one, and the logits of
   * `tokens` and of the greatest.
   */
  read(context: object, index: number, tokens: readonly number[]): Promise<Float64Array>;
  /**
   * Evaluates passes one after the other (`packPasses`) and says what `read` does of every place that is read, in their
   * order. Each sequence holds the same tokens before and after it. No more than `turns` passes of this process compute
   * at a time; one that waits goes on as soon as another ends. Rejects when a pass cannot be evaluated. Absent: the
   * reader was compiled before it could do so.
   *
   * @param threads read the rows of a pass
   */
  evaluatePasses?(context: object, passes: Int32Array, turns: number, threads: number): Promise<Float64Array>;
  /**
   * Writes replies together, and takes them out of their sequences again. Nothing else may use the context meanwhile.
   *
   * @param rows six numbers each: sequence, tokens that it holds, the token that follows them, temperature, seed, limit
   * @param company such numbers of a sequence that stands by while only one reply is written, or none
   * @param ends tokens that end a reply, beside those that the vocabulary says do
   * @param threads draw tokens
   */
  write(
    context: object,
    rows: Float64Array,
    company: Float64Array,
    ends: Float64Array,
    threads: number,
  ): Promise<WrittenReply[]>;
}

export interface WrittenReply {
  readonly tokens: Int32Array;
  /** A token ended it; otherwise it was cut at its limit. */
  readonly ended: boolean;
  /** Why nothing more could be written; absent: all was. */
  readonly error?: string;
}

/** What the library asks of a row: for probabilities, for confidence, for logits, for the sum of their exponentials. */
type Asked = readonly [probabilities?: boolean, confidence?: boolean, logits?: unknown, total?: boolean];
interface NativeContext {
  sampleToken(index: number, sampler: object, ...asked: Asked): Promise<unknown>;
}

/** What the library keeps a context by while it decodes; its types leave it out. */
interface DisposeGuard {
  createPreventDisposalHandle(): { dispose(): void };
}

/** The reader in a file that `compileReader` made. */
export function loadReader(file: string): NativeReader {
  return createRequire(import.meta.url)(file) as NativeReader;
}

/** The native object of a context, which the library's types leave out. */
export function nativeContext(context: Pick<LlamaContext, never>): NativeContext {
  return (context as { readonly _ctx: NativeContext })._ctx;
}

/**
 * Work of our own on a native context: the library, which does not know of it, gives the memory of the context back
 * when it is over, as it does with what it decodes itself.
 *
 * @throws Error when the context is closed, or about to be
 */
export async function whileOpen<Result>(
  context: Pick<LlamaContext, never>,
  work: (native: object) => Promise<Result>,
): Promise<Result> {
  const { _backendContextDisposeGuard: guard } = context as { readonly _backendContextDisposeGuard: DisposeGuard };
  const handle = guard.createPreventDisposalHandle();
  try {
    return await work(nativeContext(context));
  } finally {
    handle.dispose();
  }
}

/** What the library's native context calls a sequence; the library's types leave it out. */
export function sequenceNumber(sequence: Pick<LlamaContextSequence, never>): number {
  return (sequence as { readonly _sequenceId: number })._sequenceId;
}

/**
 * Lets a context's logits be read by our own reader. The library's calls stay as they are; what is put in their place
 * is where they ask the binding. Only what `logitRequest` asks for, which no sampler decides, is answered here.
 */
export function readNatively(context: Pick<LlamaContext, never>, reader: NativeReader): void {
  const native = nativeContext(context);
  const { sampleToken: byLibrary } = native;
  const sampleToken: NativeContext['sampleToken'] = async (index, sampler, ...asked) => {
    const tokens = tokensIn(asked);
    if (tokens === null) return await byLibrary.call(native, index, sampler, ...asked);
    const [best, total, ...values] = await reader.read(native, index, tokens);
    const logits = [...tokens, best].flatMap((token, t) => [token, values[t]]);
    return [best, undefined, undefined, logits, total];
  };
  Object.defineProperty(native, 'sampleToken', { value: sampleToken, writable: true, configurable: true });
}

/** The tokens of `logitRequest` in the form that the library hands on; null for any other question. */
function tokensIn([probabilities, confidence, logits, total]: Asked): readonly number[] | null {
  if (probabilities === true || confidence === true || total !== true || !Array.isArray(logits)) return null;
  const [tokens, greatest, least, selected, top] = logits as readonly unknown[];
  const isOurs = greatest === false && least === false && selected === true && top === 0;
  return isOurs ? (tokens as readonly number[]) : null;
}
