import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { EndpointModel } from '../../config/source-kind.js';
import type { EndpointPlace } from '../../contract/model-place.js';
import { writeFileAtomic } from '../../files/write-file-atomic.js';
import { sameModel } from './fingerprint.js';

const place = z.object({
  kind: z.literal('endpoint'),
  fingerprint: z.array(z.array(z.number().nullable())),
  version: z.string().nullable(),
  revision: z.string().nullable(),
  bos: z.boolean().nullable(),
  biasWorks: z.boolean(),
});
const file = z.object({ endpoints: z.record(z.string(), z.array(place)) });

/**
 * `endpoints.json` in the cache folder: what has answered behind each name, the last one at the end. With it scores are
 * found again without a connection, and a fingerprint that rounding moved a little keeps its name.
 */
export async function lastKnown(cacheDir: string, model: EndpointModel): Promise<EndpointPlace | null> {
  return (await readKnown(cacheDir))[nameOf(model)]?.at(-1) ?? null;
}

/**
 * Puts what answered on record and returns it as it is on record: the first of the same model, release and revision.
 */
export async function remember(cacheDir: string, model: EndpointModel, seen: EndpointPlace): Promise<EndpointPlace> {
  const known = await readKnown(cacheDir);
  const before = known[nameOf(model)] ?? [];
  const same = before.find(
    (each) =>
      each.version === seen.version && each.revision === seen.revision && sameModel(each.fingerprint, seen.fingerprint),
  );
  const kept = same === undefined ? seen : { ...same, bos: seen.bos, biasWorks: seen.biasWorks };
  const places = [...before.filter((each) => each !== same), kept];
  const text = JSON.stringify({ endpoints: { ...known, [nameOf(model)]: places } }, null, 2);
  await writeFileAtomic(path.join(cacheDir, 'endpoints.json'), `${text}\n`);
  return kept;
}

/** A fingerprint of another framing is of other prompts, so it has a record of its own. */
function nameOf({ endpoint: { api, url, model }, prompt, assistantPrefix = '' }: EndpointModel): string {
  return [api, url.replace(/\/+$/, ''), model, prompt, assistantPrefix].join(' ').trimEnd();
}

/** Nothing where the file is missing or no longer what it was: the servers are asked again then. */
async function readKnown(cacheDir: string): Promise<Readonly<Record<string, EndpointPlace[]>>> {
  try {
    return file.parse(JSON.parse(await readFile(path.join(cacheDir, 'endpoints.json'), 'utf8'))).endpoints;
  } catch {
    return {};
  }
}
