import type { LlamaContextSequence, Token } from 'node-llama-cpp';

/** Decodes one batch with no logits read, padded to its longest prompt as scoring pads it. */
export async function decodeBare(
  sequences: readonly LlamaContextSequence[],
  wave: ReadonlyArray<{ readonly tokens: readonly number[] }>,
): Promise<void> {
  const padded = Math.max(...wave.map((row) => row.tokens.length));
  await Promise.all(wave.map((_, n) => sequences[n]!.clearHistory()));
  await Promise.all(
    wave.map((row, n) => {
      const filled = [...row.tokens, ...Array<number>(padded - row.tokens.length).fill(row.tokens.at(-1)!)];
      return sequences[n]!.evaluateWithoutGeneratingNewTokens(filled as Token[]);
    }),
  );
}
