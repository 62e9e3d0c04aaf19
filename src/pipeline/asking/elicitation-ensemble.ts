import { replyWay } from './reply-way.js';

/** Several sampled replies, each with an answer and a confidence. */
export const elicitationEnsemble = replyWay({
  name: 'elicitation-ensemble',
  input: 'elicitedSamples',
  sampling: ({ samples, temperature, seed }) => ({ samples, temperature, seed }),
});
