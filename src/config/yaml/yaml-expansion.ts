import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type ParsedNode, visit } from 'yaml';
import { type Fault, SupportCalError } from '../../errors/supportcal-error.js';
import { MAX_DEPTH } from './yaml-tokens.js';

/**
 * Nodes after all aliases are expanded. Limits what a small hostile file can grow into, not how often a name is used.
 */
const MAX_EXPANDED_NODES = 200_000;
/**
 * Aliases times values: the package looks for the anchor of every alias anew. 500 uses in a file of 100,000 values
 * pass.
 */
const MAX_LOOKUPS = 50_000_000;

/**
 * Counts nodes as if every alias were written out; finds cycles, bombs and absurd nesting before anything is expanded.
 */
export function expansionFaults(root: ParsedNode | null, file: string, at: (offset?: number) => object): Fault[] {
  const anchors = new Map<string, Node>();
  const sizes = new Map<Node, number>();
  const open = new Set<Node>();
  let [values, aliases] = [0, 0];
  const fault = (node: Node, message: string): never => {
    throw new SupportCalError('bad-input', { file, ...at(node.range?.[0]), message });
  };
  const sizeOf = (node: Node | null | undefined, depth: number): number => {
    if (node == null) return 1;
    values++;
    if (depth > MAX_DEPTH) fault(node, `nested deeper than ${MAX_DEPTH} levels`);
    if (isAlias(node)) {
      aliases++;
      if (aliases * values > MAX_LOOKUPS)
        fault(node, `${aliases} aliases among ${values} values take too long to follow; write fewer of either`);
      const source = anchors.get(node.source);
      if (source === undefined) return fault(node, `no anchor &${node.source} stands before this alias`);
      if (open.has(source)) fault(node, `the alias *${node.source} contains itself`);
      return sizes.get(source) ?? 1;
    }
    if ('anchor' in node && node.anchor) anchors.set(node.anchor, node);
    open.add(node);
    let size = 1;
    if (isMap(node)) {
      for (const pair of node.items)
        size += sizeOf(pair.key as Node, depth + 1) + sizeOf(pair.value as Node, depth + 1);
    } else if (isSeq(node)) {
      for (const item of node.items) size += sizeOf(item as Node, depth + 1);
    }
    open.delete(node);
    if (size > MAX_EXPANDED_NODES) {
      fault(node, `aliases expand to more than ${MAX_EXPANDED_NODES} values; write fewer nested aliases`);
    }
    sizes.set(node, size);
    return size;
  };
  try {
    sizeOf(root, 0);
    return [];
  } catch (error) {
    if (error instanceof SupportCalError) return [...error.faults];
    throw error;
  }
}

/** Where the first merge key stands whose value is no map, alias of a map, or list of those. */
export function mergeOffset(document: Document.Parsed): number | undefined {
  let offset: number | undefined;
  const isSource = (node: unknown) => isMap(node) || (isAlias(node) && isMap(node.resolve(document)));
  visit(document, {
    Pair(_, { key, value }) {
      if (!isScalar(key) || key.source !== '<<') return;
      if ((isSeq(value) ? value.items : [value]).every(isSource)) return;
      offset ??= key.range?.[0];
    },
  });
  return offset;
}
