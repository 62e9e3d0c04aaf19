import type { FileKeyIngredients } from '../../src/cache/key/entry-key.js';
import type { ReplyRow, ScoredRow } from '../../src/contract/scored-row.js';

export const testIngredients: FileKeyIngredients = {
  kind: 'scored',
  model: 'hf:org/repo:Q4_K_M',
  dataset: 'demo-facts',
  variant: null,
  modelHash: 'a'.repeat(64),
  lora: [{ sha256: 'a'.repeat(64), scale: 1 }],
  datasetHash: 'b'.repeat(64),
  promptHash: 'c'.repeat(64),
  promptMode: 'raw',
  assistantPrefix: null,
  bos: 'auto',
  scoringMode: 'letter',
  settings: {
    contextSize: null,
    sequences: null,
    batchSize: null,
    threads: null,
    preTokenizer: 'gpt-2',
    kvType: 'f16',
    gpuLayers: 'max',
    flashAttention: 'off',
    swaFullCache: false,
    prefixReuse: false,
  },
  backend: 'cpu',
  variables: {},
  kernels: 'CMAKE_CUDA_ARCHITECTURES=89 CUDA 12.8',
  llamaCppRelease: 'b6000',
  nodeLlamaCpp: '3.22.1',
};

export function testIds(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `question ${String(n).padStart(5, '0')}`);
}

/** Row n of a made-up scoring: every 5th failed, K between 2 and 5, float32 logits. */
export function testRow(id: string, n: number): ScoredRow {
  if (n % 5 === 4) return { status: 'failed', id, reason: `over-long: ${n} tokens, é`, promptTokens: n };
  const logits = Float32Array.from({ length: 2 + (n % 4) }, (_, k) => Math.sin(n * 7 + k) * 20);
  return { status: 'ok', id, logits, logZ: 20 + n / 3, optionMass: 1 / (n + 1), promptTokens: n };
}

const VERDICTS = ['parsed', 'refusal', 'cut', 'ambiguous'] as const;

/** Reply n of a made-up asking: every 5th failed; read, refused, cut and ambiguous ones take turns. */
export function testReply(id: string, n: number): ScoredRow | ReplyRow {
  if (n % 5 === 4) return testRow(id, n);
  const verdict = VERDICTS[n % VERDICTS.length]!;
  const given =
    verdict === 'parsed' ? { answer: n % 3, confidence: (n * 7) % 101 } : { answer: -1, confidence: Number.NaN };
  const text = `{"answer": "${'ABC'[n % 3]}", "note": "é ${n}"}`;
  const parsed = { verdict, ...given };
  return { status: 'replied', id, text, replyTokens: 3 + n, ended: n % 4 !== 2, seed: n, promptTokens: n, parsed };
}
