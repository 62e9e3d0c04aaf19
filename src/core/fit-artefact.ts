import { type CalibrationInput, calibrateTarget, type MethodOutcome } from '../calibration/calibrate-target.js';
import type { TemperatureOutcome } from '../calibration/fit/temperature-outcome.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import { type RaggedRows, raggedRows } from '../numeric/ragged-rows.js';
import type { HasTemperature } from './apply-temperature.js';

/** N rows of option logits, each of K numbers; K may differ from row to row. */
export type LogitRows = ReadonlyArray<ArrayLike<number>>;

export interface FitOptions {
  /** Default: `supportcal` where there are references, else `daca`. `oracle-ts` reads the labels. */
  readonly method?: string;
  /** M, how many references SupportCal combines; default 1. */
  readonly combinationSize?: number;
  /** N indexes of the right options, -1 where unknown. */
  readonly labels?: ArrayLike<number>;
}

/** A temperature fitted on arrays in memory; `applyTemperature` takes it. */
export interface FittedArtefact extends HasTemperature {
  readonly method: string;
  /** null: the method combines no references. */
  readonly combinationSize: number | null;
  /** infinite: every option gets 1/K; none: there is no fit, and `reason` says why. */
  readonly temperatureKind: 'finite' | 'infinite' | 'none';
  readonly temperature: number | null;
  readonly reason: string | null;
  /** M_w of Proposition 1, in logit units. */
  readonly weightedBoundaryMargin: number | null;
  /** Rows that the fit could use, and those of them on which target and own base disagree. */
  readonly rows: number;
  readonly disagreements: number;
  /** Rows left out of the fit: some model gives an option the probability 0. */
  readonly leftOut: number;
  /** S* of Eq. (selector) in id order; null: the method chooses none, or nothing is disagreed on. */
  readonly references: readonly string[] | null;
  readonly disagreementSupport: number | null;
}

/**
 * Fits one temperature to a post-trained model, without labels unless the method asks for them.
 *
 * @param target N rows of option logits, or log-probabilities, of the model
 * @param ownBase the same rows by its own pretrained base
 * @param references the same rows by other pretrained models, by id
 * @throws SupportCalError bad-input: rows that do not match or hold no logits, an unknown method, labels that are no
 *   options, an M that the references cannot fill
 */
export function fitArtefact(
  target: LogitRows,
  ownBase: LogitRows,
  references: Readonly<Record<string, LogitRows>> = {},
  options: FitOptions = {},
): FittedArtefact {
  const ids = Object.keys(references);
  const { method = ids.length > 0 ? 'supportcal' : 'daca', combinationSize = 1, labels } = options;
  const targetLogits = packed('target', target);
  const input: CalibrationInput = {
    targetLogits,
    ownBaseLogits: packed('ownBase', ownBase),
    references: ids.map((id) => ({ id, logits: packed(`references.${id}`, references[id] ?? []) })),
    methods: [method],
    combinationSizes: [combinationSize],
    ...(labels !== undefined && { labels: Int32Array.from(labels) }),
  };
  const prepared = calibrateTarget(input);
  const fitted = prepared.fit(Int32Array.from({ length: targetLogits.rowCount }, (_, n) => n));
  const [found] = fitted.outcomes;
  if (found === undefined) throw new SupportCalError('internal', `method "${method}" fitted nothing`);
  return {
    ...described(found),
    rows: fitted.calibrationCount,
    disagreements: fitted.disagreementCount,
    leftOut: targetLogits.rowCount - fitted.calibrationCount,
  };
}

function described(found: MethodOutcome): Omit<FittedArtefact, 'rows' | 'disagreements' | 'leftOut'> {
  const { method, combinationSize, outcome, selectedReferences, disagreementSupport } = found;
  return {
    method,
    combinationSize,
    temperatureKind: outcome.kind,
    temperature: outcome.kind === 'finite' ? outcome.temperature : null,
    inverseTemperature: inverseOf(outcome),
    reason: outcome.kind === 'none' ? outcome.reason : null,
    weightedBoundaryMargin: outcome.weightedBoundaryMargin,
    references: selectedReferences,
    disagreementSupport,
  };
}

function inverseOf(outcome: TemperatureOutcome): number | null {
  if (outcome.kind === 'none') return null;
  return outcome.kind === 'finite' ? outcome.inverseTemperature : 0;
}

function packed(field: string, rows: LogitRows): RaggedRows {
  const wrong = Array.isArray(rows) ? rows.findIndex((row: unknown) => !isRow(row)) : -1;
  const message = 'expected a list of rows, each a list with one number for each of two options or more';
  if (!Array.isArray(rows) || rows.length === 0) throw new SupportCalError('bad-input', { field, message });
  if (wrong !== -1) throw new SupportCalError('bad-input', { field, row: String(wrong + 1), message });
  return raggedRows(rows);
}

function isRow(row: unknown): boolean {
  if (ArrayBuffer.isView(row)) return row.byteLength > 0 && (row as unknown as ArrayLike<number>).length > 1;
  return Array.isArray(row) && row.length > 1 && row.every((value: unknown) => typeof value === 'number');
}
