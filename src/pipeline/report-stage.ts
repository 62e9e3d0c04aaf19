import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { SupportCalError } from '../errors/supportcal-error.js';
import { type RunFile, refuseMixture } from '../results/one-run.js';
import {
  parseAnswers,
  parseDiagnostics,
  parseExamples,
  parseManifest,
  parseResults,
} from '../results/parse-results.js';
import { type LockContext, lockRunFolder } from './write/lock-run-folder.js';
import { type ReportRun, writeReportFiles } from './write/write-report-files.js';

/**
 * `supportcal report`: tables and figures from what an earlier `calibrate` or `pipeline` left in the output folder.
 *
 * @throws SupportCalError missing-file, bad-input: no run is there, or files of more than one
 */
export async function reportStage(out: string, context: LockContext = {}): Promise<ReportRun> {
  const results = path.join(out, 'results.json');
  await stat(results).catch((cause) => {
    throw noRun(results, cause);
  });
  return lockRunFolder(out, context, async () => {
    const run = await readRun(out);
    return writeReportFiles(out, run).catch((error) => {
      throw error instanceof RangeError ? undrawable(results, error) : error;
    });
  });
}

async function readRun(out: string): Promise<ReportRun> {
  const [results, diagnostics] = [await read(out, 'results.json'), await read(out, 'diagnostics.json')];
  /** A run of an earlier version left no such file; any other fault is one. */
  const [splits, examples] = [await readAny(out, 'splits.json'), await readAny(out, 'examples.json')];
  const answers = await readAny(out, 'answers.json');
  const manifest = parsed(await readAny(out, 'manifest.json'), parseManifest);
  const run = {
    results: parseResults(results.text, results.file),
    diagnostics: parseDiagnostics(diagnostics.text, diagnostics.file),
    examples: parsed(examples, parseExamples),
    answers: parsed(answers, parseAnswers),
    manifest,
    files: [],
  };
  if (manifest !== null)
    refuseMixture(manifest, run.results.createdAt, [results, diagnostics, splits, examples, answers]);
  return run;
}

async function read(out: string, name: string): Promise<RunFile & { readonly text: string }> {
  const file = path.join(out, name);
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw noRun(file, cause);
  });
  return { name, file, text };
}

async function readAny(out: string, name: string): Promise<RunFile> {
  const file = path.join(out, name);
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return null;
    throw new SupportCalError('missing-file', { file, message: 'cannot be read' }, { cause });
  });
  return { name, file, text };
}

function parsed<T>({ file, text }: RunFile, parse: (text: string, file: string) => T): T | null {
  return text === null ? null : parse(text, file);
}

/** The files came from anywhere, and their schema does not know what every figure can show. */
function undrawable(file: string, cause: RangeError): SupportCalError {
  const message = `some number of it, or of diagnostics.json, cannot be shown (${cause.message}); calibrate again`;
  return new SupportCalError('bad-input', { file, message }, { cause });
}

function noRun(file: string, cause: unknown): SupportCalError {
  const message =
    'cannot be read; run `supportcal calibrate` or `supportcal pipeline` first, or name its folder with --out';
  return new SupportCalError('missing-file', { file, message }, { cause });
}
