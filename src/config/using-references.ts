import type { CalibrationMethod } from '../calibration/calibration-method.js';
import { COMBINATION_METHODS, METHODS } from '../calibration/methods.js';

/** Those of the methods whose numbers hang on reference models: on a combination of them, or on the whole pool. */
export function usingReferences(names: readonly string[], ownMethods: readonly CalibrationMethod[]): string[] {
  const wanting = [...METHODS, ...ownMethods].filter(
    (method) => method.needs === 'references' || method.needs === 'pool' || 'prior' in method,
  );
  const known = new Set([...COMBINATION_METHODS, ...wanting.map(({ name }) => name)]);
  return names.filter((name) => known.has(name));
}
