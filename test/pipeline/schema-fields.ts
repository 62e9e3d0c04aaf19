import { z } from 'zod';

/**
 * The dotted paths of all fields of a schema, however deep: `*` is any key of a map, `[]` an element of a list. What
 * may be written as one value or as an object has its own path and those of the object.
 */
export function schemaFields(schema: z.ZodType, path = ''): string[] {
  const inner = (next: unknown, at: string) => schemaFields(next as z.ZodType, at);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)
    return inner(schema.unwrap(), path);
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).flatMap(([key, value]) => inner(value, path === '' ? key : `${path}.${key}`));
  }
  if (schema instanceof z.ZodRecord) return inner(schema.valueType, `${path}.*`);
  if (schema instanceof z.ZodArray) {
    const nested = inner(schema.element, `${path}[]`);
    return nested.length === 1 && nested[0] === `${path}[]` ? [path] : nested;
  }
  if (schema instanceof z.ZodUnion) return [...new Set(schema.options.flatMap((option) => inner(option, path)))];
  return [path];
}
