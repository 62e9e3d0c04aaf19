import type { DatasetSpec } from './dataset-spec.js';
import { detectLabelBase } from './detect-label-base.js';
import { type DraftContext, type DraftRow, rowFault } from './draft-row.js';
import { inferLabelKind } from './infer-label-kind.js';
import { labelPosition } from './option-labels.js';
import { readLabel } from './read-label.js';

export interface ResolvedLabels {
  /** 0-based label of each row; null where there is none, or a wrong one. */
  readonly labels: readonly (number | null)[];
  /** Positions of the rows that have none; empty when labels cannot be read at all. */
  readonly missing: readonly number[];
  /** What was found out about the labels, for the record. */
  readonly rules: readonly string[];
}

/** The labels of all rows; those that name no option of their row are faults. */
export function resolveLabels(rows: readonly DraftRow[], context: DraftContext, spec: DatasetSpec): ResolvedLabels {
  const { mapping, faults } = context;
  const label = mapping.label;
  const unlabelled = { labels: rows.map(() => null), missing: [], rules: [] };
  if (label === null || rows.length === 0) return unlabelled;
  const positionOf = labelPosition(spec.yaml.prompt?.optionLabels);
  const kind =
    label.as === undefined ? inferLabelKind(rows, label, positionOf) : { kind: 'known' as const, as: label.as };
  const base = label.labelBase === 'detect' ? detectLabelBase(rows, label.field) : null;
  for (const each of [kind, base]) {
    if (each?.kind !== 'unclear') continue;
    const { yamlPath } = label;
    faults.add({ file: spec.file, ...spec.locate(yamlPath), field: yamlPath.join('.'), message: each.message });
    return unlabelled;
  }
  const labelBase = base?.kind === 'known' ? base.base : (label.labelBase as 0 | 1 | undefined);
  const rules = { as: kind.kind === 'known' ? kind.as : 'index', labelBase, positionOf };
  const missing: number[] = [];
  const labels = rows.map((row, n) => {
    const reading = readLabel(row.label, row.options, rules);
    if (reading.kind === 'option') return reading.index;
    if (reading.kind === 'unlabelled') missing.push(n);
    else faults.add(rowFault(row, label.field, reading.message, context));
    return null;
  });
  const detected = base?.kind === 'known' ? [`labels of "${label.field}" count from ${base.base} (${base.why})`] : [];
  return { labels, missing, rules: detected };
}
