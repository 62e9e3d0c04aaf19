import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFile } from '../files/busy-files.js';
import { refuseLinks } from '../files/refuse-links.js';
import { removeAbandoned } from '../files/remove-abandoned.js';
import { writeFileAtomic } from '../files/write-file-atomic.js';
import type { ReportInput } from '../results/report-input.js';
import { renderReport } from './render-report.js';
import type { ReportFile } from './text/report-file.js';

/** Which files of the output folder came from a report; only those are ever removed. */
const LIST = 'report-files.json';
const OWN_FILE = /^(tables|figures)\/[^/\\]+\.(csv|svg|tex)$/;

/**
 * Writes report.md, report.html, tables/*.csv and figures/*.svg, each whole or not at all, and removes tables and
 * figures that an earlier report wrote there and this one no longer has, and what killed runs left half-written. Files
 * of equal content stay untouched. Returns the paths written or kept, relative to `outDir`.
 *
 * @throws SupportCalError write-failed; bad-input: a link would lead what is written or removed to another place
 */
export async function writeReport(outDir: string, input: ReportInput): Promise<string[]> {
  const files = renderReport(input);
  const paths = files.map((file) => file.path);
  await refuseLinks(outDir, ['tables', 'figures', LIST, ...paths]);
  await removeAbandoned(outDir, join(outDir, 'tables'), join(outDir, 'figures'));
  const earlier = await listedBefore(outDir);
  // The list names old and new files while both may exist: a run that is killed here leaves nothing unlisted.
  await writeIfChanged(outDir, listFile([...new Set([...earlier, ...paths])]));
  await Promise.all(files.map((file) => writeIfChanged(outDir, file)));
  const kept = new Set(paths.map((path) => path.toLowerCase()));
  const stale = earlier.filter((path) => !kept.has(path.toLowerCase()));
  await Promise.all(stale.map((path) => removeFile(join(outDir, path))));
  await writeIfChanged(outDir, listFile(paths));
  return paths;
}

async function listedBefore(outDir: string): Promise<string[]> {
  const text = await readFile(join(outDir, LIST), 'utf8').catch(() => '{}');
  try {
    const { files } = JSON.parse(text) as { files?: unknown };
    return Array.isArray(files) ? files.filter((path) => typeof path === 'string' && OWN_FILE.test(path)) : [];
  } catch {
    return [];
  }
}

function listFile(paths: readonly string[]): ReportFile {
  return {
    path: LIST,
    data: `${JSON.stringify({ files: [...paths].filter((path) => OWN_FILE.test(path)).sort() }, null, 2)}\n`,
  };
}

async function writeIfChanged(outDir: string, file: ReportFile): Promise<void> {
  const path = join(outDir, file.path);
  const there = await readFile(path, 'utf8').catch(() => null);
  if (there !== file.data) await writeFileAtomic(path, file.data);
}
