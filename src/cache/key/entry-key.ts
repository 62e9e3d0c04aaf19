import { contentHash } from '../../files/content-hash.js';
import { readableSlug } from '../../files/slug-of.js';

/** Raised whenever the meaning of an ingredient or of a stored column changes: older entries are then never found. */
export const KEY_SCHEMA_VERSION = 1;

/** Settings of one model's evaluation. null: the fixed rule decides (from the longest prompt and the file). */
export interface ScoringKeySettings {
  readonly contextSize: number | null;
  readonly sequences: number | null;
  readonly batchSize: number | null;
  readonly threads: number | null;
  /** Only where models.yaml replaces the file's own. */
  readonly preTokenizer?: string;
  readonly kvType?: string;
  readonly gpuLayers?: number | 'max';
  /** What a context is asked for; what `auto` comes to follows from backend, file and release. */
  readonly flashAttention: 'auto' | 'on' | 'off';
  readonly swaFullCache: boolean;
  /** Whether tokens that prompts share are evaluated once, by the fixed rule of `sharedTokens`; it changes logits slightly. */
  readonly prefixReuse: boolean;
}

/** Everything that can change a number of a scored entry. */
export interface ScoredKeyIngredients {
  readonly kind: 'scored';
  /** Labels, as in the YAML files: two labels never meet in one file. */
  readonly model: string;
  readonly dataset: string;
  /** Prompt variant; null: the plain prompt. */
  readonly variant: string | null;
  /** sha256 of the GGUF file; of a split model the content hash of the list of its parts' sha256. */
  readonly modelHash: string;
  /** LoRA adapters in their order, with the sha256 of each file; absent: none. */
  readonly lora?: ReadonlyArray<{ readonly sha256: string; readonly scale: number }>;
  /** `Dataset.hash`. */
  readonly datasetHash: string;
  /** Hash of all rendered prompts, option labels and answer prefixes. */
  readonly promptHash: string;
  readonly promptMode: 'raw' | 'chat';
  /** Text at the start of the reply; null: none. */
  readonly assistantPrefix: string | null;
  readonly bos: 'auto' | 'always' | 'never';
  /**
   * `letter`, `rotations` (letter scores under every cyclic order of the options), `elicitation` or `elicitation-ensemble`
   * with the version of the rules that replies are read by, `p-true`, or text mode with its settings.
   */
  readonly scoringMode: string;
  readonly settings: ScoringKeySettings;
  readonly backend: string;
  /** Environment variables that change how the native library computes; absent: none is set. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly llamaCppRelease: string;
  readonly nodeLlamaCpp: string;
}

/** An import is found by its labels alone; its manifest records the hash and unit of its source. */
export interface ImportedKeyIngredients {
  readonly kind: 'imported';
  readonly model: string;
  readonly dataset: string;
  /** Name of the way of asking whose scores these are; absent: plain prompts. */
  readonly asked?: string;
}

export type KeyIngredients = ScoredKeyIngredients | ImportedKeyIngredients;

export interface EntryKey {
  /** sha256 (hex) over all ingredients and the key schema version. */
  readonly hash: string;
  /** `<model>--<dataset>[--<variant>][--<way of asking>]-<first 12 digits of the hash>`: the entry's file name without ending. */
  readonly name: string;
  readonly ingredients: KeyIngredients;
}

/** Scoring modes of plain prompts: every other one is the name of a way of asking, which stands in the name of an entry. */
const PLAIN_MODES = new Set(['', 'letter', 'text']);

/** Where an entry lives: any change of any ingredient gives another hash, hence another file. */
export function entryKey(ingredients: KeyIngredients): EntryKey {
  const hash = contentHash({ keySchemaVersion: KEY_SCHEMA_VERSION, ingredients });
  const variant = ingredients.kind === 'scored' ? ingredients.variant : 'import';
  const asked =
    ingredients.kind === 'scored' ? ingredients.scoringMode.replace(/ .*$/s, '') : (ingredients.asked ?? '');
  const labels = [
    ingredients.model,
    ingredients.dataset,
    ...(variant === null ? [] : [variant]),
    ...(PLAIN_MODES.has(asked) ? [] : [asked]),
  ];
  return { hash, name: `${labels.map(readableSlug).join('--')}-${hash.slice(0, 12)}`, ingredients };
}
