import type { Harness } from './harness.js';
import { helm } from './helm.js';
import { inspect } from './inspect.js';
import { lighteval } from './lighteval.js';
import { lmEval } from './lm-eval.js';
import { opencompass } from './opencompass.js';

/**
 * Every harness whose logs are read. The choices of `import --format`, their help and what `calibrate-logs` recognises
 * follow from this table.
 */
const TABLE = [lmEval, inspect, helm, lighteval, opencompass] as const;

export type HarnessName = (typeof TABLE)[number]['name'];

export const HARNESSES: readonly Harness<HarnessName>[] = TABLE;

export const HARNESS_NAMES: readonly HarnessName[] = TABLE.map(({ name }) => name);

export function harnessNamed(name: HarnessName): Harness<HarnessName> {
  const harness = HARNESSES.find((each) => each.name === name);
  if (harness === undefined) throw new Error(`no harness is called ${name}`);
  return harness;
}
