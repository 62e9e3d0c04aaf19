import type { ListedEntry } from '../../cache/list-entries.js';
import { textTable } from '../terminal/text-table.js';

/** A table of entries, the reasons of the damaged ones and the sums below it. */
export function describeEntries(entries: readonly ListedEntry[], cacheDir: string, now: number): string[] {
  if (entries.length === 0) return [`no entries in ${cacheDir}`];
  const rows = entries.map((entry) => {
    const { model, dataset, variant, asked, from } = origin(entry);
    const failed = entry.failed === null ? '?' : String(entry.failed);
    return [
      model ?? entry.name,
      dataset ?? '?',
      variant ?? '-',
      asked ?? '-',
      from ?? '?',
      entry.state,
      String(entry.rows),
      failed,
      sizeText(entry.bytes),
      ageText(now - entry.changedAt),
    ];
  });
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  return [
    ...textTable(['model', 'data set', 'variant', 'asked', 'from', 'state', 'rows', 'failed', 'size', 'age'], rows),
    ...entries.flatMap(({ damaged }) => damaged.map(({ file, reason }) => `damaged: ${file}: ${reason}`)),
    `${entries.length} entries, ${entries.reduce((sum, { rows }) => sum + rows, 0)} rows, ${sizeText(bytes)} in ${cacheDir}`,
  ];
}

/** An entry as --json prints it. */
export function entryJson(entry: ListedEntry, now: number) {
  const { name, state, damaged, rows, failed, bytes, changedAt } = entry;
  return {
    name,
    ...origin(entry),
    state,
    rows,
    failed,
    bytes,
    changedAt: new Date(changedAt).toISOString(),
    ageSeconds: Math.max(0, Math.round((now - changedAt) / 1000)),
    damaged,
  };
}

/** `asked`: letter, text, rotations, elicitation, ...; `from`: the backend that scored it, or "import". */
function origin({ key }: ListedEntry) {
  const variant = key?.kind === 'scored' ? key.variant : null;
  const asked = (key?.kind === 'scored' ? key.scoringMode.split(' ')[0] : key?.asked) ?? null;
  const from = key === null ? null : key.kind === 'imported' ? 'import' : key.backend;
  return { model: key?.model ?? null, dataset: key?.dataset ?? null, variant, asked, from };
}

/** 1536 -> `1.5 KiB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const power = Math.min(4, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(1)} ${'KMGT'[power - 1]}iB`;
}

/** 7200000 -> `2 h`. */
function ageText(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds / 1000);
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}
