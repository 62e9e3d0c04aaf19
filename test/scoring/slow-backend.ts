import type { Backend } from '../../src/engine/backend.js';
import { backend as stub } from '../engine/stub-backend.js';

/** The stub of the engine's tests with a decode that takes a while, so that there is a middle of a batch to hit. */
export const backend: Backend = {
  ...stub,
  load: async (request) => {
    const model = await stub.load(request);
    return {
      ...model,
      openContext: async (wanted) => {
        const context = await model.openContext(wanted);
        return {
          ...context,
          evaluate: async (rows, shared) => {
            await new Promise((resolve) => setTimeout(resolve, 60));
            return await context.evaluate(rows, shared);
          },
        };
      },
    };
  },
};
