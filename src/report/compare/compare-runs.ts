import { groupBy } from '../../contract/group-by.js';
import { mean, standardError } from '../../numeric/mean.js';
import type { Results } from '../../results/results-schema.js';
import type { RunResult } from '../../results/run-schema.js';
import { type CellResamples, commonError } from './common-resamples.js';
import { type CellRuns, type ComparedCell, comparedCell, ecesOf, type SeedEces } from './compared-cell.js';
import { type InputDifference, inputDifferences } from './input-differences.js';
import { type InspectedRun, YAML } from './run-inputs.js';

export interface ComparedRow {
  readonly dataset: string;
  readonly target: string;
  readonly method: string;
  readonly combinationSize: number | null;
  readonly a: ComparedCell;
  readonly b: ComparedCell;
  /** ECE of b less ECE of a in percentage points: above 0, b is worse. null where one of them has none. */
  readonly differencePp: number | null;
  /**
   * Over the differences seed by seed when `paired`, so over splits of the same examples; else sqrt(SE_a^2 + SE_b^2),
   * see `differenceTotalSePp`. null below two seeds.
   */
  readonly differenceSePp: number | null;
  /**
   * Total standard error, over new examples and refits. Where both runs drew the same examples in their resamples, of
   * the differences resample by resample. Else sqrt(SE_a^2 + SE_b^2): what it is for runs on different examples, and at
   * most about that for runs on the same ones, whose errors rise and fall together. null where it is not known.
   */
  readonly differenceTotalSePp: number | null;
  /** Whether `differenceTotalSePp` is of common resamples. */
  readonly commonResamples: boolean;
  /** Whether both have an ECE for the same seeds. */
  readonly paired: boolean;
  /** Whether every number of the row is the same in both. */
  readonly unchanged: boolean;
  /** Indexes of `inputs` that can have an effect on the row. */
  readonly causes: readonly number[];
}

/** Mean over the targets that both runs have. */
export type ComparedMacro = Pick<
  ComparedRow,
  | 'dataset'
  | 'method'
  | 'combinationSize'
  | 'differencePp'
  | 'differenceSePp'
  | 'differenceTotalSePp'
  | 'commonResamples'
  | 'paired'
> & { readonly targets: number; readonly eceMeanPpA: number | null; readonly eceMeanPpB: number | null };

export type RowName = Pick<ComparedRow, 'dataset' | 'target' | 'method' | 'combinationSize'>;

export interface RunComparison {
  /** Rows of both, the largest change first; an ECE that only one of them has comes before all others. */
  readonly rows: readonly ComparedRow[];
  readonly macro: readonly ComparedMacro[];
  readonly onlyA: readonly RowName[];
  readonly onlyB: readonly RowName[];
  /** Recorded inputs that differ. */
  readonly inputs: readonly InputDifference[];
}

/** What changed from run a to run b. Pure: nothing is read, nothing rounded. */
export function compareRuns(a: InspectedRun, b: InspectedRun): RunComparison {
  const macroErrors = [macroErrorsOf(a.results), macroErrorsOf(b.results)] as const;
  const [ofA, ofB] = [cellsOf(a), cellsOf(b)];
  const inputs = inputDifferences(a, b);
  const shared = [...ofA].flatMap(([key, a]): Shared[] => {
    const b = ofB.get(key);
    return b === undefined ? [] : [{ a, b }];
  });
  const named = (cells: Cells, other: Cells) => [...cells].flatMap(([key, { name }]) => (other.has(key) ? [] : [name]));
  return {
    rows: shared.map((each) => comparedRow(each, inputs)).sort(byChange),
    macro: macroRows(shared, macroErrors),
    onlyA: named(ofA, ofB),
    onlyB: named(ofB, ofA),
    inputs,
  };
}

/** One row that both runs have. */
interface Shared {
  readonly a: NamedCell;
  readonly b: NamedCell;
}

interface NamedCell extends CellRuns {
  readonly name: RowName;
  /** Models that the row is made of. */
  readonly models: ReadonlySet<string>;
  readonly resamples: CellResamples | null;
}

type Cells = ReadonlyMap<string, NamedCell>;

function cellsOf({ results: { runs, summary }, resamples = [] }: InspectedRun): Cells {
  const keyOf = (row: RowName) => JSON.stringify([row.dataset, row.target, row.method, row.combinationSize]);
  const errors = new Map(summary.map((row) => [keyOf(row), row.eceTotalSePp]));
  const resampled = new Map(resamples.map((cell) => [keyOf(cell), cell]));
  return new Map(
    [...groupBy(runs, keyOf)].map(([key, group]) => [
      key,
      namedCell(group, errors.get(key) ?? null, resampled.get(key) ?? null),
    ]),
  );
}

function namedCell(
  runs: readonly [RunResult, ...RunResult[]],
  totalSePp: number | null,
  resamples: CellResamples | null,
): NamedCell {
  const [{ dataset, target, method, combinationSize }] = runs;
  const models = runs.flatMap((run) => [run.target, run.ownBase, ...(run.selectedReferences ?? [])]);
  return {
    ...comparedCell(runs, totalSePp),
    name: { dataset, target, method, combinationSize },
    models: new Set(models),
    resamples,
  };
}

function comparedRow({ a, b }: Shared, inputs: readonly InputDifference[]): ComparedRow {
  const models = new Set([...a.models, ...b.models]);
  const touches = ({ dataset, model }: InputDifference) =>
    (dataset === null || dataset === a.name.dataset) && (model === null || models.has(model));
  return {
    ...a.name,
    a: a.cell,
    b: b.cell,
    ...totalDifference(a, b),
    unchanged: JSON.stringify([a.cell, [...a.eces]]) === JSON.stringify([b.cell, [...b.eces]]),
    causes: finest(
      inputs,
      inputs.flatMap((input, n) => (touches(input) ? [n] : [])),
    ),
  };
}

/** A changed YAML file says little where the part of it that matters is known. */
function finest(inputs: readonly InputDifference[], causes: readonly number[]): readonly number[] {
  const fine = causes.filter((n) => inputs[n]?.field !== YAML);
  return fine.length > 0 ? fine : causes;
}

function difference(a: SeedEces, b: SeedEces): Pick<ComparedRow, 'differencePp' | 'differenceSePp' | 'paired'> {
  const [left, right] = [ecesOf(a), ecesOf(b)];
  if (left.eceMeanPp === null || right.eceMeanPp === null)
    return { differencePp: null, differenceSePp: null, paired: false };
  const paired = left.seeds.length === right.seeds.length && left.seeds.every((seed) => b.has(seed));
  if (!paired) {
    const unknown = left.eceSePp === null || right.eceSePp === null;
    const differenceSePp = unknown ? null : Math.hypot(left.eceSePp, right.eceSePp);
    return { differencePp: right.eceMeanPp - left.eceMeanPp, differenceSePp, paired };
  }
  const differences = [...a].flatMap(([seed, ece]) => {
    const other = b.get(seed);
    return other === undefined ? [] : [other - ece];
  });
  return { differencePp: mean(differences), differenceSePp: standardError(differences), paired };
}

/**
 * Where other seeds were drawn, of the total errors: splits of other seeds share the examples, but not what they say of
 * new ones.
 */
function totalDifference(a: NamedCell, b: NamedCell) {
  const found = difference(a.eces, b.eces);
  const common = commonError([[a.resamples, b.resamples]]);
  const total = common ?? bothErrors(a.cell.eceTotalSePp, b.cell.eceTotalSePp);
  const commonResamples = common !== null;
  const differenceTotalSePp = found.differencePp === null ? null : total;
  if (found.paired || found.differenceSePp === null || total === null)
    return { ...found, differenceTotalSePp, commonResamples };
  return { ...found, differenceSePp: total, differenceTotalSePp, commonResamples };
}

function bothErrors(left: number | null, right: number | null): number | null {
  return left === null || right === null ? null : Math.hypot(left, right);
}

/** Largest change first; rows whose ECE came or went before all others; rows without any ECE last. */
function byChange(x: ComparedRow, y: ComparedRow): number {
  return sizeOf(y) - sizeOf(x) || 0;
}

function sizeOf({ differencePp, a, b }: ComparedRow): number {
  if (differencePp !== null) return Math.abs(differencePp);
  return a.eceMeanPp === null && b.eceMeanPp === null ? -1 : Number.MAX_VALUE;
}

type MacroErrors = (name: Pick<RowName, 'dataset' | 'method' | 'combinationSize'>, targets: number) => number | null;

/** The total standard error of a macro average over as many targets; null where it is over others. */
function macroErrorsOf({ macro }: Results): MacroErrors {
  return ({ dataset, method, combinationSize }, targets) =>
    macro.find(
      (row) =>
        row.dataset === dataset &&
        row.method === method &&
        row.combinationSize === combinationSize &&
        row.targets === targets,
    )?.eceTotalSePp ?? null;
}

function macroRows(
  shared: readonly Shared[],
  [errorsA, errorsB]: readonly [MacroErrors, MacroErrors],
): ComparedMacro[] {
  const columns = new Map<string, { name: RowName; cells: Shared[] }>();
  for (const each of shared) {
    const { name } = each.a;
    const key = JSON.stringify([name.dataset, name.method, name.combinationSize]);
    const column = columns.get(key);
    if (column) columns.set(key, { name, cells: [...column.cells, each] });
    else columns.set(key, { name, cells: [each] });
  }
  return [...columns.values()].map(({ name, cells }) => {
    const both = cells.filter(({ a, b }) => a.eces.size > 0 && b.eces.size > 0);
    const [a, b] = [meanOverTargets(both.map((each) => each.a)), meanOverTargets(both.map((each) => each.b))];
    const { dataset, method, combinationSize } = name;
    const common = commonError(both.map((each) => [each.a.resamples, each.b.resamples]));
    return {
      dataset,
      method,
      combinationSize,
      targets: both.length,
      eceMeanPpA: ecesOf(a).eceMeanPp,
      eceMeanPpB: ecesOf(b).eceMeanPp,
      ...difference(a, b),
      differenceTotalSePp: common ?? bothErrors(errorsA(name, both.length), errorsB(name, both.length)),
      commonResamples: common !== null,
    };
  });
}

/** Seed -> mean ECE over targets, of the seeds for which every target has one. */
function meanOverTargets(cells: readonly NamedCell[]): SeedEces {
  const seeds = [...(cells[0]?.eces.keys() ?? [])];
  return new Map(
    seeds.flatMap((seed): [number, number][] => {
      const known = cells.map(({ eces }) => eces.get(seed)).filter((ece) => ece !== undefined);
      const middle = known.length === cells.length ? mean(known) : null;
      return middle === null ? [] : [[seed, middle]];
    }),
  );
}
