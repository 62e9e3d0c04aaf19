import { methodLabel } from '../../results/method-label.js';
import { formatSigned } from '../text/format-number.js';
import { count, whatIsMissing } from '../text/what-is-missing.js';
import type { ComparedRow, RowName, RunComparison } from './compare-runs.js';
import { comparisonTable, macroTable, type TextTable } from './comparison-table.js';
import type { InputDifference } from './input-differences.js';
import { inputGroups } from './input-groups.js';
import type { InspectedRun } from './run-inputs.js';

/** A run with the path that the user named it by. */
export interface ComparedRun extends InspectedRun {
  readonly name: string;
  /** Why its manifest.json cannot be used; null: it can, or there is none. */
  readonly manifestFault?: string | null;
}

/** A comparison as plain text for one of several renderers, which escape it. */
export interface ComparisonDocument {
  /** What A and B are. */
  readonly sides: readonly string[];
  readonly headline: string;
  /** What a reader must know before the numbers. */
  readonly notes: readonly string[];
  readonly rows: TextTable;
  /** Rows that the table leaves out, in words; null: none. */
  readonly hidden: string | null;
  readonly macro: TextTable;
  /** What only one of them has. */
  readonly onlyIn: readonly string[];
  /** Numbered as the column `why` counts them. */
  readonly inputs: readonly string[];
  readonly legend: string;
}

/** @param mostRows changed rows that are shown; Infinity also shows the rows that did not change */
export function comparisonDocument(
  a: ComparedRun,
  b: ComparedRun,
  comparison: RunComparison,
  mostRows: number,
): ComparisonDocument {
  const changed = comparison.rows.filter(({ unchanged }) => !unchanged);
  const shown = mostRows === Number.POSITIVE_INFINITY ? comparison.rows : changed.slice(0, mostRows);
  const left = changed.length - shown.length;
  return {
    sides: [sideText('A', a), sideText('B', b)],
    headline: headline(comparison, changed),
    notes: notes(a, b, comparison, changed.length > 0),
    rows: comparisonTable(comparison, shown),
    hidden: left > 0 ? `${left} more rows changed by less; --all shows every row, --json has them too` : null,
    macro: macroTable(shown.length > 0 ? comparison.macro : []),
    onlyIn: [...onlyText('A', comparison.onlyA, comparison.rows), ...onlyText('B', comparison.onlyB, comparison.rows)],
    inputs: inputGroups(comparison.inputs).map(({ text }) => text),
    legend:
      'ECE in pp, mean ± SE over splits; B - A above 0: B is worse. Its SE is over the differences seed by seed, on the same examples' +
      (shown.some(({ paired, differencePp }) => !paired && differencePp !== null)
        ? ', or, marked ~, of two independent means, since the seeds differ.'
        : '.') +
      totalLegend(shown.filter(({ paired, differenceTotalSePp }) => paired && differenceTotalSePp !== null)),
  };
}

function totalLegend(rows: readonly ComparedRow[]): string {
  if (rows.length === 0) return '';
  const bounds = rows.some(({ commonResamples }) => !commonResamples)
    ? '; at most: as of two runs on different examples, since not both kept resamples of the same ones'
    : '';
  return ` total: standard error over new examples and refits, of the differences resample by resample${bounds}.`;
}

/**
 * Changes of an ECE up to this, in percentage points, come from other kernels alone: the largest of the demo was 0.22
 * on another processor (bench/README.md). A card moved one of Auto by 0.39, the others by 0.28 (bench/gpu/README.md).
 */
const PROCESSOR_PP = 0.3;

/** One sentence: how many rows changed, by how much at most, and whether that is what another processor does. */
export function headline({ rows, inputs }: RunComparison, changed: readonly ComparedRow[]): string {
  const shared = `${count(rows.length, 'row')} in both runs`;
  if (changed.length === 0) return `${shared}, and every number is the same.`;
  const first = changed.find(({ differencePp }) => differencePp !== null);
  const lost = changed.filter(({ a, b }) => (a.eceMeanPp === null) !== (b.eceMeanPp === null)).length;
  const largest =
    first === undefined ? '' : `; the largest change is ${formatSigned(first.differencePp, 2)} pp (${nameText(first)})`;
  const gone = lost === 0 ? '' : `; ${lost} ${lost === 1 ? 'has' : 'have'} an ECE in one run only`;
  const small = changed.every(({ differencePp }) => differencePp !== null && Math.abs(differencePp) <= PROCESSOR_PP);
  const expected = small && inputs.every(isOfProcessor) ? ': as expected of another processor' : '';
  return `${shared}: ${changed.length} changed, ${rows.length - changed.length} as before${largest}${gone}${expected}.`;
}

/** What differs between two machines that score the same files in the same way. */
function isOfProcessor({ kind, field }: InputDifference): boolean {
  return kind === 'tool' || (kind === 'scores' && (field === 'stored scores' || field.startsWith('found.')));
}

function sideText(letter: string, { name, results, manifest }: ComparedRun): string {
  const { suite, createdAt, tool, status } = results;
  const command = manifest?.command ? `, supportcal ${manifest.command.join(' ')}` : '';
  return `${letter}  ${name}: suite ${suite}, ${createdAt}, supportcal ${tool.version}, ${status}${command}`;
}

function notes(a: ComparedRun, b: ComparedRun, { inputs }: RunComparison, anyChange: boolean): string[] {
  const rule = ['bins', 'binEdges', 'edgeRule'];
  const missing = (letter: string, { results }: ComparedRun) => {
    const what = whatIsMissing(results, (text) => text);
    return what === null ? [] : [`${letter} is a partial run: ${what}.`];
  };
  const noManifest = (letter: string, { manifest, manifestFault = null }: ComparedRun) =>
    manifest === null ? [manifestFault === null ? letter : `${letter} (${manifestFault})`] : [];
  const without = [...noManifest('A', a), ...noManifest('B', b)];
  return [
    ...(inputs.some(({ kind, field }) => kind === 'protocol' && rule.includes(field))
      ? ['The two runs do not measure ECE by the same rule: part of every difference comes from that alone.']
      : []),
    ...missing('A', a),
    ...missing('B', b),
    ...(without.length > 0
      ? [
          `There is no usable manifest.json of the run beside ${without.join(' and ')}: files and settings are not compared.`,
        ]
      : []),
    ...(anyChange && inputs.length === 0 && without.length === 0
      ? ['Numbers changed though no recorded input differs: look for a change of the program itself.']
      : []),
  ];
}

/** One line for a data set or target that the other run lacks as a whole, else one per target with its methods. */
function onlyText(letter: string, names: readonly RowName[], shared: readonly RowName[]): string[] {
  const groups = new Map<string, RowName[]>();
  for (const name of names) {
    const whole = !shared.some(({ dataset }) => dataset === name.dataset);
    const key = whole ? `data set ${name.dataset}` : `${name.dataset}, ${name.target}`;
    groups.set(key, [...(groups.get(key) ?? []), name]);
  }
  return [...groups].map(([key, group]) => {
    const [first] = group;
    const part = shared.some((row) => row.dataset === first?.dataset && row.target === first.target);
    const methods = group.map(({ method, combinationSize }) => methodLabel(method, combinationSize));
    return `only in ${letter}: ${key} (${part ? methods.join(', ') : count(group.length, 'row')})`;
  });
}

function nameText({ dataset, target, method, combinationSize }: RowName): string {
  return `${dataset}, ${target}, ${methodLabel(method, combinationSize)}`;
}
