import { rotationCount } from '../../calibration/answers/average-rotations.js';
import { type PositionReferences, positionReferences } from '../../datasets/options/position-references.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';
import type { RotationScores } from '../asking/rotation-scores.js';
import type { ModelScores } from '../join/dataset-scores.js';
import type { WorkspaceDataset } from '../workspace/workspace.js';
import type { CollectedScores } from './collect-scores.js';

type Cost = NonNullable<Diagnostics['rotations']>[number];

/** More of a difference than rounding makes, on any backend, is a fault worth a warning. */
const LARGEST_DIFFERENCE = 0.1;

/** What rotating the options cost per target, and the data sets' options that speak of their place. */
export function rotationReport(
  collected: readonly CollectedScores[],
  datasets: readonly WorkspaceDataset[],
): Pick<Diagnostics, 'rotations' | 'positionReferences'> {
  const rotated = collected.filter(({ rotations }) => rotations.size > 0);
  if (rotated.length === 0) return {};
  return {
    rotations: rotated.flatMap(({ dataset, scores, rotations }) =>
      [...rotations].flatMap(([target, scored]): Cost[] => {
        const plain = scores.models.get(target);
        return plain === undefined ? [] : [{ dataset, target, ...costOf(plain, scored) }];
      }),
    ),
    positionReferences: rotated.map(({ dataset }) => {
      const found = referencesOf(datasets.find(({ spec }) => spec.id === dataset)!);
      return { dataset, ...found, ids: [...found.ids] };
    }),
  };
}

/** A first rotation that is not what the plain prompt gave. */
export function rotationDifferences({ rotations = [] }: Pick<Diagnostics, 'rotations'>): string[] {
  return rotations
    .filter(({ largestDifference }) => largestDifference > LARGEST_DIFFERENCE)
    .map(
      ({ dataset, target, largestDifference }) =>
        `${dataset}, ${target}: the first rotation is the plain prompt, but a logit differs by ${largestDifference.toPrecision(3)}; score both again with --refresh, or import both again`,
    );
}

function referencesOf({ spec, content }: WorkspaceDataset): PositionReferences {
  return positionReferences(content?.dataset.examples ?? [], spec.yaml.prompt?.optionLabels);
}

function costOf(plain: ModelScores, rotated: RotationScores): Omit<Cost, 'dataset' | 'target'> {
  const { firstEvaluated } = rotated;
  const cost = { examples: 0, plainPasses: 0, forwardPasses: 0, plainTokens: 0, tokens: 0, unsharedTokens: 0 };
  let largestDifference = 0;
  plain.rowOfExample.forEach((row, i) => {
    const other = rotated.rowOfExample[i]!;
    if (row === -1 || other === -1) return;
    const count = rotationCount(rotated.table.logits, other);
    const tokens = plain.table.promptTokens[row]!;
    cost.examples++;
    cost.plainPasses++;
    cost.forwardPasses += firstEvaluated ? count : count - 1;
    cost.plainTokens += tokens;
    cost.tokens += rotated.table.promptTokens[other]!;
    cost.unsharedTokens += count * tokens;
    const [from, start] = [plain.table.logits.offsets[row]!, rotated.table.logits.offsets[other]!];
    for (let k = 0; k < count; k++) {
      const difference = plain.table.logits.values[from + k]! - rotated.table.logits.values[start + k]!;
      largestDifference = Math.max(largestDifference, Math.abs(difference));
    }
  });
  return { ...cost, firstEvaluated, largestDifference };
}
