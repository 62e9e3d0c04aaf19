import { DataType, type Schema } from 'apache-arrow';

interface BatchHeader {
  readonly length: number;
  /** One per column, its children behind it. */
  readonly nodes: ReadonlyArray<{ readonly length: number }>;
}

/**
 * Holds the row count of a batch against that of every column: apache-arrow takes the former, and rows go missing
 * without an error where it is the smaller one.
 *
 * @param schema null where it is not known (yet): the first column alone is looked at
 * @throws Error with a plain reason
 */
export function checkRowCounts({ length, nodes }: BatchHeader, schema: Schema | null): void {
  const tops = schema === null ? [0] : topNodes(schema);
  const wrong = tops.map((at) => nodes[at]?.length ?? length).find((rows) => rows !== length);
  if (wrong !== undefined) throw new Error(`a batch says that it has ${length} rows, one of its columns has ${wrong}`);
}

/** Where in the list of nodes each column stands. */
function topNodes(schema: Schema): number[] {
  let next = 0;
  return schema.fields.map(({ type }) => {
    const at = next;
    next += nodesOf(type);
    return at;
  });
}

function nodesOf(type: DataType): number {
  // The values of a dictionary are in a message of their own.
  const children = DataType.isDictionary(type) ? [] : (type.children ?? []);
  return children.reduce((sum, child) => sum + nodesOf(child.type), 1);
}
