/** A file as any machine can find it: by what is in it, and by its place on the hub where it has one. */
export interface ContentOfFile {
  /** Hash of the file; for a split model the content hash of the list of its parts' sha256. */
  readonly sha256: string;
  /** `hf:owner/name@commit/file.gguf`; null: a file of the user's own. */
  readonly hub: string | null;
}

/** What a machine elsewhere needs to find a model, and to know that it would compute the same numbers. */
export interface ModelContent extends ContentOfFile {
  readonly lora: ReadonlyArray<ContentOfFile & { readonly scale: number }>;
  /** The identity that the cache keeps the scores under. */
  readonly identity: Readonly<Record<string, unknown>>;
}
