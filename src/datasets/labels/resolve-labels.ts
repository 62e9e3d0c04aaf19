import { type RowValue, scalarText } from '../../formats/row/source-row.js';
import { labelPosition } from '../options/option-labels.js';
import { type DraftContext, type DraftRow, rowFault } from '../rows/draft-row.js';
import { inferLabelKind } from './infer-label-kind.js';
import { readLabel, wholeNumber } from './read-label.js';

export interface ResolvedLabels {
  /** 0-based label of each row; null where there is none, or a wrong one. */
  readonly labels: readonly (number | null)[];
  /** Positions of the rows that have none; empty when labels cannot be read at all. */
  readonly missing: readonly number[];
  /** What was found out about the labels, for the record. */
  readonly rules: readonly string[];
}

/** The labels of all rows; those that name no option of their row are faults. */
export function resolveLabels(rows: readonly DraftRow[], context: DraftContext): ResolvedLabels {
  const { spec, mapping, faults } = context;
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

type DetectedBase =
  | { readonly kind: 'known'; readonly base: 0 | 1; readonly why: string }
  | { readonly kind: 'unclear'; readonly message: string };

/**
 * Whether labels count from 0 or from 1, as far as the labels of a file prove it: a label 0 is in no file that counts
 * from 1, and a label equal to its row's number of options is in none that counts from 0. Nothing is guessed beyond
 * that.
 */
function detectLabelBase(
  rows: ReadonlyArray<{ readonly label: RowValue; readonly options: readonly string[] }>,
  field: string,
): DetectedBase {
  let [zeros, tops, labelled] = [0, 0, 0];
  for (const { label, options } of rows) {
    const value = wholeNumber(scalarText(label) ?? '');
    if (value === null || value === -1) continue;
    labelled++;
    if (value === 0) zeros++;
    if (value === options.length) tops++;
  }
  if (labelled === 0) return { kind: 'known', base: 0, why: 'no row has a label' };
  const found = `${zeros} of ${labelled} labels are 0, ${tops} equal the number of options`;
  if (zeros > 0 && tops === 0) return { kind: 'known', base: 0, why: found };
  if (tops > 0 && zeros === 0) return { kind: 'known', base: 1, why: found };
  const advice = 'write `labelBase: 0` or `labelBase: 1` (what the first option is called)';
  return { kind: 'unclear', message: `the label base of "${field}" cannot be detected: ${found}; ${advice}` };
}
