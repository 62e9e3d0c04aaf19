/** What tells whether two models saw the same in a row: hashes, null where nobody says them. */
export interface SeenHashes {
  readonly document: string | null;
  /** Hash of the right answer. */
  readonly target: string | null;
  readonly prompt: string | null;
}
