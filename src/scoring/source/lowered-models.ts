import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ModelSpec } from '../../config/models-schema.js';
import type { Device } from '../../contract/device.js';
import { contentHash } from '../../files/content-hash.js';
import { writeFileAtomic } from '../../files/write-file-atomic.js';

/** A model as models.yaml declares it, with the hash of its content, on a device. */
export interface DeclaredModel {
  readonly model: ModelSpec;
  readonly sha256: string;
  readonly device: Device;
}

type Lowered = Readonly<Record<string, readonly number[]>>;

/**
 * `lowered.json` in the cache folder: with how few sequences models were scored because no more fitted into memory.
 * Such a model is treated as if models.yaml said so, from then on, so that its rows are found and resumed whatever is
 * free by then. The function gives the model once for each number that was used, the latest last.
 */
export async function loweredModels(cacheDir: string): Promise<(declared: DeclaredModel) => ModelSpec[]> {
  const known = await readLowered(cacheDir);
  return (declared) =>
    (known[keyOf(declared)] ?? []).map((sequences) => {
      const { model } = declared;
      return { ...model, scoring: { ...model.scoring, sequences } };
    });
}

export async function keepLowered(cacheDir: string, declared: DeclaredModel, sequences: number): Promise<void> {
  const known = await readLowered(cacheDir);
  const key = keyOf(declared);
  const numbers = [...(known[key] ?? []).filter((each) => each !== sequences), sequences];
  await writeFileAtomic(fileIn(cacheDir), `${JSON.stringify({ ...known, [key]: numbers }, null, 2)}\n`);
}

/** Other settings of `scoring:` have other needs, so they are decided upon anew. */
function keyOf({ model, sha256, device }: DeclaredModel): string {
  return contentHash({ sha256, device, scoring: model.scoring ?? null });
}

function fileIn(cacheDir: string): string {
  return path.join(cacheDir, 'lowered.json');
}

/** Nothing where the file is missing or no longer what it was: then memory is asked again. */
async function readLowered(cacheDir: string): Promise<Lowered> {
  try {
    const all = Object.entries(JSON.parse(await readFile(fileIn(cacheDir), 'utf8')) as Record<string, unknown>);
    return Object.fromEntries(all.filter((each): each is [string, number[]] => isNumbers(each[1])));
  } catch {
    return {};
  }
}

function isNumbers(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => Number.isSafeInteger(each) && each > 0);
}
