import path from 'node:path';
import { SupportCalError } from '../../../errors/supportcal-error.js';
import { type RowFile, readRows } from '../../../formats/read-rows.js';
import { FaultList } from '../../../formats/row/fault-list.js';
import type { RowBatches } from '../../../formats/row/source-row.js';
import { type ImportedRow, importRow } from '../import-row.js';
import type { OpenedLogits } from '../opened-logits.js';
import { countedScores, notLogprobs, unitOf } from './counted-scores.js';
import type { Counting, Harness, LogReader, LogSettings } from './harness.js';
import { type HarnessName, harnessNamed } from './harness-table.js';
import { keptHashes } from './log-hash.js';

/** What is said of a log of another harness. */
export interface HarnessLog extends LogSettings {
  readonly format: HarnessName;
  /** Default: sum. */
  readonly normalize?: Counting | undefined;
}

/** A log of another harness as a file of option scores. */
export function openHarnessLog(file: string, log: HarnessLog): OpenedLogits {
  const { normalize = 'sum' } = log;
  const harness = harnessNamed(log.format);
  const texts = harness.scores === 'texts';
  const reader = harness.reader(log);
  const faults = new FaultList();
  refuseCounting(harness, normalize);
  return {
    batches: withRest(readRows(harnessFile(file, log.format), faults), reader, file, faults),
    faults,
    notes: reader.notes,
    take(row) {
      const reading = reader.read(row);
      if (reading.kind !== 'row') return reading;
      const { id, label } = reading.row;
      const wrong = notLogprobs(reading.row, texts);
      if (wrong !== null) return { kind: 'wrong', faults: [{ row: id, message: wrong }] };
      const logits = countedScores(reading.row, normalize);
      if (typeof logits === 'string') return { kind: 'wrong', faults: [{ row: id, message: logits }] };
      // Where options are scored as texts, one may be the beginning of another, and together they may be more than 1.
      const imported = importRow(
        { ...row, values: { id, logits, label } },
        { kind: 'list' },
        { unit: unitOf(normalize), overlaps: () => texts },
      );
      if (imported.kind !== 'ok') return imported;
      const taken = { ...withReason(imported.row, reading.row.absent), hashes: keptHashes(reading.row.hashes) };
      return { ...imported, row: texts ? withoutMass(taken) : taken };
    },
  };
}

function refuseCounting({ name, countings }: Harness, normalize: Counting): void {
  if (countings.includes(normalize)) return;
  const message = `the logs of ${name} have no numbers for --normalize ${normalize}; take ${countings.join(' or ')}`;
  throw new SupportCalError('usage', message);
}

/** The rows of a log; once they are all read, what is wrong with the last ones is known too. */
async function* withRest(batches: RowBatches, { rest }: LogReader, file: string, faults: FaultList): RowBatches {
  yield* batches;
  for (const fault of rest?.() ?? []) faults.add({ file, ...fault });
}

/** The probabilities of whole texts say nothing of what share of the next token goes to labels of options. */
function withoutMass(row: ImportedRow): ImportedRow {
  return row.scored.status === 'ok' ? { ...row, scored: { ...row.scored, optionMass: Number.NaN } } : row;
}

/** A row that fails for want of scores says what the log lacks. */
function withReason(row: ImportedRow, absent: string | undefined): ImportedRow {
  if (row.scored.status === 'ok' || absent === undefined) return row;
  return { ...row, scored: { ...row.scored, reason: absent } };
}

export function harnessFile(file: string, format: HarnessName): RowFile {
  return harnessNamed(format).rowFile({ path: path.resolve(file), shown: file });
}
