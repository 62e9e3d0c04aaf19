import { z } from 'zod';
import { isClose, nearest, nearestName } from '../../errors/nearest.js';
import { type Fault, SupportCalError } from '../../errors/supportcal-error.js';
import type { FieldPath, YamlDocument } from './yaml-document.js';

/** Checks a parsed YAML file against a schema; throws `bad-input` with one positioned fault per problem. */
export function checkSchema<T extends z.ZodType>(schema: T, document: YamlDocument): z.output<T> {
  const result = schema.safeParse(document.value);
  if (result.success) return result.data;
  throw new SupportCalError('bad-input', schemaFaults(result.error, schema, document));
}

/** Checks without throwing: what the file holds, or null and one positioned fault per problem. */
export function tryMatch<T extends z.ZodType>(
  schema: T,
  document: YamlDocument,
): { readonly data: z.output<T> | null; readonly faults: Fault[] } {
  const result = schema.safeParse(document.value);
  if (result.success) return { data: result.data, faults: [] };
  return { data: null, faults: schemaFaults(result.error, schema, document) };
}

function schemaFaults(error: z.ZodError, schema: z.ZodType, document: YamlDocument): Fault[] {
  return error.issues.flatMap((issue) => faultsOf(issue, [], schema, document));
}

export type Issue = z.core.$ZodIssue;

function faultsOf(issue: Issue, parent: FieldPath, schema: z.ZodType, document: YamlDocument): Fault[] {
  const path = [...parent, ...(issue.path as (string | number)[])];
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    return bestBranch(issue.errors).flatMap((inner) => faultsOf(inner, path, schema, document));
  }
  if (issue.code === 'unrecognized_keys') {
    const shapes = shapesAt(schema, path);
    return issue.keys.map((key) => fault(document, [...path, key], `unknown key "${key}"${advice(key, shapes)}`));
  }
  const value = valueAt(document.value, path);
  const quote =
    issue.code === 'invalid_type' && issue.expected === 'string' && ['boolean', 'number'].includes(typeof value)
      ? `; write it in quotes: "${document.typed(path) ?? String(value)}"`
      : '';
  const came = value === undefined ? ' (it is missing)' : ` (found ${JSON.stringify(value)?.slice(0, 60)})`;
  return [
    fault(
      document,
      path,
      lowerFirst(issue.message.replace(/^Invalid input: /, '')) + came + quote + hint(issue, value),
    ),
  ];
}

/** How one value becomes a list, and the word that a misspelt one is nearest to. */
function hint(issue: Issue, value: unknown): string {
  if (issue.code === 'invalid_type' && issue.expected === 'array' && ['string', 'number'].includes(typeof value))
    return `; write a list: [${value}]`;
  if (issue.code !== 'invalid_value' || typeof value !== 'string') return '';
  const found = nearestName(value, issue.values.map(String));
  return found !== null && isClose(value, found.edits) ? `; did you mean "${found.best}"?` : '';
}

/** The branch of a union that got furthest: most likely the one the user meant. */
export function bestBranch(branches: Issue[][]): Issue[] {
  const depth = (issues: Issue[]) =>
    Math.max(...issues.map((issue) => issue.path.length + (issue.code === 'unrecognized_keys' ? 1 : 0)));
  const deepest = [...branches].sort((a, b) => depth(b) - depth(a) || a.length - b.length);
  return deepest[0] ?? [];
}

function fault(document: YamlDocument, path: FieldPath, message: string): Fault {
  return { file: document.file, ...document.locate(path), field: path.join('.'), message };
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function valueAt(value: unknown, path: FieldPath): unknown {
  let here = value;
  for (const step of path) here = (here as Record<string | number, unknown> | undefined | null)?.[step];
  return here;
}

/** The nearest known key; where that is one of a block below, its place. */
function advice(key: string, shapes: readonly z.ZodObject[]): string {
  const known = [...new Set(shapes.flatMap(({ shape }) => Object.keys(shape)))];
  const own = nearestName(key, known);
  if (own !== null && isClose(key, own.edits)) return nearest(key, known);
  const below = shapes.flatMap(({ shape }) =>
    Object.entries(shape).flatMap(([block, inner]) =>
      shapesAt(inner as z.ZodType, []).flatMap((each) => Object.keys(each.shape).map((name) => ({ block, name }))),
    ),
  );
  const inner = nearestName(
    key,
    below.map(({ name }) => name),
  );
  if (inner === null || inner.edits > 2) return nearest(key, known);
  const block = below.find((each) => each.name === inner.best)?.block;
  return `; did you mean "${inner.best}" of the block \`${block}:\`? Known: ${known.join(', ')}`;
}

/** What the schema says of maps at a path, through optionals, defaults, arrays, records and unions. */
function shapesAt(schema: z.ZodType, path: FieldPath): z.ZodObject[] {
  let reached: z.ZodType[] = unwrap(schema);
  for (const step of path) {
    reached = reached.flatMap((each) => {
      if (each instanceof z.ZodObject) return each.shape[step] ? unwrap(each.shape[step] as z.ZodType) : [];
      if (each instanceof z.ZodArray) return unwrap(each.element as z.ZodType);
      if (each instanceof z.ZodRecord) return unwrap(each.valueType as z.ZodType);
      return [];
    });
  }
  return reached.filter((each) => each instanceof z.ZodObject);
}

function unwrap(schema: z.ZodType): z.ZodType[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) {
    return unwrap(schema.unwrap() as z.ZodType);
  }
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => unwrap(option as z.ZodType));
  return [schema];
}
