import type { SourceKind } from '../config/source-kind.js';
import type { Device } from './device.js';
import type { Adapter, GgufPlace, ModelPlace } from './model-place.js';
import type { ExamplePrompt } from './prompt.js';
import type { Scorer } from './scorer.js';

/**
 * The settings of one model's evaluation. null: a fixed rule decides (from the longest prompt, the file and the
 * device).
 */
export interface EvaluationSettings {
  readonly contextSize: number | null;
  readonly sequences: number | null;
  readonly batchSize: number | null;
  readonly threads: number | null;
  /** Only where models.yaml replaces the file's own. */
  readonly preTokenizer?: string;
  readonly kvType?: string;
  readonly gpuLayers?: number | 'max';
  /** What a context is asked for; what `auto` comes to follows from device, file and release. */
  readonly flashAttention: 'auto' | 'on' | 'off';
  readonly swaFullCache: boolean;
  /**
   * Whether tokens that prompts share are evaluated once, by the fixed rule of `sharedTokens`; it moves logits
   * slightly.
   */
  readonly prefixReuse: boolean;
  /** Each prompt has a pass of its own; absent: they share passes, or (tiny files) the file's weights decide. */
  readonly prompts?: 'in-turn';
}

/** What can change a score of a GGUF file that llama.cpp evaluates here. */
export interface GgufIdentity {
  /** sha256 of the GGUF file; of a split model the content hash of the list of its parts' sha256. */
  readonly modelHash: string;
  /** LoRA adapters in their order, with the sha256 of each file; absent: none. */
  readonly lora?: ReadonlyArray<{ readonly sha256: string; readonly scale: number }>;
  readonly bos: 'auto' | 'always' | 'never';
  readonly settings: EvaluationSettings;
  /** The device, under the name that it has in every key since the first version. */
  readonly backend: string;
  /** Environment variables that change how the native library computes; absent: none is set. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Options and compiler of a build of one's own that computes them; absent: the prebuilt binary. */
  readonly kernels?: string;
  readonly llamaCppRelease: string;
  readonly nodeLlamaCpp: string;
}

/** What can change a score of a model behind a server, as far as it can be seen from outside. */
export interface EndpointIdentity {
  readonly endpoint: {
    readonly api: string;
    /** Without user name, password and query. */
    readonly url: string;
    readonly model: string;
    /**
     * Most probable tokens that are asked for, and token ids, where models.yaml says them: they decide which rows fail.
     */
    readonly top?: number;
    readonly tokenIds?: Readonly<Record<string, number>>;
    /** Whether rows with untold options have intervals; absent: they fail. */
    readonly missing?: 'bound';
  };
  /** What the server says of itself; null: nothing. */
  readonly version: string | null;
  readonly revision: string | null;
  /** Hash of the fingerprint under which the model is on record. */
  readonly fingerprint: string;
  /** Where a GGUF model has its device. */
  readonly backend: 'endpoint';
}

/**
 * Everything about a model, and about who computes its scores, that can change a score. It goes into the key of a cache
 * entry as it is, beside what is asked; so two identities must never have the same fields with another meaning.
 */
export type SourceIdentity = GgufIdentity | EndpointIdentity;

/** A model as its source has it now. */
export interface FoundModel {
  /** On a source that computes on no device of this machine, the same for all devices. */
  identity(device: Device): SourceIdentity;
  readonly place: ModelPlace;
  /** Hash of the model's content, which measured speeds are kept by and runs write down. */
  readonly sha256: string;
  /** Where the content is from, in words; null: a file of the user's own. */
  readonly origin: string | null;
  readonly lora: ReadonlyArray<Adapter & { readonly sha256: string }>;
  /** Names of what has to be fetched before the model can score. */
  readonly missing: readonly string[];
  /**
   * A check that the model is still what `identity` says, to be made before rows are stored: it rejects with bad-input
   * when the model was replaced meanwhile.
   */
  watch(): () => Promise<void>;
}

/** Why a model cannot be had. */
export interface Unavailable {
  readonly reason: string;
}

/** What the source of a model takes from this machine. */
export interface SourceNeeds {
  /** Whether it computes on a device: then one is chosen before any key is made, and its memory is planned for. */
  readonly device: boolean;
  /** Whether something has to be asked of, or fetched from, another machine. */
  readonly network: boolean;
}

/**
 * Where the scores of one model come from. A new source is one more kind (`sourceKindOf`), one more identity and place
 * here, and one more function in scoring/source; what lies above asks these methods and knows no kind by name.
 */
export interface ModelSource {
  readonly kind: SourceKind;
  /** The ways in which prompts can be put to the model. */
  readonly can: ReadonlySet<ExamplePrompt['mode']>;
  readonly needs: SourceNeeds;
  /**
   * Asks whoever knows, over a network if need be, what the name of the model stands for, so that `find` needs no
   * connection afterwards. Resolves with why nobody knows, null when all is known.
   */
  lookUp(): Promise<string | null>;
  /** Finds the model and what can change its scores. Asks nobody and scores nothing. */
  find(): Promise<FoundModel | Unavailable>;
  /** Brings here what `find` said is still missing. Resolves with why it cannot be had. */
  fetch(): Promise<string | null>;
  /**
   * Where the model's vocabulary can be looked into without scoring; null when it cannot now, which is no fault.
   * Absent: never.
   */
  inspect?(): Promise<GgufPlace | Unavailable | null>;
  /** Scores models of this source, all jobs of a run at once; null: what is not in the cache cannot be scored here. */
  readonly score: Scorer | null;
}
