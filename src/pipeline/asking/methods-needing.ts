import { ANSWER_METHODS } from '../../calibration/methods.js';

/** Those of the given methods whose `needs` in the table of answer methods is the given way of asking. */
export function methodsNeeding(way: string, methods: readonly string[]): string[] {
  const needing = new Set(ANSWER_METHODS.filter(({ needs }) => needs === way).map(({ name }) => name));
  return methods.filter((method) => needing.has(method));
}
