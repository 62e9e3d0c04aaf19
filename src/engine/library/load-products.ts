import { constants } from 'node:os';

/** `products.cpp` in this process. */
export interface ProductChoice {
  /** How often llama.cpp has asked who multiplies a quantised matrix. */
  asked(): number;
}

/**
 * Loads our own choice of who multiplies, for all libraries that this process loads afterwards: llama.cpp finds its
 * function before its own of the same name.
 */
export function loadProducts(file: string): ProductChoice {
  const module = { exports: {} };
  process.dlopen(module, file, constants.dlopen.RTLD_NOW | constants.dlopen.RTLD_GLOBAL);
  return module.exports as ProductChoice;
}
