import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { SupportCalError } from '../errors/supportcal-error.js';
import { parseDiagnostics, parseResults } from '../report/parse-results.js';
import type { Diagnostics, Results } from '../report/results-schema.js';
import { writeReport } from '../report/write-report.js';

export interface ReportRun {
  readonly results: Results;
  /** Written files, absolute. */
  readonly files: readonly string[];
}

/** `supportcal report`: tables and figures from what an earlier `calibrate` or `pipeline` left in the output folder. */
export async function reportStage(out: string): Promise<ReportRun> {
  const read = async (name: string) => {
    const file = path.join(out, name);
    try {
      return { file, text: await readFile(file, 'utf8') };
    } catch (cause) {
      const message =
        'cannot be read; run `supportcal calibrate` or `supportcal pipeline` first, or name its folder with --out';
      throw new SupportCalError('missing-file', { file, message }, { cause });
    }
  };
  const [results, diagnostics] = [await read('results.json'), await read('diagnostics.json')];
  return writeReportStage(out, {
    results: parseResults(results.text, results.file),
    diagnostics: parseDiagnostics(diagnostics.text, diagnostics.file),
    files: [],
  });
}

export async function writeReportStage(
  out: string,
  run: { readonly results: Results; readonly diagnostics: Diagnostics; readonly files: readonly string[] },
): Promise<ReportRun> {
  const folder = path.resolve(out);
  const written = await writeReport(folder, run.results, run.diagnostics);
  return { results: run.results, files: [...run.files, ...written.map((file) => path.join(folder, file))] };
}
