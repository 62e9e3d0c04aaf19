import { ANSWER_METHODS } from '../../calibration/methods.js';
import type { RunResult } from '../../results/run-schema.js';

const ON_ANSWERS: ReadonlySet<string> = new Set(ANSWER_METHODS.map(({ name }) => name));

/**
 * The inverse temperature that a run put on the plain logits of its target, 0 for an infinite one; null: it put none
 * there.
 */
export function plainTemperature({
  method,
  temperature,
  temperatureKind,
}: Pick<RunResult, 'method' | 'temperature' | 'temperatureKind'>): number | null {
  if (method === 'vanilla') return 1;
  if (ON_ANSWERS.has(method)) return null;
  if (temperatureKind === 'infinite') return 0;
  return temperature === null ? null : 1 / temperature;
}
