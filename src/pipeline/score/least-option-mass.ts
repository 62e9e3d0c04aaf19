import type { DatasetYaml } from '../../config/dataset-schema.js';

/**
 * Under it a letter prompt has plainly failed: hardly one in a thousand replies would be an option. Up to 0.5 the
 * report warns.
 */
const LEAST_OPTION_MASS = 0.001;

/**
 * The median option mass under which the renormalised options of a model mean nothing: the data set's
 * `scoring.minimumOptionMass`; by default 0.001 in letter mode and none for the texts of options, whose probabilities
 * are small by nature.
 */
export function leastOptionMass(scoring: DatasetYaml['scoring']): number {
  return scoring?.minimumOptionMass ?? ((scoring?.mode ?? 'letter') === 'letter' ? LEAST_OPTION_MASS : 0);
}

/** What a median under the limit says, and what helps. */
export function lowMassReason(mass: number, limit: number): string {
  return (
    `its median option mass is ${mass.toPrecision(2)}, under ${limit}: it does not answer with one of the ` +
    'options, so ' +
    'their scores mean nothing. Look at the prompt with `supportcal validate --show-prompt ID`, or accept it with ' +
    '`scoring: { minimumOptionMass: 0 }` in the data set'
  );
}
