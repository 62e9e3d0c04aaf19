import type { DatasetSpec } from './dataset-spec.js';
import type { DraftContext, DraftRow } from './draft-row.js';
import { inferLabelKind } from './infer-label-kind.js';
import { labelPosition } from './option-labels.js';
import { readLabel } from './read-label.js';

/** The 0-based label of every row, null where there is none; labels that name no option of their row are faults. */
export function resolveLabels(rows: readonly DraftRow[], context: DraftContext, spec: DatasetSpec): (number | null)[] {
  const { mapping, faults, source } = context;
  const label = mapping.label;
  if (label === null || rows.length === 0) return rows.map(() => null);
  const positionOf = labelPosition(spec.yaml.prompt?.optionLabels);
  const kind =
    label.as === undefined ? inferLabelKind(rows, label, positionOf) : { kind: 'known' as const, as: label.as };
  if (kind.kind === 'unclear') {
    const { yamlPath } = label;
    faults.add({ file: spec.file, ...spec.locate(yamlPath), field: yamlPath.join('.'), message: kind.message });
    return rows.map(() => null);
  }
  const rules = { as: kind.as, labelBase: label.labelBase, positionOf };
  return rows.map((row) => {
    const reading = readLabel(row.label, row.options, rules);
    if (reading.kind === 'option') return reading.index;
    if (reading.kind === 'wrong') {
      const at = { file: source.fileOf(label.field, row), line: row.line, field: label.field, row: row.id! };
      faults.add({ ...at, message: reading.message });
    }
    return null;
  });
}
