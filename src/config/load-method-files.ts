import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CalibrationMethod } from '../calibration/calibration-method.js';
import { type Fault, SupportCalError } from '../errors/supportcal-error.js';
import { whyUnreadable } from '../files/why-unreadable.js';
import { METHOD_FIELDS, methodEntryFaults } from './method-entry-faults.js';

/** A file of `--method-file` as it was loaded. */
export interface MethodFile {
  /** As the user wrote it. */
  readonly file: string;
  /** Hash of the bytes of the file; modules that it imports are not in it. */
  readonly sha256: string;
  readonly methods: readonly CalibrationMethod[];
}

/**
 * Loads entries of the methods table from modules whose default export is one entry or a list of them. Their code runs
 * in this process, so the files come from the command line or the program, never from YAML. Throws `missing-file` or
 * `bad-input` with the faults of all files together.
 */
export async function loadMethodFiles(files: readonly string[]): Promise<MethodFile[]> {
  const loaded: MethodFile[] = [];
  const faults: Fault[] = [];
  const owners = new Map<string, string>();
  for (const file of files) {
    const { sha256, entries } = await importModule(file);
    const found = entries.flatMap((entry, i) =>
      methodEntryFaults(entry, entries.length === 1 ? 'default' : `default.${i}`),
    );
    faults.push(...found.map((fault) => ({ file, ...fault })));
    if (found.length > 0) continue;
    const methods = entries.map((entry) => namingItself(entry as CalibrationMethod, file));
    for (const { name } of methods) {
      const owner = owners.get(name.toLowerCase());
      if (owner !== undefined) {
        faults.push({
          file,
          field: 'name',
          message: `the method "${name}" is already in ${owner}; give it another name`,
        });
      }
      owners.set(name.toLowerCase(), file);
    }
    loaded.push({ file, sha256, methods });
  }
  if (faults.length > 0) throw new SupportCalError('bad-input', faults);
  return loaded;
}

async function importModule(file: string): Promise<{ sha256: string; entries: readonly unknown[] }> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw new SupportCalError('missing-file', { file, message: whyUnreadable(cause) }, { cause });
  });
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const url = pathToFileURL(path.resolve(file));
  // A module is loaded once per address: with its hash in it, a changed file is another module.
  url.search = `sha256=${sha256}`;
  const loaded: unknown = await import(/* @vite-ignore */ url.href).catch((cause: unknown) => {
    throw new SupportCalError(
      'bad-input',
      { file, message: `cannot be loaded as a module: ${said(cause)}` },
      { cause },
    );
  });
  const exported = (loaded as { default?: unknown }).default;
  if (exported === undefined || (Array.isArray(exported) && exported.length === 0)) {
    const message = 'has no default export; write `export default { name, needs, weight }`, or a list of such entries';
    throw new SupportCalError('bad-input', { file, message });
  }
  const entries: readonly unknown[] = Array.isArray(exported) ? exported : [exported];
  return { sha256, entries: entries.map((entry) => readOnce(entry, file)) };
}

/** The fields of an entry as they are now: a getter could say something else each time, or throw. */
function readOnce(entry: unknown, file: string): unknown {
  if (typeof entry !== 'object' || entry === null) return entry;
  try {
    const names = [...new Set([...METHOD_FIELDS, ...Object.keys(entry)])];
    const fields = names.map((name) => [name, (entry as Record<string, unknown>)[name]] as const);
    return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
  } catch (cause) {
    throw new SupportCalError('bad-input', { file, message: `an entry cannot be read: ${said(cause)}` }, { cause });
  }
}

/** What was thrown, which can be anything, in words. */
function said(cause: unknown): string {
  try {
    return String(cause);
  } catch {
    return 'something without words';
  }
}

/** An entry of which whatever its functions throw names the method and its file. */
function namingItself(entry: CalibrationMethod, file: string): CalibrationMethod {
  const guard = <A extends unknown[], R>(work: (...args: A) => R) => {
    return (...args: A): R => {
      try {
        return work(...args);
      } catch (cause) {
        const message = `the method "${entry.name}" failed: ${cause instanceof Error ? cause.message : said(cause)}`;
        throw new SupportCalError('bad-input', { file, message }, { cause });
      }
    };
  };
  if ('weight' in entry) {
    const { weight, logWeight } = entry;
    return { ...entry, weight: guard(weight), ...(logWeight && { logWeight: guard(logWeight) }) };
  }
  return 'doubt' in entry ? { ...entry, doubt: guard(entry.doubt) } : entry;
}
