import type { DatasetYaml } from '../../config/dataset-schema.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';
import type { DatasetScores } from '../join/dataset-scores.js';
import { leastOptionMass, lowMassReason } from '../score/least-option-mass.js';

/**
 * Models whose median option mass on a data set is too low for their renormalised options to mean anything (a reasoning
 * template that opens a thought, a label with the wrong spacing), with the reason (`leastOptionMass`). Imported scores
 * are taken as they are.
 */
export function lowOptionMass(
  scoring: DatasetYaml['scoring'],
  models: ReadonlyArray<Pick<Diagnostics['models'][number], 'model' | 'medianOptionMass'>>,
  imported: ReadonlySet<string>,
): Map<string, string> {
  const limit = leastOptionMass(scoring);
  return new Map(
    models.flatMap(({ model, medianOptionMass }) =>
      medianOptionMass !== null && medianOptionMass < limit && !imported.has(model)
        ? [[model, lowMassReason(medianOptionMass, limit)] as const]
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
