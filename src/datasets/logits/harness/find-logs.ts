import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { SupportCalError } from '../../../errors/supportcal-error.js';
import { whyUnreadable } from '../../../files/why-unreadable.js';
import { HARNESSES, type HarnessName } from './harness-table.js';

export interface FoundLog {
  /** Path as messages show it. */
  readonly file: string;
  readonly format: HarnessName;
  readonly written: string;
  readonly model?: string | undefined;
}

/** The logs of one model. */
export interface FoundLogs {
  readonly folder: string;
  /** The newest log of each task. */
  readonly files: ReadonlyMap<string, FoundLog>;
  /** Which tasks have older logs besides, as sentences. */
  readonly notes: readonly string[];
}

/** A folder of logs holds some hundred files; one with more is another folder by mistake. */
const MOST_FILES = 100_000;

/**
 * The logs of samples in a folder and those below it, by their names.
 *
 * @throws SupportCalError missing-file; bad-input: no log is there, or more files than a folder of logs has
 */
export async function findLogs(folder: string): Promise<FoundLogs> {
  const names = await namesIn(folder);
  const files = new Map<string, FoundLog>();
  const notes: string[] = [];
  for (const name of names.sort()) {
    const log = logNamed(path.join(folder, name));
    if (log === null) continue;
    const other = files.get(log.task);
    if (other !== undefined && other.model !== log.model) throw severalModels(folder, other, log);
    const [older, newer] = other !== undefined && other.written > log.written ? [log, other] : [other, log];
    if (older !== undefined) notes.push(`of task ${log.task} ${newer.file} is taken, not the older ${older.file}`);
    files.set(log.task, newer);
  }
  if (files.size > 0) return { folder, files, notes };
  const known = HARNESSES.map(({ name, files: form }) => `${name}: ${form}`).join('; ');
  const message = `holds no log of samples that can be read; these are (${known})`;
  throw new SupportCalError('bad-input', { file: folder, message });
}

async function namesIn(folder: string): Promise<string[]> {
  let names: string[];
  try {
    names = await readdir(folder, { recursive: true });
  } catch (cause) {
    const message = `cannot be read as a folder of logs: ${whyUnreadable(cause)}`;
    throw new SupportCalError('missing-file', { file: folder, message }, { cause });
  }
  if (names.length <= MOST_FILES) return names;
  const message = `holds ${names.length} files, more than a folder of logs has; name the folder of one model`;
  throw new SupportCalError('bad-input', { file: folder, message });
}

function severalModels(folder: string, one: FoundLog, other: FoundLog): SupportCalError {
  const message =
    `holds logs of the same task by several models (${one.file}, ${other.file}); name a folder with the logs of one ` +
    'model, or take them one by one: `supportcal import --format ... --map FILE=MODEL`';
  return new SupportCalError('bad-input', { file: folder, message });
}

function logNamed(file: string): (FoundLog & { readonly task: string }) | null {
  const whole = path.resolve(file).replaceAll('\\', '/');
  for (const { name: format, nameParts } of HARNESSES) {
    const parts = nameParts(whole);
    if (parts !== null) return { ...parts, file, format };
  }
  return null;
}
