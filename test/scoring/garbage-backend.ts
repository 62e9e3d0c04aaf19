import type { Backend } from '../../src/engine/protocol/backend.js';
import { backend as stub } from '../engine/stub-backend.js';

const row = (id: unknown, more: object = {}) => ({
  status: 'ok',
  id,
  logits: [9, 9],
  logZ: 10,
  optionMass: 0.5,
  promptTokens: 3,
  ...more,
});
const rows = (list: unknown, job: unknown = 0) => ({ kind: 'rows', job, rows: list, tokens: 1 });

/** What the child sends, by the word in the prompt that makes it do so. */
export const GARBAGE: Record<string, unknown> = {
  'no-object': 'rows',
  null: null,
  'unknown-kind': { kind: 'result', rows: [] },
  'no-kind': {},
  'inherited-kind': { kind: 'constructor' },
  'no-list': rows('r1'),
  'unknown-data-set': rows([row('r9')], 7),
  'unknown-id': rows([row('nobody')]),
  'no-id': rows([row(12)]),
  'came-before': rows([row('r1')]),
  twice: rows([row('r9'), row('r9')]),
  'fewer-logits': rows([row('r9', { logits: [1] })]),
  'not-finite': rows([row('r9', { logits: [1, Number.NaN] })]),
  'logits-no-list': rows([row('r9', { logits: { length: 2 } })]),
  'no-status': rows([row('r9', { status: undefined })]),
  'too-early': { kind: 'done', stopped: false },
  'batch-of-nothing': { kind: 'batch', job: 0, ids: null, tokens: Number.NaN },
};

/** The stub of the engine's tests, in a child that sends garbage where a prompt says `GARBAGE word.`. */
export const backend: Backend = {
  ...stub,
  async load(request) {
    const model = await stub.load(request);
    return {
      ...model,
      async openContext(size) {
        const context = await model.openContext(size);
        return {
          ...context,
          evaluate: async (batch, shared) => {
            for (const { tokens } of batch) {
              const word = /GARBAGE ([a-z-]+)\./.exec(model.detokenize(tokens))?.[1];
              if (word !== undefined) process.send?.(GARBAGE[word]);
            }
            return await context.evaluate(batch, shared);
          },
        };
      },
    };
  },
};
