import { reasonOn } from '../../contract/failure-reasons.js';
import type { Results } from '../../results/results-schema.js';
import type { DatasetScores } from '../join/dataset-scores.js';
import type { PlannedEntry } from '../join/planned-entry.js';
import type { AlignedRows, AskedInputs, JoinedScores, WayOfAsking, WayScores } from './way-of-asking.js';

/** The entries of one model: by the name of the way of asking, then by data set. */
export interface PlannedModel {
  readonly model: { readonly id: string };
  readonly entries: ReadonlyMap<string, ReadonlyMap<string, PlannedEntry>>;
}

export interface CollectedAsked {
  readonly asked: readonly WayScores[];
  readonly skipped: Results['skipped'];
}

/**
 * Joins what targets were asked beside their plain prompts with the examples of a data set; what is missing is said.
 *
 * @param reasons why a model that should have been scored was not, by model
 */
export function collectAsked(
  ways: readonly WayOfAsking[],
  scores: Pick<DatasetScores, 'dataset' | 'ids'>,
  plans: readonly PlannedModel[],
  reasons: ReadonlyMap<string, string>,
): CollectedAsked {
  const { dataset, ids } = scores;
  const skipped: Results['skipped'] = [];
  const asked = ways.map((way): WayScores => {
    const targets = new Map<string, JoinedScores>();
    for (const { model, entries } of plans) {
      const entry = entries.get(way.name)?.get(dataset);
      if (entry === undefined || way.answers === null) continue;
      const { label, noun, join } = way.answers;
      const skip = (example: string | null, reason: string) =>
        skipped.push({ dataset, model: model.id, example, reason: `${label}: ${reason}` });
      if (entry.kind !== 'ready') {
        const missing = `no ${noun} in the cache; run \`supportcal score\` or \`supportcal pipeline\``;
        skip(null, entry.kind === 'unavailable' ? entry.reason : (reasonOn(reasons, model.id, dataset) ?? missing));
        continue;
      }
      const { missing, ...joined } = join(ids, entry);
      for (const { example, reason } of missing) skip(example, reason);
      targets.set(model.id, joined);
    }
    return { way, targets };
  });
  return { asked, skipped };
}

/**
 * The scores without the examples that a target lacks in some way of asking: what one method cannot use counts for
 * none.
 */
export function withoutUnasked(scores: DatasetScores, asked: readonly WayScores[]): DatasetScores {
  const models = new Map(scores.models);
  for (const { targets } of asked) {
    for (const [id, { rowOfExample }] of targets) {
      const model = models.get(id);
      if (model === undefined || rowOfExample === null || !rowOfExample.includes(-1)) continue;
      models.set(id, {
        ...model,
        rowOfExample: model.rowOfExample.map((row, i) => (rowOfExample[i] === -1 ? -1 : row)),
      });
    }
  }
  return { ...scores, models };
}

/** What the answer methods get of one target, and the ways of asking that it is from. */
export interface AskedTarget {
  readonly inputs: AskedInputs;
  readonly ways: readonly string[];
}

export function alignAsked(asked: readonly WayScores[], target: string, rows: AlignedRows): AskedTarget {
  const given = asked.flatMap(({ way, targets }) => {
    const joined = targets.get(target);
    return joined === undefined || way.answers === null
      ? []
      : [{ name: way.name, inputs: way.answers.inputs(joined, rows) }];
  });
  const inputs: AskedInputs = Object.assign({ rotationLogits: null }, ...given.map((each) => each.inputs));
  return { inputs, ways: given.map(({ name }) => name) };
}
