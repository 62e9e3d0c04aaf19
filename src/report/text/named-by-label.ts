/** Fields of the documents of a run that hold the id of a model, or a list of them. */
const FIELDS: ReadonlySet<string> = new Set(['target', 'model', 'ownBase', 'references', 'selectedReferences']);

/**
 * A document of a run with the labels of models in place of their ids, for readers; files for programs keep the ids.
 * The same object where no model has a label.
 */
export function namedByLabel<T>(document: T, labels: Readonly<Record<string, string>> | undefined): T {
  if (labels === undefined) return document;
  const named = (id: unknown) => (typeof id === 'string' && Object.hasOwn(labels, id) ? labels[id] : walk(id));
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
    const entries = Object.entries(value).map(([field, each]) => {
      if (!FIELDS.has(field)) return [field, walk(each)];
      return [field, Array.isArray(each) ? each.map(named) : named(each)];
    });
    return Object.fromEntries(entries);
  };
  return walk(document) as T;
}
