import { methodLabel } from '../../results/method-label.js';
import { formatFixed, formatPercent, formatSigned, formatSignificant, NOT_AVAILABLE } from '../text/format-number.js';
import type { ComparedMacro, ComparedRow, RunComparison } from './compare-runs.js';
import type { ComparedCell } from './compared-cell.js';
import { type InputGroup, inputGroups } from './input-groups.js';

/** A table of plain text; the last `text` columns are words, the ones before them numbers. */
export interface TextTable {
  readonly head: readonly string[];
  readonly rows: ReadonlyArray<readonly string[]>;
}

interface Column {
  readonly head: string;
  readonly cell: (row: ComparedRow) => string;
  /** Left out where no row needs it. */
  readonly needed: (row: ComparedRow) => boolean;
}

const always = () => true;

/** The given rows as cells; columns in which nothing differs are left out. `why` holds numbers of `inputGroups`. */
export function comparisonTable(comparison: RunComparison, rows: readonly ComparedRow[]): TextTable {
  const columns = columnsOf(inputGroups(comparison.inputs), rows).filter(({ needed }) => rows.some(needed));
  return { head: columns.map(({ head }) => head), rows: rows.map((row) => columns.map(({ cell }) => cell(row))) };
}

function columnsOf(groups: readonly InputGroup[], rows: readonly ComparedRow[]): Column[] {
  const differs = (text: (cell: ComparedCell) => string) => (row: ComparedRow) => text(row.a) !== text(row.b);
  const change = (head: string, text: (cell: ComparedCell) => string): Column => {
    const cell = ({ a, b }: ComparedRow) => (text(a) === text(b) ? text(a) : `${text(a)} → ${text(b)}`);
    return { head, cell, needed: differs(text) };
  };
  const reasons = ({ causes, unchanged }: ComparedRow) =>
    unchanged
      ? ''
      : groups.flatMap(({ inputs }, n) => (inputs.some((at) => causes.includes(at)) ? [n + 1] : [])).join(' ');
  return [
    { head: 'data set', cell: (row) => row.dataset, needed: always },
    { head: 'target', cell: (row) => row.target, needed: always },
    { head: 'method', cell: (row) => methodLabel(row.method, row.combinationSize), needed: always },
    { head: 'ECE A', cell: (row) => eceText(row.a), needed: always },
    { head: 'ECE B', cell: (row) => eceText(row.b), needed: always },
    { head: 'B - A', cell: differenceText, needed: always },
    change('temperature', temperatureText),
    change('references', referencesText),
    change('accuracy %', ({ accuracy }) => formatPercent(accuracy)),
    change('coverage %', ({ coverage }) => (coverage === null ? '-' : formatPercent(coverage))),
    change('examples', ({ labelledCount }) => String(labelledCount)),
    // Seeds that changed alike everywhere are among the inputs that differ.
    ...(sameSeeds(rows) ? [] : [change('seeds', seedsText)]),
    { head: 'why', cell: reasons, needed: (row) => reasons(row) !== '' },
  ];
}

/** Means over the targets of both runs, in the order of the runs. */
export function macroTable(macro: readonly ComparedMacro[]): TextTable {
  return {
    head: ['data set', 'method', 'targets', 'ECE A', 'ECE B', 'B - A'],
    rows: macro.map((row) => [
      row.dataset,
      methodLabel(row.method, row.combinationSize),
      String(row.targets),
      formatFixed(row.eceMeanPpA),
      formatFixed(row.eceMeanPpB),
      differenceText(row),
    ]),
  };
}

/** `+1.20 ± 0.31 (total at most 1.02)`; `~` before an SE that is not paired over seeds. */
function differenceText(
  row: Pick<ComparedRow, 'differencePp' | 'differenceSePp' | 'differenceTotalSePp' | 'commonResamples' | 'paired'>,
): string {
  if (row.differencePp === null) return NOT_AVAILABLE;
  const most = row.commonResamples ? '' : 'at most ';
  const total =
    row.paired && row.differenceTotalSePp !== null ? ` (total ${most}${formatFixed(row.differenceTotalSePp)})` : '';
  return `${formatSigned(row.differencePp, 2)} ±${row.paired ? '' : '~'} ${formatFixed(row.differenceSePp)}${total}`;
}

function eceText({ eceMeanPp, eceSePp }: ComparedCell): string {
  return eceMeanPp === null ? NOT_AVAILABLE : `${formatFixed(eceMeanPp)} ± ${formatFixed(eceSePp)}`;
}

function temperatureText({ temperature: { mean, finite, infinite, none } }: ComparedCell): string {
  if (finite + infinite === 0) return '-';
  const rest = infinite === 0 ? '' : `∞ in ${infinite} of ${finite + infinite + none}`;
  return mean === null ? rest : `${formatSignificant(mean)}${rest === '' ? '' : ` (${rest})`}`;
}

function seedsText({ seeds }: ComparedCell): string {
  return seeds.join(',') || 'none';
}

function sameSeeds(rows: readonly ComparedRow[]): boolean {
  return new Set(rows.map(({ a, b }) => `${seedsText(a)} ${seedsText(b)}`)).size <= 1;
}

/** The combination that most seeds chose. */
function referencesText({ references }: ComparedCell): string {
  const [most] = references;
  if (most === undefined) return '-';
  const seeds = references.reduce((sum, each) => sum + each.seeds, 0);
  return `${most.ids.join('+')}${most.seeds === seeds ? '' : ` (${most.seeds} of ${seeds})`}`;
}
