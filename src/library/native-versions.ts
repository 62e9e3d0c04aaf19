import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

// The package exports no package.json to resolve, so its folder is looked for where Node would.
const root = (createRequire(import.meta.url).resolve.paths('node-llama-cpp') ?? [])
  .map((folder) => path.join(folder, 'node-llama-cpp'))
  .find((folder) => existsSync(path.join(folder, 'package.json')))!;

/** Folder of the node-llama-cpp package. */
export function nodeLlamaCppFolder(): string {
  return root;
}

/** Version of the node-llama-cpp package, from its package.json; loads no native code. */
export function nodeLlamaCppVersion(): string {
  return (JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string }).version;
}

/** The llama.cpp release inside the package; another release may give other logits. Loads no native code. */
export function llamaCppRelease(): string {
  const file = path.join(root, 'llama', 'binariesGithubRelease.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { release: string }).release;
}

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
