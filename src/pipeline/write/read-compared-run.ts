import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { formatFault, SupportCalError } from '../../errors/supportcal-error.js';
import { whyUnreadable } from '../../files/why-unreadable.js';
import type { ComparedRun } from '../../report/compare/comparison-document.js';
import { documentHash, type RunFile, refuseMixture } from '../../results/one-run.js';
import { parseDiagnostics, parseManifest, parseResults } from '../../results/parse-results.js';
import type { Results } from '../../results/results-schema.js';

/**
 * The run of a results.json with the manifest beside it, under the name that a user knows it by.
 *
 * @throws SupportCalError missing-file, bad-input: no run is there, or one of another schema version
 */
export async function readComparedRun(name: string, file: string): Promise<ComparedRun> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    const nothing = 'no such file: the folder holds no finished run; name the folder of `--out`, or a results.json';
    const message = cause.code === 'ENOENT' ? nothing : whyUnreadable(cause);
    throw new SupportCalError('missing-file', { file, message }, { cause });
  });
  const results = parseResults(text, file);
  if (results.runs.length === 0)
    throw new SupportCalError('bad-input', { file, field: 'runs', message: 'has no runs' });
  const beside = await manifestBeside({ name: 'results.json', file, text }, results);
  return { name, results, ...beside, resamples: await resamplesBeside(file, beside.manifest) };
}

/** The resamples in diagnostics.json, if it is surely of the same run: no number is worse without them. */
async function resamplesBeside(file: string, manifest: ComparedRun['manifest']) {
  const beside = path.join(path.dirname(file), 'diagnostics.json');
  const text = await readFile(beside, 'utf8').catch(() => null);
  if (text === null || manifest?.documents?.['diagnostics.json'] !== documentHash(text)) return [];
  return parseDiagnostics(text, beside).resamples ?? [];
}

/** The manifest of the same run; null when there is none, or when it is of another run or version. */
async function manifestBeside(
  read: RunFile,
  { createdAt }: Results,
): Promise<Pick<ComparedRun, 'manifest' | 'manifestFault'>> {
  const beside = path.join(path.dirname(read.file), 'manifest.json');
  try {
    const manifest = parseManifest(await readFile(beside, 'utf8'), beside);
    if (manifest.createdAt !== createdAt)
      return { manifest: null, manifestFault: `it is of the run of ${manifest.createdAt}` };
    refuseMixture(manifest, createdAt, [read]);
    return { manifest };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { manifest: null };
    // The numbers do not depend on it.
    const [fault] = error instanceof SupportCalError ? error.faults : [{ message: whyUnreadable(error) }];
    return { manifest: null, manifestFault: formatFault({ message: whyUnreadable(error), ...fault, file: undefined }) };
  }
}
