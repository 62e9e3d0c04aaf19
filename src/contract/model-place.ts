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

/** A model behind a server, as it was when it was last asked. */
export interface EndpointPlace {
  readonly kind: 'endpoint';
  /** Log-probabilities of the options of fixed prompts, by which the model is known again. */
  readonly fingerprint: readonly (readonly (number | null)[])[];
  readonly version: string | null;
  readonly revision: string | null;
  /** Whether the server puts a start token before a raw prompt; null: it does not say. */
  readonly bos: boolean | null;
  /** Whether an equal bias on all options changes nothing but which of them come back. */
  readonly biasWorks: boolean;
}

/** Where a scorer finds a model. */
export type ModelPlace = GgufPlace | EndpointPlace;
