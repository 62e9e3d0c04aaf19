import { stat } from 'node:fs/promises';
import path from 'node:path';
import { SupportCalError } from '../errors/supportcal-error.js';
import { whyUnreadable } from '../files/why-unreadable.js';
import { compareRuns, type RunComparison } from '../report/compare/compare-runs.js';
import type { ComparedRun } from '../report/compare/comparison-document.js';
import { readComparedRun } from './write/read-compared-run.js';

export interface ComparedStage {
  readonly a: ComparedRun;
  readonly b: ComparedRun;
  readonly comparison: RunComparison;
  /** Rows beyond the limit, and rows of a that b lacks; empty where no limit was given. */
  readonly above: readonly string[];
}

/**
 * `supportcal compare`: what changed between two runs, each an output folder or its results.json. Nothing is written.
 *
 * @param failAbovePp the largest change of an ECE, up or down, that is still taken; undefined: any
 * @throws SupportCalError missing-file, bad-input: no run there, another schema version, or nothing in common
 */
export async function compareStage(pathA: string, pathB: string, failAbovePp?: number): Promise<ComparedStage> {
  const [a, b] = [await readRun(pathA), await readRun(pathB)];
  const comparison = compareRuns(a, b);
  if (comparison.rows.length === 0) throw nothingInCommon(a, b);
  return { a, b, comparison, above: failAbovePp === undefined ? [] : aboveLimit(comparison, failAbovePp) };
}

async function readRun(name: string): Promise<ComparedRun> {
  const folder = (await kindOf(name)) === 'folder';
  return readComparedRun(name, folder ? path.join(name, 'results.json') : name);
}

async function kindOf(name: string): Promise<'folder' | 'file'> {
  const found = await stat(name).catch((cause: NodeJS.ErrnoException) => {
    const nothing = 'no such file or folder; name the output folder of a run, or its results.json';
    const message = cause.code === 'ENOENT' ? nothing : whyUnreadable(cause);
    throw new SupportCalError('missing-file', { file: name, message }, { cause });
  });
  return found.isDirectory() ? 'folder' : 'file';
}

function nothingInCommon(a: ComparedRun, b: ComparedRun): SupportCalError {
  const has = ({ name, results }: ComparedRun) => {
    const pairs = new Set(results.runs.map(({ dataset, target }) => `${target} on ${dataset}`));
    const methods = new Set(results.runs.map(({ method }) => method));
    const shown = [...pairs].slice(0, 10).join(', ') + (pairs.size > 10 ? ', ...' : '');
    return { file: name, message: `suite ${results.suite}: ${shown}; methods ${[...methods].join(', ')}` };
  };
  const message = 'the two runs have no data set, target and method in common, so there is nothing to compare:';
  return new SupportCalError('bad-input', [{ message }, has(a), has(b)]);
}

/** What is beyond the limit, named; a change that cannot be known counts as beyond it. */
function aboveLimit({ rows, onlyA }: RunComparison, limit: number): string[] {
  const changed = rows.flatMap((row) => {
    const { differencePp, a, b } = row;
    const name =
      `${row.dataset}, ${row.target}, ` +
      `${row.method}${row.combinationSize === null ? '' : ` (${row.combinationSize})`}`;
    if (differencePp === null)
      return (a.eceMeanPp === null) === (b.eceMeanPp === null) ? [] : [`${name}: only one run has an ECE`];
    if (Math.abs(differencePp) <= limit) return [];
    return [`${name}: ${differencePp > 0 ? '+' : ''}${differencePp.toFixed(2)} pp`];
  });
  const gone = onlyA.map(
    ({ dataset, target, method, combinationSize }) =>
      `${dataset}, ${target}, ${method}${combinationSize === null ? '' : ` (${combinationSize})`}: not in the ` +
      'second run',
  );
  return [...changed, ...gone];
}
