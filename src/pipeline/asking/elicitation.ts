import { replyWay } from './reply-way.js';

/**
 * One greedy reply with an answer and a confidence. Greedy replies do not depend on a seed, and neither does their key.
 */
export const elicitation = replyWay({
  name: 'elicitation',
  input: 'elicited',
  sampling: () => ({ samples: 1, temperature: 0, seed: 0 }),
});
