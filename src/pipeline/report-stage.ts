import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { SupportCalError } from '../errors/supportcal-error.js';
import { parseDiagnostics, parseExamples, parseManifest, parseResults } from '../results/parse-results.js';
import { type ReportRun, writeReportFiles } from './write/write-report-files.js';

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
  /** A run of an earlier version left no such file; any other fault is one. */
  const readAny = async <T>(name: string, parse: (text: string, file: string) => T) => {
    const file = path.join(out, name);
    const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT') return null;
      throw new SupportCalError('missing-file', { file, message: 'cannot be read' }, { cause });
    });
    return text === null ? null : parse(text, file);
  };
  const [results, diagnostics] = [await read('results.json'), await read('diagnostics.json')];
  return writeReportFiles(out, {
    results: parseResults(results.text, results.file),
    diagnostics: parseDiagnostics(diagnostics.text, diagnostics.file),
    examples: await readAny('examples.json', parseExamples),
    manifest: await readAny('manifest.json', parseManifest),
    files: [],
  });
}
