import { Composer, type Document, isMap, isScalar, isSeq, LineCounter, type Node, type ParsedNode, visit } from 'yaml';
import { type Fault, SupportCalError } from '../../errors/supportcal-error.js';
import { expansionFaults, mergeOffset } from './yaml-expansion.js';
import { yamlTokens } from './yaml-tokens.js';

export type FieldPath = ReadonlyArray<string | number>;

/** A parsed YAML file: plain data, and where each field stands. */
export interface YamlDocument {
  readonly file: string;
  readonly value: unknown;
  /** 1-based position of the field, or of its nearest ancestor that is written in the file. */
  locate(path: FieldPath): { line?: number; column?: number };
  /** A plain value as it was typed (`0123`, `1.10`); undefined where it is none. */
  typed(path: FieldPath): string | undefined;
}

const MAX_FAULTS = 50;

/**
 * Parses YAML 1.2 strictly: one document, no `%YAML` directive (it would silently turn `no` into false), no
 * duplicate keys, no unknown tags, no alias cycles or bombs, no `__proto__` keys. Merge keys (`<<`) work.
 * Throws `bad-input` with every fault of the file and its line and column.
 */
export function parseYaml(text: string, file: string): YamlDocument {
  const lines = new LineCounter();
  const at = (offset: number | undefined) => {
    if (offset === undefined) return {};
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const { tokens, refused } = yamlTokens(text, lines.addNewLine);
  if (refused !== null)
    throw new SupportCalError('bad-input', { file, ...at(refused.offset), message: refused.message });
  const composer = new Composer({ version: '1.2', merge: true, uniqueKeys: false, prettyErrors: false });
  const documents = [...composer.compose(tokens)];
  if (documents[0]?.contents == null && documents.every(({ errors }) => errors.length === 0)) {
    throw new SupportCalError('bad-input', {
      file,
      line: 1,
      column: 1,
      message: 'the file is empty; expected YAML with keys and values',
    });
  }
  const [document, second] = documents;
  if (document === undefined) throw new Error('text without a document, which is no fault of it');
  const faults: Fault[] = documents
    .flatMap((each) => [...each.errors, ...each.warnings])
    .map((problem) => ({ file, ...at(problem.pos[0]), message: problem.message }));
  if (second !== undefined) {
    faults.push({
      file,
      ...at(second.range[0]),
      message: 'a second YAML document starts here; expected one per file',
    });
  }
  const directive = /^%YAML.*$/m.exec(text);
  if (directive) {
    faults.push({
      file,
      ...at(directive.index),
      message:
        `remove the line "${directive[0].slice(0, 40)}": files are YAML 1.2, ` +
        `where yes, no and 0123 keep their meaning`,
    });
  }
  visit(document, {
    Map(_, { items }) {
      for (const { offset, key } of repeatedKeys(items)) {
        const message = `the key ${key} stands twice here; keys must be unique, remove one of the two`;
        faults.push({ file, ...at(offset), message });
      }
    },
    Pair(_, pair) {
      if (isScalar(pair.key) && pair.key.value === '__proto__') {
        faults.push({ file, ...at(pair.key.range?.[0]), message: 'the key __proto__ is not allowed' });
      }
      const binary = isScalar(pair.key) && typeof pair.key.value === 'object' && pair.key.value !== null;
      if (!isScalar(pair.key) || binary) {
        const start = (pair.key as Node | null)?.range?.[0];
        faults.push({
          file,
          ...at(start),
          message: 'a key must be plain text, found a list, a map, an alias or bytes',
        });
      }
    },
  });
  if (faults.length === 0) faults.push(...expansionFaults(document.contents, file, at));
  if (faults.length > 0) throw new SupportCalError('bad-input', shortened(faults));
  return {
    file,
    value: plainData(document, file, at),
    locate: (path) => at(offsetOf(document.contents, path)),
    typed: (path) => {
      const node = document.getIn(path, true);
      return isScalar(node) ? node.source : undefined;
    },
  };
}

/** A broken line makes more faults than anyone reads. */
function shortened(faults: readonly Fault[]): Fault[] {
  const more = faults.length - MAX_FAULTS;
  const rest = more > 0 ? [{ file: faults[0]?.file, message: `and ${more} more faults` }] : [];
  return [...faults.slice(0, MAX_FAULTS), ...rest];
}

/** What is left to fail here are merge keys (`<<`) of something that is no map. */
function plainData(document: Document.Parsed, file: string, at: (offset?: number) => object): unknown {
  try {
    return document.toJS({ maxAliasCount: -1 });
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new SupportCalError('bad-input', { file, ...at(mergeOffset(document)), message }, { cause });
  }
}

/** The package compares every key with every other: 200,000 keys in a map of a small file would take it minutes. */
function* repeatedKeys(items: ReadonlyArray<{ readonly key: unknown }>) {
  const seen = new Set<string>();
  for (const { key } of items) {
    // A merge key is a symbol, and may stand twice.
    if (!isScalar(key) || typeof key.value === 'symbol') continue;
    const text = String(key.value);
    if (seen.has(text)) yield { offset: key.range?.[0], key: text };
    seen.add(text);
  }
}

function offsetOf(root: ParsedNode | null, path: FieldPath): number | undefined {
  let node: Node | null | undefined = root;
  let offset = root?.range?.[0];
  for (const step of path) {
    if (isMap(node)) {
      const pair: (typeof node.items)[number] | undefined = node.items.find(
        (item) => isScalar(item.key) && String(item.key.value) === String(step),
      );
      if (!pair) break;
      offset = (pair.key as Node).range?.[0] ?? offset;
      node = pair.value as Node | null;
    } else if (isSeq(node)) {
      const item = node.items[Number(step)] as Node | undefined;
      if (!item) break;
      offset = item.range?.[0] ?? offset;
      node = item;
    } else break;
  }
  return offset;
}
