import { expect, test } from 'vitest';
import type { NoTemperature } from '../../../src/calibration/fit/temperature-outcome.js';
import { noTemperatureText } from '../../../src/report/text/no-temperature-text.js';

/** Every reason that a fit can give: a new one is a fault of types here. */
const REASONS: Record<NoTemperature['reason'], true> = {
  'no-examples': true,
  'constant-logits': true,
  separable: true,
  'no-labels': true,
  'no-references': true,
  'out-of-reach': true,
};

test('every reason for no temperature has words, an unknown one stays as it is', () => {
  for (const reason of Object.keys(REASONS)) expect(noTemperatureText(reason)).toMatch(/^[a-z].* .*[a-z]$/);
  expect(noTemperatureText('of a later version')).toBe('of a later version');
});
