import type { TargetPlan } from '../../config/plan-suite.js';
import type { RaggedRows } from '../../numeric/ragged-rows.js';
import type { AlignedTarget } from '../join/align-target.js';

/**
 * Models of one target whose scores are the same number for number: one file under two ids, or one import twice. A
 * reference that is the own base corroborates it with itself, two that are one count twice, and a target that is its
 * own base has nothing to be calibrated against.
 */
export function twinWarnings(
  dataset: string,
  { target, ownBase }: Pick<TargetPlan, 'target' | 'ownBase'>,
  { targetLogits, ownBaseLogits, references }: Pick<AlignedTarget, 'targetLogits' | 'ownBaseLogits' | 'references'>,
): string[] {
  const lines: string[] = [];
  if (sameNumbers(targetLogits, ownBaseLogits))
    lines.push(`its scores are those of its own base "${ownBase.id}", number for number: one file under two ids?`);
  for (const [r, { id, logits }] of references.entries()) {
    if (sameNumbers(logits, ownBaseLogits)) {
      lines.push(
        `reference "${id}" has the scores of the own base "${ownBase.id}", number for number: the same file under ` +
          'another id. It corroborates the own base with itself; take it out of the bucket',
      );
    }
    const twin = references.slice(0, r).find((other) => sameNumbers(other.logits, logits));
    if (twin !== undefined)
      lines.push(`references "${twin.id}" and "${id}" have the same scores, number for number: they count twice`);
  }
  return lines.map((line) => `${dataset}, ${target.id}: ${line}`);
}

function sameNumbers(a: RaggedRows, b: RaggedRows): boolean {
  if (a.rowCount === 0 || a.rowCount !== b.rowCount || a.values.length !== b.values.length) return false;
  return a.values.every((value, i) => value === b.values[i]);
}
