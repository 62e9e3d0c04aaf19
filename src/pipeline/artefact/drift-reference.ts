import { predictions } from '../../calibration/answers/predictions.js';
import { signalSketch } from '../../inference/drift/signal-sketch.js';
import { rowOf } from '../../numeric/ragged-rows.js';
import type { AlignedTarget } from '../join/align-target.js';
import type { ReadyEntry } from '../join/planned-entry.js';
import { type DriftReference, SIGNALS, type SignalName } from './drift-schema.js';
import { questionSignals } from './question-signals.js';

const RULE =
  'each signal of new questions is compared with that of the rows of the fit by the two-sample test of Kolmogorov and ' +
  'Smirnov; Bonferroni over the signals; values: all of them, or 512 quantiles of more';

/**
 * What the rows of a fit look like, without their labels.
 *
 * @param ids of all examples, of which some are rows
 */
export function driftReference(
  { targetLogits, ownBaseLogits, rowOfExample }: AlignedTarget,
  ids: readonly string[],
  entry: ReadyEntry | null,
): DriftReference {
  const placeOf = new Map(entry?.table.ids.map((id, n) => [id, n]));
  const [own, base] = [predictions(targetLogits).indexes, predictions(ownBaseLogits).indexes];
  const columns = Object.fromEntries(
    SIGNALS.map((name) => [name, new Float64Array(targetLogits.rowCount).fill(Number.NaN)]),
  ) as Record<SignalName, Float64Array>;
  for (const [n, id] of ids.entries()) {
    const row = rowOfExample[n] ?? -1;
    if (row === -1) continue;
    const at = placeOf.get(id);
    const optionMass = (at === undefined ? undefined : entry?.table.optionMass[at]) ?? Number.NaN;
    const promptTokens = (at === undefined ? undefined : entry?.table.promptTokens[at]) ?? 0;
    const signals = questionSignals({ logits: rowOf(targetLogits, row), optionMass, promptTokens });
    for (const name of SIGNALS) columns[name][row] = signals[name] ?? Number.NaN;
    columns.baseAgreement[row] = own[row] === base[row] ? 1 : 0;
  }
  const signals = SIGNALS.flatMap((name) => {
    const sketch = signalSketch(columns[name]);
    return sketch === null ? [] : [[name, { rows: sketch.rows, values: [...sketch.values] }] as const];
  });
  return { rule: RULE, signals: Object.fromEntries(signals) };
}
