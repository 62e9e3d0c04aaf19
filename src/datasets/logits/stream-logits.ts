import type { SourceFile } from '../../formats/row/source-row.js';
import type { LogitUnit } from './from-unit.js';
import type { ImportResult } from './import-row.js';
import { openLogits } from './open-logits.js';

/** One row of scores, or what is wrong with it and its number in the file. */
export type StreamedLogits = ImportResult & { readonly number: number };

/**
 * The rows of a file of option scores (see `readImportedLogits` for its forms) in groups as they are read, so that a
 * file of any length takes constant memory. A row that cannot be used comes as `wrong`. One without an id has its
 * number as its id; a repeated id is no fault here, nor are log-probabilities of texts that sum to more than 1 (one may
 * be the beginning of another).
 *
 * @throws SupportCalError missing-file; bad-input at the end, with the faults of everything that is no row at all
 */
export async function* streamLogits(
  file: string | SourceFile,
  unit: LogitUnit,
): AsyncGenerator<readonly StreamedLogits[]> {
  const options = { unit, overlaps: () => unit === 'logprobs', numbered: true };
  const { batches, faults, take } = await openLogits(file, options);
  let any = false;
  for await (const batch of batches) {
    any ||= batch.length > 0;
    yield batch.flatMap((row) => {
      const result = take(row);
      return result.kind === 'left-out' ? [] : [{ ...result, number: row.number }];
    });
  }
  if (!any && faults.count === 0)
    faults.add({ file: typeof file === 'string' ? file : file.shown, message: 'has no rows' });
  faults.throwIfAny();
}
