import { formatFixed, formatPercent, formatSigned, NOT_AVAILABLE } from '../text/format-number.js';
import { noTemperatureText } from '../text/no-temperature-text.js';
import type { MacroCell, PaperCell, PaperRow, PaperTable } from './paper-table.js';
import { zip } from './zip.js';

export const INFINITE_MARK = '∞';
export const NO_FIT_MARK = '∅';

/** `4.52 ± 0.09`, `4.52 ± n/a` for one seed, `n/a` without an ECE. */
export function cellText(cell: Pick<PaperCell, 'meanPp' | 'sePp'>): string {
  return cell.meanPp === null ? NOT_AVAILABLE : `${formatFixed(cell.meanPp)} ± ${formatFixed(cell.sePp)}`;
}

export function macroText(cell: MacroCell): string {
  return formatFixed(cell.meanPp);
}

/** Marks that point to the footnotes: `∞` some seed without a finite temperature, `∅` some seed without a fit. */
export function cellMarks(cell: PaperCell): string {
  return (cell.infinite > 0 ? INFINITE_MARK : '') + (cell.none > 0 ? NO_FIT_MARK : '');
}

const SUSPECT_MARK = '(!)';

/** Behind the name of a target whose numbers mean little. */
export function suspectMark({ suspect }: Pick<PaperRow, 'suspect'>): string {
  return suspect ? ` ${SUSPECT_MARK}` : '';
}

/** `45.2 → 61.3 (+16.1)`: accuracy of own base and target in %, gain in pp. */
export function accuracyText(row: PaperRow): string {
  if (row.ownBaseAccuracy === null && row.accuracy === null) return NOT_AVAILABLE;
  return `${formatPercent(row.ownBaseAccuracy)} → ${formatPercent(row.accuracy)} (${formatSigned(row.gainPp)})`;
}

/** What is marked as best, and where nothing is. */
export function markNote({ told, rows }: PaperTable): string {
  if (told.apart.length + told.alike.length === 0)
    return 'No method is marked: none was tested against another (no bootstrap, or fewer than two methods on the same examples).';
  const all = rows.length + 1;
  const where = (names: readonly string[]) => (names.length === all ? 'this table' : names.join(', '));
  return [
    told.apart.length === 0
      ? null
      : 'Marked alike: the label-free methods that cannot be told from the best of their row (multiple comparisons with the best, level 0.05, total standard error).',
    told.alike.length === 0 ? null : `Nothing can be told apart, and nothing is marked, in ${where(told.alike)}.`,
    told.untested.length === 0 ? null : `Not tested: ${where(told.untested)}.`,
  ]
    .filter((part) => part !== null)
    .join(' ');
}

/** What the marks stand for and which cells have fewer seeds or targets behind them than the others. */
export function footnotes(table: PaperTable): string[] {
  const cells = table.rows.flatMap((row) =>
    zip(row.cells, table.columns).map(([cell, { label }]) => ({ cell, name: `${row.target} · ${label}` })),
  );
  const infinite = cells.filter(({ cell }) => cell.infinite > 0);
  const none = cells.filter(({ cell }) => cell.none > 0);
  const fewer = cells.filter(({ cell }) => cell.runs > 0 && cell.seeds < table.seeds);
  const macro = zip(table.macro, table.columns)
    .map(([cell, { label }]) => ({ cell, label }))
    .filter(({ cell }) => cell.targets < table.rows.length);
  const suspects = table.rows.filter(({ suspect }) => suspect).map(({ target }) => target);
  return [
    note(
      `${SUSPECT_MARK} numbers that mean little, of the target or its own base; why stands beside the table`,
      suspects,
    ),
    note(
      `${INFINITE_MARK} no finite temperature in some seeds (confidence is 1/K there)`,
      infinite.map(({ cell, name }) => `${name} ${INFINITE_MARK} ${cell.infinite}/${cell.runs}`),
    ),
    note(
      `${NO_FIT_MARK} no temperature in some seeds (no ECE there)`,
      none.map(({ cell, name }) => `${name} ${NO_FIT_MARK} ${cell.none}/${cell.runs} (${reasonsText(cell)})`),
    ),
    ...(table.rows.every(({ accuracy }) => accuracy === null)
      ? ['No accuracy and no ECE: no evaluation example has a label. The temperatures are in results.json.']
      : [
          note(
            'Seeds with an ECE',
            fewer.map(({ cell, name }) => `${name} ${cell.seeds} of ${table.seeds}`),
          ),
          note(
            'Macro average over fewer targets than the table has',
            macro.map(({ cell, label }) => `${label} ${cell.targets} of ${table.rows.length}`),
          ),
        ]),
  ].filter((line) => line !== null);
}

function reasonsText({ reasons }: PaperCell): string {
  return reasons.map(noTemperatureText).join('; ');
}

function note(what: string, where: readonly string[]): string | null {
  return where.length === 0 ? null : `${what}: ${where.join(', ')}.`;
}
