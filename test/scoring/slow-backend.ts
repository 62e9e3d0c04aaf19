import { withContext } from '../engine/stub-task.js';

/** The stub of the engine's tests with a decode that takes a while, so that there is a middle of a batch to hit. */
export const backend = withContext((context) => ({
  evaluate: async (rows, shared) => {
    await new Promise((resolve) => setTimeout(resolve, 60));
    return await context.evaluate(rows, shared);
  },
}));
