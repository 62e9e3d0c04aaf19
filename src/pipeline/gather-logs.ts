import path from 'node:path';
import type { LogitUnit } from '../datasets/logits/from-unit.js';
import { unitOf } from '../datasets/logits/harness/counted-scores.js';
import { type FoundLogs, findLogs } from '../datasets/logits/harness/find-logs.js';
import type { Counting, LogSettings } from '../datasets/logits/harness/harness.js';
import type { HarnessLog } from '../datasets/logits/harness/open-harness-log.js';
import { type ComparedLog, compareLogs } from '../datasets/logits/harness/same-documents.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import { readableSlug, slugOf } from '../files/slug-of.js';
import { writeFileAtomic } from '../files/write-file-atomic.js';
import { FaultList } from '../formats/row/fault-list.js';

export interface LogsOptions extends LogSettings {
  /** Folders of logs, as the user wrote them. */
  readonly base: string;
  readonly target: string;
  readonly references: readonly string[];
  /** Only these tasks; default: all that base and target have in common. */
  readonly tasks?: readonly string[] | undefined;
  readonly normalize?: Counting | undefined;
  /** Where the workspace is written: models.yaml, data sets and cache. */
  readonly workspace: string;
}

/** One log to import. */
export interface LogImport {
  readonly file: string;
  readonly model: string;
  readonly dataset: string;
  readonly unit: LogitUnit;
  readonly log: HarnessLog;
}

export interface GatheredLogs {
  readonly imports: readonly LogImport[];
  readonly suite: string;
  readonly models: string;
  readonly datasets: string;
  readonly cache: string;
  /** What was left out and what is missing for which method, as sentences. */
  readonly notes: readonly string[];
}

const SUITE = 'logs';

/** A folder of logs under the name of its model. */
interface NamedLogs {
  readonly model: string;
  readonly logs: FoundLogs;
}

/**
 * Finds the logs of the same tasks in several folders, checks that all models saw the same documents, and writes the
 * workspace in which their scores are calibrated.
 *
 * @throws SupportCalError missing-file, bad-input (every document that differs), write-failed
 */
export async function gatherLogs(options: LogsOptions): Promise<GatheredLogs> {
  const folders = [options.base, options.target, ...options.references];
  const named: NamedLogs[] = [];
  for (const [n, folder] of folders.entries())
    named.push({ model: modelName(n, folders), logs: await findLogs(folder) });
  const { tasks, notes } = commonTasks(named, options.tasks);
  const faults = new FaultList();
  for (const task of tasks) notes.push(...(await compareLogs(logsOf(task, named), options, faults)));
  faults.throwIfAny();
  if (options.references.length === 0)
    notes.push(
      'without --reference FOLDER (logs of other base models) SupportCal uses the own base alone (column "Relative only")',
    );
  const files = await writeWorkspace(options.workspace, named, tasks);
  return { ...files, suite: SUITE, notes, imports: tasks.flatMap((task) => importsOf(task, named, options)) };
}

/** The name of the folder of that number, with a number where two have the same. */
function modelName(n: number, folders: readonly string[]): string {
  const slugs = folders.map((each) => readableSlug(path.basename(path.resolve(each))));
  const slug = slugs[n] ?? 'x';
  return slugs.filter((each) => each === slug).length > 1 ? `${slug}-${n + 1}` : slug;
}

function commonTasks(
  named: readonly NamedLogs[],
  wanted: readonly string[] | undefined,
): { tasks: string[]; notes: string[] } {
  const all = [...new Set(named.flatMap(({ logs }) => [...logs.files.keys()]))].filter(
    (task) => wanted?.includes(task) ?? true,
  );
  const unknown = (wanted ?? []).filter((task) => !all.includes(task));
  const tasks = all.filter((task) => named.every(({ logs }) => logs.files.has(task))).sort();
  const known = named.map(({ logs }) => `${logs.folder} has ${[...logs.files.keys()].join(', ')}`).join('; ');
  if (unknown.length > 0)
    throw new SupportCalError('bad-input', `no log is of the task "${unknown.join('", "')}": ${known}`);
  if (tasks.length === 0) throw new SupportCalError('bad-input', `no task is in all folders: ${known}`);
  const notes = all
    .filter((task) => !tasks.includes(task))
    .map((task) => {
      const without = named.filter(({ logs }) => !logs.files.has(task)).map(({ logs }) => logs.folder);
      return `task ${task} is left out: ${without.join(', ')} has no log of it`;
    });
  return { tasks, notes: [...notes, ...named.flatMap(({ logs }) => logs.notes)] };
}

/** The logs of a task, one of each folder. */
function logsOf(task: string, named: readonly NamedLogs[]): ComparedLog[] {
  return named.flatMap(({ logs }) => logs.files.get(task) ?? []);
}

function importsOf(
  task: string,
  named: readonly NamedLogs[],
  { normalize = 'sum', filter, labelAs }: LogsOptions,
): LogImport[] {
  return named.flatMap(({ model, logs }) => {
    const found = logs.files.get(task);
    if (found === undefined) return [];
    const log = { format: found.format, normalize, filter, labelAs };
    return [{ file: found.file, model, dataset: datasetId(task), unit: unitOf(normalize), log }];
  });
}

/** The task itself where it can be the name of a file. */
function datasetId(task: string): string {
  return readableSlug(task) === task ? task : slugOf(task);
}

/** models.yaml and one data set a task, without a source: their rows are those of the logs. */
async function writeWorkspace(
  folder: string,
  named: readonly NamedLogs[],
  tasks: readonly string[],
): Promise<{ models: string; datasets: string; cache: string }> {
  const [base, target, ...references] = named.map(({ model }) => model);
  const methods = [
    'vanilla',
    'daca',
    'full-kl',
    'relative-only',
    ...(references.length > 0 ? ['supportcal'] : []),
    'oracle-ts',
  ];
  const suite = {
    datasets: tasks.map(datasetId),
    methods,
    ...(references.length > 0 && { combinationSizes: references.length > 1 ? [1, 2] : [1] }),
  };
  const models = [
    ...[base, ...references].map((id) => ({ id, role: 'base' })),
    { id: target, role: 'post-trained', base },
  ];
  const file = path.join(folder, 'models.yaml');
  const datasets = path.join(folder, 'datasets');
  // JSON is YAML, and quotes what needs quotes.
  await writeFileAtomic(file, `${JSON.stringify({ models, suites: { [SUITE]: suite } }, null, 2)}\n`);
  for (const task of tasks)
    await writeFileAtomic(path.join(datasets, `${datasetId(task)}.yaml`), `${JSON.stringify({ title: task })}\n`);
  return { models: file, datasets, cache: path.join(folder, 'cache') };
}
