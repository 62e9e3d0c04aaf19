import path from 'node:path';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { formatOf } from '../../formats/format-of.js';
import { readRows } from '../../formats/read-rows.js';
import { FaultList } from '../../formats/row/fault-list.js';
import type { RowObject, RowValue, SourceFile } from '../../formats/row/source-row.js';
import { isUsableLogit } from '../../numeric/logit-limits.js';
import type { CalibrationArtefact } from '../artefact/artefact-schema.js';
import { finiteMargin, type QuestionSignals, questionSignals } from '../artefact/question-signals.js';

/** Rows of a log so far. */
export interface LogCount {
  /** Rows that are answers. */
  answers: number;
  /** Rows without an answer: failed ones, and what is no line of predict. */
  others: number;
}

/**
 * The signals of a log of predictions, as `supportcal predict` and `supportcal serve` write them (JSON Lines or CSV),
 * in groups; constant memory.
 *
 * @throws SupportCalError missing-file; bad-input: no row is an answer, and what is no row at all
 */
export async function* readLog(
  { inverseTemperature }: Pick<CalibrationArtefact, 'inverseTemperature'>,
  log: string | SourceFile,
  count: LogCount,
): AsyncGenerator<QuestionSignals[]> {
  const file = typeof log === 'string' ? { path: path.resolve(log), shown: log } : log;
  const faults = new FaultList();
  const format = await formatOf(file);
  for await (const batch of readRows({ file, format, options: {} }, faults)) {
    const found = batch.flatMap(({ values }) => signalsOf(values, inverseTemperature) ?? []);
    count.answers += found.length;
    count.others += batch.length - found.length;
    yield found;
  }
  faults.throwIfAny();
  if (count.answers > 0) return;
  const message = `has no answer among its ${count.others} rows; expected lines of predict or serve, with rawConfidence`;
  throw new SupportCalError('bad-input', { file: file.shown, message });
}

/** The signals of a line; null: it is no answer. */
function signalsOf(line: RowObject, inverseTemperature: number): QuestionSignals | null {
  const optionMass = numberOf(line.optionMass);
  const promptTokens = numberOf(line.promptTokens);
  const baseAgreement =
    line.baseAgreement === true ? 1 : line.baseAgreement === false ? 0 : numberOf(line.baseAgreement);
  const logits = listOf(line.logits);
  if (logits !== null && logits.length > 1 && logits.every(isUsableLogit))
    return { ...questionSignals({ logits, optionMass, promptTokens: promptTokens || 0 }), baseAgreement };
  const rawConfidence = numberOf(line.rawConfidence);
  if (Number.isNaN(rawConfidence)) return null;
  const margin = marginOf(listOf(line.probabilities), inverseTemperature);
  return {
    rawConfidence,
    margin,
    optionMass,
    promptTokens: promptTokens === 0 ? Number.NaN : promptTokens,
    baseAgreement,
  };
}

/** The gap of the two largest logits: ln p1 - ln p2 = beta (z1 - z2) for calibrated probabilities. */
function marginOf(probabilities: readonly number[] | null, inverseTemperature: number): number {
  if (probabilities === null || probabilities.length < 2 || inverseTemperature === 0) return Number.NaN;
  const [first = 0, second = 0] = probabilities.toSorted((a, b) => b - a);
  return finiteMargin((Math.log(first) - Math.log(second)) / inverseTemperature);
}

function numberOf(value: RowValue | undefined): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
}

/** A list of numbers, or the JSON of one, as CSV has it. */
function listOf(value: RowValue | undefined): number[] | null {
  if (typeof value === 'string' && value.startsWith('[')) {
    try {
      return listOf(JSON.parse(value) as RowValue);
    } catch {
      return null;
    }
  }
  return Array.isArray(value) && value.every((each) => typeof each === 'number') ? (value as number[]) : null;
}
