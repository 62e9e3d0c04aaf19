/**
 * What llama.cpp warns of though no score depends on it. Everything else that it warns of is shown; these lines stay in
 * the facts of the model and in the log of level info.
 */
const HARMLESS: readonly RegExp[] = [
  // Asked for by us: a prefix can be kept, the device decides, lengths are checked by what the context reports.
  /using full-size SWA cache/,
  /flash attention (not supported, set to disabled|is assigned to device)/i,
  /n_ctx is not divisible by n_seq_max/,
  /V embeddings have different sizes across layers/,
  // Where a generated text ends; a token that looks like a control token becomes one, which data never is.
  /special_e\w+_id is not in special_eog_ids/,
  /token from EOG list/,
  /was not control-type/,
  // Memory, speed and parts of a file that no graph uses.
  /does not match expectation of/,
  /graph reuse disabled/,
  /retrying without pipeline parallelism/,
  /cannot use buft/,
  /posix_[fm]advise\(/,
  /falling back to buffered i\/?o/i,
  /numa_balancing is enabled/,
  /model has unused tensor/,
];

/** Whether a warning of the native library is no news for who looks at scores. */
export function isHarmless(line: string): boolean {
  return HARMLESS.some((pattern) => pattern.test(line));
}
