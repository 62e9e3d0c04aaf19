import { createRequire } from 'node:module';
import type { LlamaContext } from 'node-llama-cpp';
import { drawingOf } from './keep-samplers.js';

/** `reader.cpp`: `context` is the library's native one, and `index` the place of a token in its last batch. */
export interface NativeReader {
  /**
   * The token of the greatest logit, the sum of the exponentials of all logits less that one, and the logits of
   * `tokens` and of the greatest.
   */
  read(context: object, index: number, tokens: readonly number[]): Promise<Float64Array>;
  /** The token that `uniform` (in [0, 1)) falls on, -1 where logits are no numbers. */
  draw(context: object, index: number, temperature: number, uniform: number): Promise<number>;
}

/** What the library asks of a row: for the token, for probabilities, for confidence, for logits, for the log-total. */
type Asked = readonly [probabilities?: boolean, confidence?: boolean, logits?: unknown, total?: boolean];
interface NativeContext {
  sampleToken(index: number, sampler: object, ...asked: Asked): Promise<unknown>;
}

/** The reader in a file that `compileReader` made. */
export function loadReader(file: string): NativeReader {
  return createRequire(import.meta.url)(file) as NativeReader;
}

/**
 * Lets a context's logits be read and its tokens be drawn by our own reader. The library's calls stay as they are; what
 * is put in their place is where they ask the binding. Questions that are not ours go to the binding as before.
 */
export function readNatively(context: Pick<LlamaContext, never>, reader: NativeReader): void {
  const { _ctx: native } = context as { readonly _ctx: NativeContext };
  const { sampleToken: byLibrary } = native;
  const sampleToken: NativeContext['sampleToken'] = async (index, sampler, ...asked) => {
    const drawing = drawingOf(sampler);
    if (drawing !== null && asked.length === 0)
      return await reader.draw(native, index, drawing.temperature, drawing.temperature > 0 ? drawing.uniform() : 0);
    const tokens = drawing?.temperature === 0 ? tokensIn(asked) : null;
    if (tokens === null) return await byLibrary.call(native, index, sampler, ...asked);
    const [best, total, ...values] = await reader.read(native, index, tokens);
    const logits = [...tokens, best].flatMap((token, t) => [token, values[t]]);
    return [best, undefined, undefined, logits, total];
  };
  Object.defineProperty(native, 'sampleToken', { value: sampleToken });
}

/** The tokens of `logitRequest` in the form that the library hands on; null for any other question. */
function tokensIn([probabilities, confidence, logits, total]: Asked): readonly number[] | null {
  if (probabilities === true || confidence === true || total !== true || !Array.isArray(logits)) return null;
  const [tokens, greatest, least, selected, top] = logits as readonly unknown[];
  const isOurs = greatest === false && least === false && selected === true && top === 0;
  return isOurs ? (tokens as readonly number[]) : null;
}
