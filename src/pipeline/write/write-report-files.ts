import path from 'node:path';
import { writeReport } from '../../report/write-report.js';
import type { ReportInput } from '../../results/report-input.js';
import { noteStage } from './run-record.js';

export interface ReportRun extends ReportInput {
  /** Written files, absolute. */
  readonly files: readonly string[];
}

/** Writes tables, figures and pages of a run into its folder, and notes in the manifest how long that took. */
export async function writeReportFiles(out: string, run: ReportRun): Promise<ReportRun> {
  const folder = path.resolve(out);
  const from = performance.now();
  const written = await writeReport(folder, run);
  await noteStage(folder, 'report', (performance.now() - from) / 1000);
  return { ...run, files: [...run.files, ...written.map((file) => path.join(folder, file))] };
}
