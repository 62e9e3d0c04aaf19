import { rotationCount } from '../../calibration/answers/average-rotations.js';
import { placeShares } from '../../calibration/answers/place-shares.js';
import { positionReferences } from '../../datasets/options/position-references.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';
import type { ModelScores } from '../join/dataset-scores.js';
import type { AskedDataset, DiagnosticsSection, JoinedScores } from './way-of-asking.js';

type Cost = NonNullable<Diagnostics['rotations']>[number];

/** A difference above this is more than rounding makes on any backend, so it is a fault worth a warning. */
const LARGEST_DIFFERENCE = 0.1;

/** What rotating the options cost per target, and the data sets' options that speak of their place. */
export const rotationSection: DiagnosticsSection = {
  build(datasets) {
    const rotated = datasets.filter((each) => rotatedTargets(each).length > 0);
    if (rotated.length === 0) return {};
    return {
      rotations: rotated.flatMap((each) => costsOf(each)),
      positionReferences: rotated.map(({ spec, scores, examples }) => {
        const found = positionReferences(examples, spec.yaml.prompt?.optionLabels);
        return { dataset: scores.dataset, ...found, ids: [...found.ids] };
      }),
    };
  },
  /** Names targets whose first rotation is not what the plain prompt gave. */
  warnings: ({ rotations = [] }) =>
    rotations.flatMap(({ dataset, target, largestDifference, impossibleInOne = 0 }) => {
      const differ = [
        ...(largestDifference > LARGEST_DIFFERENCE ? [`a logit differs by ${largestDifference.toPrecision(3)}`] : []),
        ...(impossibleInOne > 0 ? [`${impossibleInOne} options have the probability 0 in one of them alone`] : []),
      ];
      const what = `${dataset}, ${target}: the first rotation is the plain prompt, but ${differ.join(', and ')}`;
      return differ.length === 0 ? [] : [`${what}; score both again with --refresh, or import both again`];
    }),
};

function rotatedTargets({ asked }: AskedDataset): (readonly [string, JoinedScores])[] {
  return asked.filter(({ way }) => way.section === rotationSection).flatMap(({ targets }) => [...targets]);
}

function costsOf(dataset: AskedDataset): Cost[] {
  const { scores } = dataset;
  return rotatedTargets(dataset).flatMap(([target, rotated]) => {
    const plain = scores.models.get(target);
    return plain === undefined ? [] : [{ dataset: scores.dataset, target, ...costOf(plain, rotated) }];
  });
}

function costOf(plain: ModelScores, { table, rowOfExample, facts }: JoinedScores): Omit<Cost, 'dataset' | 'target'> {
  const firstEvaluated = facts.firstOrder !== 'plain';
  const cost = { examples: 0, plainPasses: 0, forwardPasses: 0, plainTokens: 0, tokens: 0, unsharedTokens: 0 };
  let [largestDifference, impossibleInOne] = [0, 0];
  for (const [i, row] of plain.rowOfExample.entries()) {
    const other = rowOfExample?.[i] ?? -1;
    if (row === -1 || other === -1) continue;
    const count = rotationCount(table.logits, other);
    const tokens = plain.table.promptTokens[row] ?? 0;
    cost.examples++;
    cost.plainPasses++;
    cost.forwardPasses += firstEvaluated ? count : count - 1;
    cost.plainTokens += tokens;
    cost.tokens += table.promptTokens[other] ?? 0;
    cost.unsharedTokens += count * tokens;
    const [from, start] = [plain.table.logits.offsets[row]!, table.logits.offsets[other]!];
    for (let k = 0; k < count; k++) {
      const [one, two] = [plain.table.logits.values[from + k]!, table.logits.values[start + k]!];
      if (Number.isFinite(one) && Number.isFinite(two))
        largestDifference = Math.max(largestDifference, Math.abs(one - two));
      else if (one !== two) impossibleInOne++;
    }
  }
  const seen = placeShares(table.logits, usedRows(plain, rowOfExample));
  const places = seen === null ? {} : { placeShares: [...seen.shares], keptAnswers: seen.kept };
  const impossible = impossibleInOne === 0 ? {} : { impossibleInOne };
  return { ...cost, firstEvaluated, largestDifference, ...impossible, ...places };
}

/** Rows of rotated scores whose examples have plain ones too. */
function usedRows(plain: ModelScores, rowOfExample: JoinedScores['rowOfExample']): number[] {
  return [...plain.rowOfExample].flatMap((row, i) => {
    const other = rowOfExample?.[i] ?? -1;
    return row === -1 || other === -1 ? [] : [other];
  });
}
