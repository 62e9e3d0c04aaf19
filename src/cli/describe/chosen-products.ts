import type { BuildOptions } from '../../library/library-build.js';

/**
 * What llama.cpp's own kernels multiply in a build with our choice of who does; null: it has none. Our own reader tells
 * it when text is drawn.
 */
export function chosenProducts({ reader, products }: Pick<BuildOptions, 'reader' | 'products'>): string | null {
  if (products === undefined) return null;
  return reader === undefined ? 'mixtures of experts' : 'mixtures of experts and text that is drawn';
}
