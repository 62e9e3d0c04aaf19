const NUMBERS = /^(GGML|LLAMA)_|^NVIDIA_TF32_OVERRIDE$/;
/** These say where, not how, something is computed. */
const PLACES = /_VISIBLE_DEVICES$|_PATH$|^LLAMA_CACHE$/;
/** Flags of llama.cpp's own programs; the library does not read them. */
const OTHERS = /^LLAMA_ARG_/;

/**
 * Environment variables that the native library reads and that can change a logit, such as GGML_VK_DISABLE_F16; empty
 * as a rule. The child processes inherit them.
 */
export function nativeVariables(environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const names = Object.keys(environment).filter(
    (name) => NUMBERS.test(name) && !PLACES.test(name) && !OTHERS.test(name),
  );
  return Object.fromEntries(names.sort().map((name) => [name, environment[name] ?? '']));
}
