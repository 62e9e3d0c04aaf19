import { existsSync, writeFileSync } from 'node:fs';
import { backend as llama } from '../../src/engine/llama/llama-backend.js';
import type { Backend } from '../../src/engine/protocol/backend.js';

/** Names a file; while it does not exist, the second call for replies makes it and sends rows that nobody asked for. */
export const GARBLED = 'SUPPORTCAL_TEST_GARBLED';

/** The real backend, in a child that sends garbage once, in the middle of its replies. */
export const backend: Backend = {
  ...llama,
  async load(request) {
    const model = await llama.load(request);
    return {
      ...model,
      async openContext(size) {
        const context = await model.openContext(size);
        let calls = 0;
        return {
          ...context,
          generate: async (rows, shared) => {
            const marker = process.env[GARBLED];
            if (++calls === 2 && marker !== undefined && !existsSync(marker)) {
              writeFileSync(marker, '');
              const row = { status: 'replied', id: 'nobody#1', text: '{"answer": "A", "confidence": 100}' };
              process.send?.({ kind: 'rows', job: 0, rows: [row], tokens: 1 });
            }
            return await context.generate(rows, shared);
          },
        };
      },
    };
  },
};
