import type { ModelRow } from '../../src/contract/scored-row.js';
import type { ModelFacts, Scorer } from '../../src/contract/scorer.js';
import { type SeededGenerator, seededGenerator } from '../../src/numeric/random/seeded-generator.js';

/** What the world of the stub is made of: the right option of each example, by id. */
export interface StubWorld {
  readonly labels: ReadonlyMap<string, number>;
  readonly options: number;
  /** Pretrained models in their order; a target is found by its `base`. */
  readonly bases: readonly string[];
}

/** What a model of a stub turned out to be. */
export const STUB_FACTS: ModelFacts = {
  architecture: 'stub',
  backend: 'cpu',
  device: 'stub',
  bos: true,
  bosReason: 'stub',
  chatTemplate: null,
  contextSize: 512,
  sequences: 8,
  batchSize: 512,
  threads: 1,
  flashAttention: 'off',
  warnings: [],
};
/** Rows of one group: two for what is asked once per example. */
const GROUP = 4096;

/**
 * A scorer without models. Every pretrained model sees strength x [k is right] + noise, and answers strength x what it
 * sees: that softmax is the exact posterior, so bases are calibrated. Half of their noise is shared, as models share
 * mistakes. A target sees what its own base sees with a little more noise, and triples its logits: over-confident, and
 * at times of another opinion. Another order of the options is another draw of that noise. Its replies name its own
 * choice with a confidence of 90 to 100; one in fifty cannot be read.
 */
export function stubScorer({ labels, options, bases }: StubWorld): Scorer {
  const ids = [...labels.keys()].sort();
  const indexOf = new Map(ids.map((id, n) => [id, n]));
  const noise = (seed: number) => {
    const generator = seededGenerator(seed);
    return Float64Array.from({ length: ids.length * options }, () => normal(generator));
  };
  const shared = noise(1);
  const seenBy = (b: number) => {
    const own = noise(10 + b);
    const strength = 0.9 + 0.05 * b;
    return shared.map((common, at) => {
      const right = at % options === labels.get(ids[Math.floor(at / options)]!) ? strength : 0;
      return strength * (right + Math.SQRT1_2 * (common + own[at]!));
    });
  };
  return async (jobs, _settings, events) => {
    const outcomes = [];
    for (const { model, jobs: parts } of jobs) {
      const post = model.role === 'post-trained';
      const b = bases.indexOf(post ? model.base! : model.id);
      const seen = seenBy(b);
      /** Logits of every example under one order of the options. */
      const asked = (rotation: number) => {
        if (!post) return seen;
        const more = noise(200 + 10 * b + rotation);
        return seen.map((logit, at) => 3 * (logit + 0.4 * more[at]!));
      };
      const orders = Array.from({ length: options }, (_, rotation) => asked(rotation));
      const rowLogits = (order: number, n: number) => orders[order]!.subarray(n * options, (n + 1) * options);
      const chosen = ids.map((_, n) => rowLogits(0, n).reduce((best, x, k, all) => (x > all[best]! ? k : best), 0));
      for (const { prompts, onRows, onReplies } of parts) {
        for (let from = 0; from < prompts.length; from += GROUP) {
          const rows = prompts.slice(from, from + GROUP).map((prompt): ModelRow => {
            const { id, mode, reply, continuations, rotations = [] } = prompt;
            const n = indexOf.get(reply?.example ?? id)!;
            if (mode === 'reply') {
              const draw = reply!.seed % 50;
              const text = `{"answer": "${continuations[chosen[n]!]}", "confidence": ${90 + (draw % 11)}}`;
              const said = { text: draw === 0 ? 'I cannot tell.' : text, replyTokens: 12, ended: true };
              return { status: 'replied', id, ...said, seed: reply!.seed, promptTokens: 80 };
            }
            // The orders that are asked for are the last ones.
            const shown = mode === 'rotations' ? rotations.map((_, r) => options - rotations.length + r) : [0];
            const logits = new Float32Array(shown.length * options);
            shown.forEach((order, r) => void logits.set(rowLogits(order, n), r * options));
            return { status: 'ok', id, logits, logZ: 30, optionMass: 0.9, promptTokens: 57 };
          });
          await (onReplies ?? (onRows as NonNullable<typeof onReplies>))(rows, STUB_FACTS);
        }
      }
      const outcome = { kind: 'done', model: model.id, facts: STUB_FACTS, seconds: 1, tokens: 1 } as const;
      events.onModelEnd?.(outcome);
      outcomes.push(outcome);
    }
    return outcomes;
  };
}

/** Close to a standard normal draw: twelve uniform ones, less their mean (Irwin and Hall). */
function normal(generator: SeededGenerator): number {
  let sum = -6;
  for (let n = 0; n < 12; n++) sum += (generator.next() >>> 0) / 2 ** 32;
  return sum;
}
