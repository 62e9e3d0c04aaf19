import { type Fault, SupportCalError } from '../errors/supportcal-error.js';
import { areUsableLogits, isMeasurableRow, LARGEST_LOGIT } from '../numeric/logit-limits.js';
import { type RaggedRows, rowLength, sameShape } from '../numeric/ragged-rows.js';

const MOST_FAULTS = 20;

/**
 * Refuses logits that Eq. (relsupport) to Eq. (firstderiv) are not made for: rows without options, values that are NaN,
 * +Infinity or beyond 1e100, rows of nothing but -Infinity, and models whose rows do not match those of the target. All
 * faults are reported together (at most 20).
 *
 * @returns whether every logit of every model is finite, so that no row is one of `certainRows`
 */
export function checkLogits(models: ReadonlyArray<{ readonly name: string; readonly logits: RaggedRows }>): boolean {
  const faults: Fault[] = [];
  let finite = true;
  const [target] = models;
  if (target === undefined) return finite;
  const full = hasNoEmptyRow(target.logits);
  for (const { name, logits } of models) {
    if (!sameShape(logits, target.logits)) {
      faults.push({
        message: `the rows of ${name} differ in number or in options from those of ${target.name}; give the same examples`,
      });
      continue;
    }
    const usable = areUsableLogits(logits.values);
    finite &&= usable;
    if (!(full && usable)) collectRowFaults(name, logits, faults);
  }
  if (faults.length > 0) throw new SupportCalError('bad-input', faults.slice(0, MOST_FAULTS));
  return finite;
}

function collectRowFaults(name: string, { rowCount, offsets, values }: RaggedRows, faults: Fault[]): void {
  for (let n = 0; n < rowCount && faults.length < MOST_FAULTS; n++) {
    if (!isMeasurableRow(values, offsets[n], offsets[n + 1])) {
      faults.push({
        row: String(n + 1),
        message: `expected finite option logits of at most ${LARGEST_LOGIT} from ${name}; leave this example out`,
      });
    }
  }
}

function hasNoEmptyRow({ offsets, rowCount }: RaggedRows): boolean {
  for (let n = 0; n < rowCount; n++) if (offsets[n] === offsets[n + 1]) return false;
  return true;
}

/** Refuses labels that are neither -1 nor an option of their row, which Eq. (ece) and a fit on labels need. */
export function checkLabels(labels: Int32Array, rows: RaggedRows): void {
  const { rowCount } = rows;
  const faults: Fault[] = [];
  if (labels.length !== rowCount)
    faults.push({ message: `expected ${rowCount} labels, but there are ${labels.length}` });
  for (let n = 0; n < rowCount && faults.length < MOST_FAULTS; n++) {
    const options = rowLength(rows, n);
    const label = labels[n];
    if (label !== undefined && label >= -1 && label < options) continue;
    const message = `expected a label from 0 to ${options - 1}, or -1 for none, but it is ${label}`;
    faults.push({ row: String(n + 1), field: 'label', message });
  }
  if (faults.length > 0) throw new SupportCalError('bad-input', faults);
}
