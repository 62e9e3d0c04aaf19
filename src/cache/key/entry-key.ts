import type { GgufIdentity, SourceIdentity } from '../../contract/source.js';
import { contentHash } from '../../files/content-hash.js';
import { readableSlug } from '../../files/slug-of.js';

/** Raised whenever the meaning of an ingredient or of a stored column changes: older entries are then never found. */
export const KEY_SCHEMA_VERSION = 1;

/** What is asked of a model: the half of a scored entry's key that does not depend on who computes the scores. */
export interface AskedIngredients {
  readonly kind: 'scored';
  /** Labels, as in the YAML files: two labels never meet in one file. */
  readonly model: string;
  readonly dataset: string;
  /** Prompt variant; null: the plain prompt. */
  readonly variant: string | null;
  /** `Dataset.hash`. */
  readonly datasetHash: string;
  /** Hash of all rendered prompts, option labels and answer prefixes. */
  readonly promptHash: string;
  readonly promptMode: 'raw' | 'chat';
  /** Text at the start of the reply; null: none. */
  readonly assistantPrefix: string | null;
  /**
   * `letter`, `rotations` (letter scores under every cyclic order of the options), `elicitation` or
   * `elicitation-ensemble` with the version of the rules that replies are read by, `p-true`, or text mode with its
   * settings.
   */
  readonly scoringMode: string;
}

/** Everything that can change a number of a scored entry: what is asked, and the identity of the model's source. */
export type ScoredKeyIngredients = AskedIngredients & SourceIdentity;

/** Ingredients of a model in a GGUF file. */
export type FileKeyIngredients = AskedIngredients & GgufIdentity;

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
  /**
   * `<model>--<dataset>[--<variant>][--<way of asking>]-<first 12 digits of the hash>`: the entry's file name without
   * ending.
   */
  readonly name: string;
  readonly ingredients: KeyIngredients;
}

/**
 * Scoring modes of plain prompts: every other one is the name of a way of asking, which stands in the name of an entry.
 */
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
