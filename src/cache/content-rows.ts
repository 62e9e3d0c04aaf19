import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ScoredRow } from '../contract/scored-row.js';
import type { ModelFacts } from '../contract/scorer.js';
import { contentHash } from '../files/content-hash.js';
import { writeFileAtomic } from '../files/write-file-atomic.js';
import { rowOf } from '../numeric/ragged-rows.js';
import type { EntryKey } from './key/entry-key.js';
import { type Manifest, parseManifest } from './key/manifest.js';
import type { DamagedFile } from './list-entries.js';
import { readComplete } from './read-entry.js';

/** What decides the scores of the rows of an entry, row by row. */
export interface RowContents {
  /** Hash of everything in the entry's key but the data set and its prompts. */
  readonly rest: string;
  /** Hash of what the rows share in their evaluation: tokens that are kept from row to row follow from it. */
  readonly sharing: string;
  /** What lists of rows that an earlier version wrote may have in its place; absent: nothing else. */
  readonly sharedPair?: string;
  /** Hash of all that is asked in a row, by the row's id. */
  readonly byId: ReadonlyMap<string, string>;
}

/** Rows of another entry that are asked the same, of the same model, in the same way. */
export interface EarlierRows {
  /** Name of that entry. */
  readonly entry: string;
  /** Ids of the rows as they are called now. */
  readonly ids: readonly string[];
  /** Reads and verifies that entry; null: it cannot be used after all. */
  read(): Promise<{ readonly rows: readonly ScoredRow[]; readonly facts: ModelFacts } | null>;
}

/**
 * `<name>.rows` beside a complete entry. Without it, or when it is damaged, the rows are found by nobody else:
 * `checkContentRows` says so.
 */
interface ContentFile {
  readonly schemaVersion: 1;
  readonly entry: string;
  /** Checksum of the Arrow file whose rows these are. */
  readonly table: string;
  readonly rest: string;
  readonly sharing: string;
  /** In the order of the table. */
  readonly rows: readonly string[];
}

/** Writes down what the rows of a complete entry were asked, so that another version of the data set can find them. */
export async function writeContentRows(
  cacheDir: string,
  manifest: Manifest,
  ids: readonly string[],
  { rest, sharing, byId }: RowContents,
): Promise<void> {
  const rows = ids.map((id) => byId.get(id) ?? '');
  const content: ContentFile = {
    schemaVersion: 1,
    entry: manifest.name,
    table: manifest.checksum,
    rest,
    sharing,
    rows,
  };
  const text = `${JSON.stringify({ ...content, checksum: contentHash(content) })}\n`;
  await writeFileAtomic(join(cacheDir, `${manifest.name}.rows`), text);
}

/** The complete entry with most rows in common with a new one; null: there is none. Changes nothing. */
export async function findEarlierRows(
  cacheDir: string,
  key: EntryKey,
  contents: RowContents,
): Promise<EarlierRows | null> {
  const prefix = key.name.slice(0, -HASH_DIGITS);
  const names = (await readdir(cacheDir).catch(() => [])).filter(
    (name) => name.startsWith(prefix) && ROWS_FILE.test(name.slice(prefix.length)),
  );
  let best: EarlierRows | null = null;
  for (const fileName of names.sort()) {
    const name = fileName.slice(0, -'.rows'.length);
    if (name === key.name) continue;
    const earlier = await earlierRows(cacheDir, name, contents);
    if (earlier !== null && earlier.ids.length > (best?.ids.length ?? 0)) best = earlier;
  }
  return best;
}

/** Reads every list of rows of a cache folder and names those that are damaged. */
export async function checkContentRows(cacheDir: string): Promise<readonly DamagedFile[]> {
  const names = (await readdir(cacheDir).catch(() => [])).filter((name) => name.endsWith('.rows')).sort();
  const damaged: DamagedFile[] = [];
  for (const fileName of names) {
    if ((await readContentFile(cacheDir, fileName.slice(0, -'.rows'.length))) !== null) continue;
    damaged.push({ file: join(cacheDir, fileName), reason: 'the list of its rows has not its checksum' });
  }
  return damaged;
}

const HASH_DIGITS = 12;
const ROWS_FILE = /^[0-9a-f]{12}\.rows$/;

async function earlierRows(cacheDir: string, name: string, contents: RowContents): Promise<EarlierRows | null> {
  const file = await readContentFile(cacheDir, name);
  const { rest, sharing, sharedPair } = contents;
  if (file === null || file.rest !== rest || ![sharing, sharedPair].includes(file.sharing)) return null;
  const manifestFile = join(cacheDir, `${name}.json`);
  const text = await readFile(manifestFile, 'utf8').catch(() => '');
  if (!standsAlone(manifestOf(text), file)) return null;
  const rowOfContent = new Map(file.rows.map((hash, n) => [hash, n]));
  const pairs = [...contents.byId].flatMap(([id, hash]): [string, number][] => {
    const row = rowOfContent.get(hash);
    return row === undefined ? [] : [[id, row]];
  });
  return {
    entry: name,
    ids: pairs.map(([id]) => id),
    async read() {
      const state = await readComplete(manifestFile, text, null);
      if (state.kind !== 'complete' || state.table.ids.length !== file.rows.length) return null;
      const { table, manifest } = state;
      const rows = pairs.flatMap(([id, n]): ScoredRow[] => {
        // A failure may be one of that run, such as a context that was too small.
        if (table.status[n] !== 1) return [];
        const [logZ = Number.NaN, optionMass = Number.NaN] = [table.logZ[n], table.optionMass[n]];
        return [
          {
            status: 'ok',
            id,
            logits: rowOf(table.logits, n),
            logZ,
            optionMass,
            promptTokens: table.promptTokens[n] ?? 0,
          },
        ];
      });
      return { rows, facts: manifest.facts as ModelFacts };
    },
  };
}

/**
 * Whether the rows of an entry depend on no other row, as its run found out: on a CPU, with the same bits alone and in
 * company.
 */
function standsAlone(manifest: Manifest | null, { table }: ContentFile): boolean {
  if (manifest === null || manifest.checksum !== table) return false;
  const { backend, selfCheck } = (manifest.facts ?? {}) as Partial<ModelFacts>;
  return backend === 'cpu' && selfCheck?.tolerance === 0 && selfCheck.maxDifference === 0;
}

function manifestOf(text: string): Manifest | null {
  try {
    return parseManifest(text);
  } catch {
    return null;
  }
}

async function readContentFile(cacheDir: string, name: string): Promise<ContentFile | null> {
  try {
    const { checksum, ...content } = JSON.parse(await readFile(join(cacheDir, `${name}.rows`), 'utf8'));
    const sound = contentHash(content) === checksum && content.schemaVersion === 1 && content.entry === name;
    return sound && Array.isArray(content.rows) ? content : null;
  } catch {
    return null;
  }
}
