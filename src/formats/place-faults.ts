import { type Fault, SupportCalError } from '../errors/supportcal-error.js';
import { JsonFault } from './json/parse-json.js';
import type { RowFile } from './read-rows.js';
import type { Place } from './row/fault-places.js';

/**
 * Faults of rows with line and column of the value that each is about, which is looked up in the file again: nothing
 * has to be kept while rows are read for a case that mostly does not come up. Columns count UTF-16 units from 1; a
 * fault of a whole row, or of a field that it lacks, has the place where the row begins. Binary tables have no lines:
 * their faults keep the number of the row.
 */
export async function placeFaults(faults: readonly Fault[], files: readonly RowFile[]): Promise<Fault[]> {
  const placed = new Map<Fault, Place>();
  for (const source of files) {
    const own = faults.filter(({ file, line, column }) => file === source.file.shown && line !== undefined && !column);
    if (own.length > 0) await placeOwn(own, source, placed);
  }
  return faults.map((fault) =>
    fault.line === undefined || fault.column !== undefined ? fault : { ...fault, column: 1, ...placed.get(fault) },
  );
}

/** Adds the places of the faults of one file, as far as they are found. */
async function placeOwn(
  faults: readonly Fault[],
  { file, format: { rows }, options }: RowFile,
  placed: Map<Fault, Place>,
): Promise<void> {
  if (rows.kind !== 'text' || rows.placesOf === undefined) return;
  try {
    for await (const [fault, place] of rows.placesOf(faults, file, options)) placed.set(fault, place);
  } catch (error) {
    // The file has changed or cannot be read a second time: the lines stand.
    if (!(error instanceof SupportCalError || error instanceof JsonFault)) throw error;
  }
}
