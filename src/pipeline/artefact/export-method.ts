import type { CalibrationMethod } from '../../calibration/calibration-method.js';
import { ANSWER_METHODS, CALIBRATION_METHODS } from '../../calibration/methods.js';
import type { SuitePlan } from '../../config/plan-suite.js';
import { nearest } from '../../errors/nearest.js';
import { SupportCalError } from '../../errors/supportcal-error.js';

/** What is to be exported: a method that fits a temperature, and its M on a data set (null: it has none). */
export interface ExportedMethod {
  readonly method: CalibrationMethod;
  readonly table: readonly CalibrationMethod[];
  sizeOn(dataset: string): number | null;
}

export interface MethodChoice {
  /** Default: that of the verdict on each target. */
  readonly method?: string;
  /** M; default: the smallest of the suite. */
  readonly combinationSize?: number;
  /** Whether a fit on labels may be exported. */
  readonly allowLabels?: boolean;
}

export type NamedChoice = MethodChoice & { readonly method: string };

/**
 * @throws SupportCalError usage: no such method, none that fits a temperature, one that reads labels, an M that does
 * not apply
 */
export function exportedMethod(suite: SuitePlan, choice: NamedChoice): ExportedMethod {
  const table = [...CALIBRATION_METHODS, ...suite.ownMethods];
  const fitting = table.filter(({ needs }) => needs !== 'nothing');
  const method = fitting.find(({ name }) => name === choice.method);
  if (method === undefined)
    throw usage(
      noSuchMethod(
        choice.method,
        fitting.map(({ name }) => name),
      ),
    );
  if (method.needs === 'labels' && choice.allowLabels !== true) {
    throw usage(
      `--method ${choice.method} reads the labels, and so is no competitor of the label-free methods (nor a bound of their ` +
        'ECE). Add --allow-labels if you want this temperature, or take a label-free one, such as --method auto',
    );
  }
  if (method.needs !== 'references') {
    if (choice.combinationSize !== undefined)
      throw usage(`--combination-size is for methods with references; --method ${choice.method} has none`);
    return { method, table, sizeOn: () => null };
  }
  return { method, table, sizeOn: (dataset) => choice.combinationSize ?? smallest(suite, dataset, choice.method) };
}

function noSuchMethod(name: string, fitting: readonly string[]): string {
  const known = `; methods that do: ${fitting.join(', ')}`;
  if (name === 'vanilla') return `--method vanilla is the model as it is and fits no temperature${known}`;
  if (ANSWER_METHODS.some((each) => each.name === name))
    return `--method ${name} gives probabilities of its own and fits no temperature${known}`;
  return `no method "${name}" fits a temperature${nearest(name, fitting)}`;
}

function smallest(suite: SuitePlan, dataset: string, method: string): number {
  const sizes = suite.combinationSizes(dataset);
  if (sizes.length > 0) return Math.min(...sizes);
  throw usage(`--method ${method} needs references, and the targets of "${dataset}" have none; take --method daca`);
}

function usage(message: string): SupportCalError {
  return new SupportCalError('usage', message);
}
