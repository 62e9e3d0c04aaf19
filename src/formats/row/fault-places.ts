import type { Fault } from '../../errors/supportcal-error.js';

/** A place in a text file: both count from 1, columns in UTF-16 units. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Faults by their line, or by the number of their row; those that have none are left out. */
export function faultsBy(key: 'line' | 'number', faults: readonly Fault[]): Map<number, Fault[]> {
  const groups = new Map<number, Fault[]>();
  for (const fault of faults) {
    const at = fault[key];
    if (at === undefined) continue;
    const group = groups.get(at);
    if (group) group.push(fault);
    else groups.set(at, [fault]);
  }
  return groups;
}
