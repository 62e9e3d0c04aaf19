import type { ArrowColumn, ArrowColumns } from '../../arrow/arrow-column.js';
import type { SeenHashes } from '../../contract/seen-hashes.js';
import { takeItems } from './take-columns.js';

/** What imported rows are of, column by column: hashes, null where the log had none. */
export interface SeenColumns {
  readonly documents: ReadonlyArray<string | null>;
  readonly targets: ReadonlyArray<string | null>;
  readonly prompts: ReadonlyArray<string | null>;
}

const FIELDS = ['documents', 'targets', 'prompts'] as const;

/** The hashes of rows as columns; null where no row has any. */
export function seenColumns(hashes: ReadonlyArray<SeenHashes | null>): SeenColumns | null {
  if (hashes.every((each) => each === null)) return null;
  return {
    documents: hashes.map((each) => each?.document ?? null),
    targets: hashes.map((each) => each?.target ?? null),
    prompts: hashes.map((each) => each?.prompt ?? null),
  };
}

/** The hashes of row n. */
export function seenAt({ documents, targets, prompts }: SeenColumns, n: number): SeenHashes {
  return { document: documents[n] ?? null, target: targets[n] ?? null, prompt: prompts[n] ?? null };
}

export function takeSeen(seen: SeenColumns, indexes: Int32Array): SeenColumns {
  const { documents, targets, prompts } = seen;
  return {
    documents: takeItems(documents, indexes),
    targets: takeItems(targets, indexes),
    prompts: takeItems(prompts, indexes),
  };
}

export const SEEN_COLUMNS: ReadonlySet<string> = new Set(['documentHash', 'targetHash', 'promptHash']);

export function seenArrowColumns({ documents, targets, prompts }: SeenColumns): Record<string, ArrowColumn> {
  return {
    documentHash: { type: 'utf8', values: documents },
    targetHash: { type: 'utf8', values: targets },
    promptHash: { type: 'utf8', values: prompts },
  };
}

/** null where the file has no hashes. Throws with a plain reason when one of their columns is missing. */
export function seenOf({ documentHash, targetHash, promptHash }: ArrowColumns): SeenColumns | null {
  if (documentHash === undefined) return null;
  if (documentHash.type !== 'utf8' || targetHash?.type !== 'utf8' || promptHash?.type !== 'utf8')
    throw new Error('its hashes of documents, targets or prompts are not as expected');
  return { documents: documentHash.values, targets: targetHash.values, prompts: promptHash.values };
}

export function sameSeen(a: SeenColumns | undefined, b: SeenColumns | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return FIELDS.every(
    (field) => a[field].length === b[field].length && a[field].every((hash, n) => hash === b[field][n]),
  );
}
