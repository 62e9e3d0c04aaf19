import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { readImportedLogits } from '../../../src/datasets/logits/read-imported-logits.js';
import { type FuzzTarget, WrongRow } from '../fuzz-case.js';
import { mutateText } from '../mutate-text.js';
import { mutateValue } from '../mutate-value.js';
import { simpleCsv, simpleJsonl } from '../simple-parsers.js';

const ROWS = Array.from({ length: 8 }, (_, n) => ({
  id: n % 2 === 0 ? `q${n}` : n,
  logits: [0.5 * n, -1.25e-3, 12, -300].slice(0, 2 + (n % 3)),
  label: n === 3 ? null : n % 2,
}));
const TABLE = [
  ['id', 'logit_0', 'logit_1', 'logit_2', 'label'],
  ...ROWS.map(({ id, logits, label }) => [id, logits[0], logits[1], logits[2] ?? '', label ?? '']),
];

/** Imported logits in JSON Lines or CSV; what was accepted is compared number by number. */
export const importedLogits: FuzzTarget = {
  name: 'imported logits',
  async run(random, folder) {
    const csv = random.chance(0.5);
    const text = csv ? csvText(mutateValue(TABLE, random)) : jsonlText(mutateValue(ROWS, random));
    const bytes = random.chance(0.6) ? mutateText(text, random) : Buffer.from(text);
    const file = path.join(folder, csv ? 'logits.csv' : 'logits.jsonl');
    writeFileSync(file, bytes);
    const { rows, labels } = await readImportedLogits(file, { unit: 'logits' });
    const meant = csv ? csvMeaning(bytes) : jsonlMeaning(bytes);
    if (rows.length !== meant.length) throw new WrongRow(`${rows.length} rows for ${meant.length}`);
    rows.forEach((row, n) => {
      const { id, logits, label } = meant[n]!;
      if (/^\d{16,}$/.test(id)) return;
      const finite = logits.every(Number.isFinite);
      const same = finite
        ? row.status === 'ok' && logits.every((z, k) => z === row.logits[k])
        : row.status === 'failed';
      const whole = row.status !== 'ok' || row.logits.length === logits.length;
      if (row.id !== id || !same || !whole || labels[n] !== label)
        throw new WrongRow(`${JSON.stringify(meant[n])} read as ${JSON.stringify([row, labels[n]])}`);
    });
    return 'accepted';
  },
};

interface Meaning {
  readonly id: string;
  readonly logits: readonly number[];
  readonly label: number | null;
}

function jsonlMeaning(bytes: Buffer): Meaning[] {
  return simpleJsonl(bytes).map(({ id, logits, label }) => {
    const list = typeof logits === 'string' ? JSON.parse(logits) : logits;
    return { id: String(id), logits: (list as unknown[]).map(numberOf), label: labelOf(label) };
  });
}

function csvMeaning(bytes: Buffer): Meaning[] {
  const [header, ...rows] = simpleCsv(bytes);
  return rows.map((row) => {
    const of = (name: string) => row[header!.indexOf(name)];
    const list = of('logits');
    if (list !== undefined)
      return { id: of('id')!, logits: (JSON.parse(list) as unknown[]).map(numberOf), label: labelOf(of('label')) };
    const columns = header!.flatMap((name, c) => {
      const number = /^(?:logit|logits|z)[_.\-[ ]?(\d+)\]?$/i.exec(name)?.[1];
      return number === undefined ? [] : [{ number: Number(number), c }];
    });
    const cells = columns.sort((a, b) => a.number - b.number).map(({ c }) => row[c]!.trim());
    while (cells.at(-1) === '') cells.pop();
    return {
      id: of('id')!,
      logits: cells.map((cell) => (cell === '' ? Number.NaN : numberOf(cell))),
      label: labelOf(of('label')),
    };
  });
}

function numberOf(value: unknown): number {
  if (value === null) return Number.NaN;
  const text = String(value)
    .trim()
    .toLowerCase()
    .replace(/^([+-]?)inf(inity)?$/, '$1Infinity');
  return Number(text);
}

function labelOf(value: unknown): number | null {
  return value === undefined || value === null || String(value).trim() === '' || Number(value) === -1
    ? null
    : Number(value);
}

function jsonlText(rows: readonly unknown[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

function csvText(table: readonly unknown[]): string {
  return table
    .map((row) => {
      const cells = (Array.isArray(row) ? row : [row]).map((cell) =>
        typeof cell === 'object' ? JSON.stringify(cell) : String(cell),
      );
      return `${cells.map((cell) => (/[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\n`;
    })
    .join('');
}
