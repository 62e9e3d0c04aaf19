import type { z } from 'zod';
import { bestBranch, type Issue } from './check-schema.js';
import type { FieldPath } from './yaml-document.js';

/** One fault gone can show the next; no value nests them deeper than this. */
const ROUNDS = 20;

/**
 * What a schema makes of a value when everything that it refuses is taken out: unknown keys and wrong values go, and
 * what cannot be without them goes too. null: nothing is left. So a fault in one place does not hide those of others.
 */
export function withoutFaults<T extends z.ZodType>(schema: T, value: unknown): z.output<T> | null {
  const copy = structuredClone(value);
  for (let round = 0; round < ROUNDS; round++) {
    const result = schema.safeParse(copy);
    if (result.success) return result.data;
    const places = result.error.issues.flatMap((issue) => placesOf(issue, [])).map((place) => standing(copy, place));
    if (places.some((place) => place.length === 0)) return null;
    const unique = new Map(places.map((place) => [JSON.stringify(place), place]));
    // Later items of a list first, so that those before them keep their place.
    for (const place of [...unique.values()].sort(laterFirst)) remove(copy, place);
  }
  return null;
}

function placesOf(issue: Issue, parent: FieldPath): FieldPath[] {
  const path = [...parent, ...(issue.path as (string | number)[])];
  if (issue.code === 'invalid_union' && issue.errors.length > 0)
    return bestBranch(issue.errors).flatMap((inner) => placesOf(inner, path));
  return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...path, key]) : [path];
}

type Holder = Record<string | number, unknown>;

/** The path itself, or the path of what lacks a part of it where something is missing. */
function standing(root: unknown, path: FieldPath): FieldPath {
  let here = root;
  for (const [depth, step] of path.entries()) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return path.slice(0, depth);
    here = (here as Holder)[step];
  }
  return path;
}

function remove(root: unknown, path: FieldPath): void {
  let holder = root as Holder | undefined;
  for (const step of path.slice(0, -1)) holder = holder?.[step] as Holder | undefined;
  const last = path.at(-1);
  if (last === undefined) return;
  if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else if (holder !== undefined) delete holder[last];
}

/** Deeper places before what holds them. */
function laterFirst(a: FieldPath, b: FieldPath): number {
  for (let n = 0; n < Math.min(a.length, b.length); n++) {
    if (a[n] !== b[n]) return typeof a[n] === 'number' && typeof b[n] === 'number' ? Number(b[n]) - Number(a[n]) : 0;
  }
  return b.length - a.length;
}
