import { ANSWER_METHODS, METHODS } from '../../calibration/methods.js';
import type { SuitePlan, TargetPlan } from '../../config/plan-suite.js';
import { usingReferences } from '../../config/using-references.js';
import { type AlignedTarget, alignTarget } from '../join/align-target.js';
import type { DatasetScores } from '../join/dataset-scores.js';

/** Methods of one target that are fitted and measured on the same examples. */
export interface MethodGroup {
  readonly methods: readonly string[];
  readonly aligned: AlignedTarget;
  /** Whether the rows were asked for with the own base, so that what is said of it is said of them. */
  readonly withOwnBase: boolean;
}

/** The models whose scores a method needs beside the target's. */
type Need = 'references' | 'own-base' | 'nothing';

/**
 * The methods of a target by the examples that they need: with `examples: common` one group over the examples that all
 * models have; with `per-method` one each for methods of references, of the own base, and of the target alone, those of
 * equal examples together. The first group is that of most models.
 */
export function methodGroups(
  suite: Pick<SuitePlan, 'methods' | 'ownMethods' | 'examples'>,
  target: TargetPlan,
  scores: DatasetScores,
): readonly MethodGroup[] | { readonly reason: string } {
  const all = alignTarget(target, scores);
  if ('reason' in all) return all;
  if (suite.examples === 'common') return [{ methods: suite.methods, aligned: all, withOwnBase: true }];
  const groups: MethodGroup[] = [];
  for (const own of ['references', 'own-base', 'nothing'] as const) {
    const methods = suite.methods.filter((name) => needOf(name, suite) === own);
    // The first group is the one that the own base is described on.
    const need = own === 'nothing' && groups.length === 0 ? 'own-base' : own;
    const aligned = need === 'references' ? all : alignTarget(reduced(target, need), scores);
    if (methods.length === 0 || 'reason' in aligned) continue;
    const same = groups.findIndex((group) => sameRows(group.aligned, aligned));
    const [group] = groups.slice(same === -1 ? groups.length : same);
    if (group === undefined) groups.push({ methods, aligned, withOwnBase: need !== 'nothing' });
    else groups[same] = { ...group, methods: [...group.methods, ...methods] };
  }
  return groups.map((group) => ({
    ...group,
    methods: suite.methods.filter((name) => group.methods.includes(name)),
  }));
}

/**
 * The plan without the models that are not needed; the target stands in for its own base where that is none of them.
 */
function reduced(target: TargetPlan, need: Exclude<Need, 'references'>): TargetPlan {
  const ownBase = need === 'nothing' ? target.target : target.ownBase;
  return { ...target, ownBase, referencePool: [] };
}

function needOf(name: string, { ownMethods }: Pick<SuitePlan, 'ownMethods'>): Need {
  if (usingReferences([name], ownMethods).length > 0) return 'references';
  const answer = ANSWER_METHODS.find((method) => method.name === name);
  if (answer !== undefined)
    return answer.needs === 'own-base' || answer.temperatureOf !== undefined ? 'own-base' : 'nothing';
  const method = [...METHODS, ...ownMethods].find((each) => each.name === name);
  if (method !== undefined && 'prior' in method) return 'references';
  return method?.needs === 'nothing' || method?.needs === 'labels' ? 'nothing' : 'own-base';
}

function sameRows(a: AlignedTarget, b: AlignedTarget): boolean {
  return a.rowOfExample.every((row, i) => (row === -1) === (b.rowOfExample[i] === -1));
}
