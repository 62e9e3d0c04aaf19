const PART = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/s;

export interface PartName {
  /** From 1. */
  readonly part: number;
  readonly parts: number;
  /** The path of another part of the same model. */
  named(part: number): string;
}

/**
 * Reads the name that llama.cpp gives to the parts of a split model, `NAME-00002-of-00003.gguf`; null for any other.
 */
export function partName(file: string): PartName | null {
  const [, stem, part, parts] = PART.exec(file) ?? [];
  if (stem === undefined) return null;
  return {
    part: Number(part),
    parts: Number(parts),
    named: (n) => `${stem}-${String(n).padStart(5, '0')}-of-${parts}.gguf`,
  };
}

/** All files of a model, given its first part: the file itself unless its name is that of a part. */
export function modelParts(file: string): string[] {
  const name = partName(file);
  return name === null ? [file] : Array.from({ length: name.parts }, (_, n) => name.named(n + 1));
}
