import type { DatasetYaml } from '../../config/dataset-schema.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';
import type { DatasetScores } from '../join/dataset-scores.js';

/**
 * Under it a letter prompt has plainly failed: hardly one in a thousand replies would be an option. Up to 0.5 the
 * report warns.
 */
const LEAST_OPTION_MASS = 0.001;

/**
 * Models whose median option mass on a data set is too low for their renormalised options to mean anything (a reasoning
 * template that opens a thought, a label with the wrong spacing), with the reason. The limit is the data set's
 * `scoring.minimumOptionMass`; by default 0.001 in letter mode and none for the texts of options, whose probabilities
 * are small by nature. Imported scores are taken as they are.
 */
export function lowOptionMass(
  scoring: DatasetYaml['scoring'],
  models: ReadonlyArray<Pick<Diagnostics['models'][number], 'model' | 'medianOptionMass'>>,
  imported: ReadonlySet<string>,
): Map<string, string> {
  const limit = scoring?.minimumOptionMass ?? ((scoring?.mode ?? 'letter') === 'letter' ? LEAST_OPTION_MASS : 0);
  return new Map(
    models.flatMap(({ model, medianOptionMass }) =>
      medianOptionMass !== null && medianOptionMass < limit && !imported.has(model)
        ? [[model, reason(medianOptionMass, limit)] as const]
        : [],
    ),
  );
}

/** Renormalised options hide a wrong answer token; little mass on all of them together shows it. */
export function optionMassWarnings(models: Diagnostics['models']): string[] {
  return models.flatMap(({ model, dataset, medianOptionMass }) =>
    medianOptionMass !== null && medianOptionMass < 0.5
      ? [
          `${dataset}, ${model}: median option mass is ${medianOptionMass.toFixed(3)}, below 0.5; the model ` +
            'expects other answer tokens, check the prompt',
        ]
      : [],
  );
}

/** The scores without the models that are not to be used. */
export function withoutModels(scores: DatasetScores, left: ReadonlyMap<string, unknown>): DatasetScores {
  if (left.size === 0) return scores;
  return { ...scores, models: new Map([...scores.models].filter(([model]) => !left.has(model))) };
}

function reason(mass: number, limit: number): string {
  return (
    `its median option mass is ${mass.toPrecision(2)}, under ${limit}: it does not answer with one of the ` +
    'options, so ' +
    'their scores mean nothing. Look at the prompt with `supportcal validate --show-prompt ID`, or accept it with ' +
    '`scoring: { minimumOptionMass: 0 }` in the data set'
  );
}
