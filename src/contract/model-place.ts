/** A LoRA adapter: absolute path, and the factor its change of the weights is taken with. */
export interface Adapter {
  readonly path: string;
  readonly scale: number;
}

/** A GGUF file on this machine. */
export interface GgufPlace {
  readonly kind: 'gguf';
  /** Absolute path of the file, or of the first part of a split model. */
  readonly path: string;
  /** Size of all parts together. */
  readonly bytes: number;
  readonly lora?: readonly Adapter[];
}

/** Where a scorer finds a model. */
export type ModelPlace = GgufPlace;
