/** What llama.cpp prints, and what it means for the user. */
const KNOWN: readonly (readonly [RegExp, string])[] = [
  [/unsupported toolchain/i, 'the GPU driver is older than the CUDA of the prebuilt binary: update the driver'],
  [
    /driver version is insufficient/i,
    'the GPU driver is older than the CUDA of the prebuilt binary: update the driver',
  ],
  [/no kernel image/i, 'the prebuilt binary has no code for this GPU'],
  [/out of memory/i, 'free some of its memory, or take another device'],
];

/** Longer ones are cut. */
const LONGEST = 200;

/**
 * Why a process of llama.cpp died: the first line of its output that tells of an error, with advice where the error is
 * known; null when no line does. An abort prints its cause first, then a stack trace.
 */
export function lastWords(output: string): string | null {
  const lines = output.split('\n').map((line) => line.replace(/^\[node-llama-cpp\]\s*/, '').trim());
  const line = lines.find((each) => /\b(error|failed|assert|exception)\b/i.test(each)) ?? null;
  if (line === null) return null;
  const advice = KNOWN.find(([pattern]) => pattern.test(line))?.[1];
  const said = line.length > LONGEST ? `${line.slice(0, LONGEST)} ...` : line;
  return advice === undefined ? said : `${said.replace(/\.$/, '')}; ${advice}`;
}
