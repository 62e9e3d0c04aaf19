import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { verifyEntries } from '../../src/cache/list-entries.js';
import { listStaleFiles } from '../../src/cache/stale-files.js';
import { type DemoProject, evaluatedRows } from './demo-run.js';

/** Prompts that a worker on a CPU evaluates together, and all that a kill may cost of a model. */
export const BATCH_ROWS = 16;

export interface WholeRun {
  readonly files: ReadonlyMap<string, Buffer>;
  /** Rows that were evaluated, by model. */
  readonly rows: ReadonlyMap<string, number>;
  /** Operations on files of the cache folder. */
  readonly steps: number;
  readonly milliseconds: number;
}

/** An uninterrupted run: what every other run must end with. */
export async function wholeRun(project: DemoProject): Promise<WholeRun> {
  const [count, rows] = ['whole-count', 'whole-rows'].map((name) => path.join(project.folder, name));
  const env = { KILL_CACHE: project.cacheOf('whole'), KILL_COUNT: count!, KILL_ROWS: rows! };
  const end = await project.run('whole', { env });
  if (end.code !== 0) throw new Error(`the uninterrupted run ended with ${end.code}: ${end.stderr}`);
  const steps = Number(readFileSync(count!, 'utf8'));
  const { milliseconds } = end;
  return { files: arrowFiles(project.cacheOf('whole')), rows: evaluatedRows(rows!), steps, milliseconds };
}

export interface Trial {
  /** Where the kill struck: parts on disk, entries complete by then. */
  readonly parts: number;
  readonly complete: number;
  /** Whether it struck before the run had ended. */
  readonly struck: boolean;
  /** How long a run took that was not killed; Infinity if it was. */
  readonly milliseconds: number;
  /** Rows whose evaluation was begun twice, by model. */
  readonly again: readonly number[];
  /** What went wrong; empty: nothing. */
  readonly faults: readonly string[];
}

/** A run that is killed, at a step or after a time, and the run after it. */
export async function killTrial(
  project: DemoProject,
  whole: WholeRun,
  name: string,
  kill: { readonly step: number } | { readonly milliseconds: number },
): Promise<Trial> {
  const cache = project.cacheOf(name);
  const rowsFile = path.join(project.folder, `${name}-rows`);
  const env = { KILL_CACHE: cache, KILL_ROWS: rowsFile };
  const first = await project.run(
    name,
    'step' in kill ? { env: { ...env, KILL_AT: String(kill.step) } } : { env, killAfter: kill.milliseconds },
  );
  const left = await verifyEntries(cache);
  const faults = left.flatMap(({ damaged }) =>
    damaged.map(({ file, reason }) => `damaged after the kill: ${file}: ${reason}`),
  );
  const second = await project.run(name, { env });
  if (second.code !== 0) faults.push(`the next run ended with ${second.code}: ${second.stderr}`);
  const files = arrowFiles(cache);
  for (const [file, bytes] of whole.files)
    if (files.get(file)?.equals(bytes) !== true) faults.push(`other bytes: ${file}`);
  if (files.size !== whole.files.size) faults.push(`${files.size} files instead of ${whole.files.size}`);
  const after = await verifyEntries(cache);
  for (const { file } of await listStaleFiles(cache, after)) faults.push(`left over: ${file}`);
  const evaluated = evaluatedRows(rowsFile);
  const again = [...whole.rows].map(([model, rows]) => (evaluated.get(model) ?? 0) - rows);
  for (const rows of again)
    if (rows < 0 || rows > BATCH_ROWS) faults.push(`${rows} rows of one model were evaluated again`);
  const trial = {
    parts: left.filter(({ state }) => state === 'partial').length,
    complete: left.filter(({ state }) => state === 'complete').length,
    struck: first.signal === 'SIGKILL',
    milliseconds: first.signal === null ? first.milliseconds : Number.POSITIVE_INFINITY,
    again,
    faults,
  };
  rmSync(cache, { recursive: true, force: true });
  return trial;
}

/** Several runs started together: every row is evaluated once in all, and all end with the bytes of a run alone. */
export async function togetherTrial(
  project: DemoProject,
  whole: WholeRun,
  name: string,
  processes: number,
): Promise<string[]> {
  const cache = project.cacheOf(name);
  const rowsFile = path.join(project.folder, `${name}-rows`);
  const env = { KILL_CACHE: cache, KILL_ROWS: rowsFile };
  const ends = await Promise.all(Array.from({ length: processes }, () => project.run(name, { env })));
  const faults = ends.flatMap(({ code, stderr }) => (code === 0 ? [] : [`ended with ${code}: ${stderr}`]));
  const files = arrowFiles(cache);
  for (const [file, bytes] of whole.files)
    if (files.get(file)?.equals(bytes) !== true) faults.push(`other bytes: ${file}`);
  const evaluated = evaluatedRows(rowsFile);
  for (const [model, rows] of whole.rows)
    if (evaluated.get(model) !== rows)
      faults.push(`${evaluated.get(model)} rows of ${model} were evaluated instead of ${rows}`);
  for (const file of readdirSync(cache)) if (/\.(lock|owner|parts|tmp)$/.test(file)) faults.push(`left over: ${file}`);
  rmSync(cache, { recursive: true, force: true });
  return faults;
}

function arrowFiles(cache: string): Map<string, Buffer> {
  const names = readdirSync(cache).filter((name) => name.endsWith('.arrow'));
  return new Map(names.map((name) => [name, readFileSync(path.join(cache, name))]));
}
