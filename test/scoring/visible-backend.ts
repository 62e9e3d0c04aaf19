import type { Backend } from '../../src/engine/protocol/backend.js';
import { backend as stub } from '../engine/stub-backend.js';

/** The stub of the engine's tests on a simulated card, named by what the visibility variable of its process shows. */
export const backend: Backend = {
  ...stub,
  async load(request) {
    const model = await stub.load(request);
    return { ...model, info: { ...model.info, device: `card ${process.env.CUDA_VISIBLE_DEVICES ?? 'any'}` } };
  },
};
