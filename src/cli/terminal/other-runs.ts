import type { OtherRun } from '../../cache/runs-at-work.js';

/** What other runs do on the same cache, in one line; empty where none of them holds rows. */
export function otherRunsLine(runs: readonly OtherRun[], models: number): string {
  const count = (value: number) => value.toLocaleString('en-US');
  return runs
    .filter(({ holds }) => holds.length > 0)
    .map(
      (run) =>
        `${run.models.length} of ${models} models held by ${run.host}:${run.pid}, ` +
        `${count(run.done)} of ${count(run.rows)} rows there`,
    )
    .join('; ');
}
