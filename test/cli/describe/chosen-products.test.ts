import { describe, expect, it } from 'vitest';
import { chosenProducts } from '../../../src/cli/describe/chosen-products.js';

describe('chosenProducts', () => {
  const products = 'f/Release/supportcal-products-1.node';

  it('names drawn text where our own reader tells when text is drawn, and nothing without a choice', () => {
    const reader = 'f/Release/supportcal-reader-1.node';
    expect(chosenProducts({ reader, products })).toBe('mixtures of experts and text that is drawn');
    expect(chosenProducts({ products })).toBe('mixtures of experts');
    expect(chosenProducts({ reader })).toBeNull();
  });
});
