import type { SuitePlan, TargetPlan } from '../../config/plan-suite.js';
import type { DatasetScores } from '../join/dataset-scores.js';
import type { MethodGroup } from './method-groups.js';

/**
 * What the choice of examples means for a target: with `examples: common` how many of its examples count for no method
 * since another model lacks them, with `per-method` how many each method has. Nothing where no example is lacking.
 */
export function exampleNotes(
  { examples }: Pick<SuitePlan, 'examples'>,
  { target, ownBase, referencePool }: TargetPlan,
  { dataset, models }: Pick<DatasetScores, 'dataset' | 'models'>,
  groups: readonly MethodGroup[],
): string[] {
  const own = models.get(target.id)?.rowOfExample ?? new Int32Array();
  const lacking = [ownBase, ...referencePool].flatMap(({ id }) => {
    const rows = models.get(id)?.rowOfExample;
    const count =
      rows === undefined || !rows.includes(-1)
        ? 0
        : own.reduce((sum, row, i) => sum + (row !== -1 && rows[i] === -1 ? 1 : 0), 0);
    return count === 0 ? [] : [`${id} ${count}`];
  });
  if (lacking.length === 0) return [];
  const where = `${dataset}, ${target.id}`;
  const has = own.reduce((sum, row) => sum + (row === -1 ? 0 : 1), 0);
  const counts = groups.map(({ methods, aligned }) => ({ methods, count: aligned.labels.length }));
  if (examples === 'per-method') {
    const each = counts.map(({ methods, count }) => `${count} for ${methods.join(', ')}`).join('; ');
    return [
      `${where}: of ${has} examples, ${each}, since other models lack some (${lacking.join(', ')}); methods of different examples are not tested against each other`,
    ];
  }
  const left = has - (counts[0]?.count ?? has);
  return [
    `${where}: ${left} of ${has} examples count for no method, Vanilla too, since another model lacks them (${lacking.join(', ')}); ` +
      '`examples: per-method` of the suite keeps them for the methods that need no such model',
  ];
}
