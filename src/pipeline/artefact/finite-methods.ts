import { calibrateTarget } from '../../calibration/calibrate-target.js';
import type { AlignedTarget } from '../join/align-target.js';
import type { ExportedMethod } from './export-method.js';

/** A label-free method with a finite temperature on the same rows. */
export interface FiniteMethod {
  readonly method: string;
  readonly combinationSize: number | null;
  readonly temperature: number;
}

/** A larger M is seldom better, and each has its own selection of references. */
const LARGEST_SIZE = 3;

/** What can be exported in place of an infinite temperature: the label-free methods whose temperature is finite. */
export function finiteMethods(aligned: AlignedTarget, { table }: Pick<ExportedMethod, 'table'>): FiniteMethod[] {
  const { length } = aligned.references;
  const isUsable = (needs: string) =>
    needs === 'own-base' || ((needs === 'references' || needs === 'pool') && length > 0);
  const methods = table.filter((each) => isUsable(each.needs) && !('experimental' in each)).map(({ name }) => name);
  if (methods.length === 0) return [];
  const combinationSizes = Array.from({ length: Math.min(LARGEST_SIZE, length) }, (_, n) => n + 1);
  const calibration = calibrateTarget({ ...aligned, methods, combinationSizes, methodTable: table });
  const { outcomes } = calibration.fit(Int32Array.from({ length: aligned.targetLogits.rowCount }, (_, n) => n));
  return outcomes.flatMap(({ method, combinationSize, outcome }) =>
    outcome.kind === 'finite' ? [{ method, combinationSize, temperature: outcome.temperature }] : [],
  );
}
