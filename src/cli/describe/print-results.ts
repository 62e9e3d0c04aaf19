import path from 'node:path';
import type { ScoreSummary } from '../../pipeline/score-stage.js';
import { reliabilityBars } from '../../report/console/console-reliability.js';
import { renderConsoleTable } from '../../report/console/console-table.js';
import { formatTables, type TableFormat } from '../../report/format-tables.js';
import { chosenColumns } from '../../report/table/chosen-columns.js';
import { buildPaperTable } from '../../report/table/paper-table.js';
import { publishedNote } from '../../report/table/published-note.js';
import { healthLines } from '../../report/text/health-lines.js';
import { namedByLabel } from '../../report/text/named-by-label.js';
import { shellWord } from '../../report/text/plain-text.js';
import { untoldLines } from '../../report/text/untold-lines.js';
import { shortVerdicts } from '../../report/text/verdict-lines.js';
import { whatIsMissing } from '../../report/text/what-is-missing.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';
import type { Results } from '../../results/results-schema.js';
import { showsBlocks } from '../terminal/io.js';
import { printable } from '../terminal/log.js';
import type { Session } from '../terminal/session.js';

/** Lines of detail on stderr before the report is the better place to read them. */
const MOST_LINES = 10;

/** What a command may be asked to print: tables for people, for documents or for programs. */
export type PrintFormat = 'table' | 'json' | TableFormat;

export interface PrintedRun {
  readonly results: Results;
  readonly diagnostics: Diagnostics;
  readonly files: readonly string[];
}

export interface ShownResults {
  readonly format?: PrintFormat;
  /** With standard errors and differences. */
  readonly wide?: boolean | undefined;
  /** Methods to show, in this order; absent: all. */
  readonly columns?: readonly string[] | undefined;
}

/** One table per data set on stdout, or the whole of results.json; what was left out goes to stderr. */
export function printResults(session: Session, run: PrintedRun, shown: ShownResults = {}): void {
  const { format = 'table', wide = false, columns } = shown;
  session.progress.stop();
  warnAbout(session, run.results);
  if (session.json || format === 'json') session.printJson(run.results);
  else {
    const results = columns === undefined ? run.results : withColumns(session, run.results, columns);
    if (format === 'table') printTables(session, namedByLabel({ ...run, results }, results.labels), wide);
    else session.print(formatTables(format, results));
  }
}

function withColumns(session: Session, results: Results, columns: readonly string[]): Results {
  const known = new Set(results.summary.map(({ method }) => method));
  const unknown = columns.filter((method) => !known.has(method));
  if (unknown.length > 0)
    session.log.log('warn', `--columns: the run has no ${unknown.join(', ')}; it has ${[...known].join(', ')}`);
  return chosenColumns(results, columns);
}

function printTables(session: Session, { results, diagnostics, files }: PrintedRun, wide: boolean): void {
  const options = { color: session.color, width: session.width, brief: !wide };
  const blocks = showsBlocks(session.io.stdout, session.io.env);
  const missing = whatIsMissing(results, printable);
  if (missing !== null)
    session.print(`PARTIAL RUN: ${missing}. What is left out and why is in report.md and results.json.\n`);
  for (const dataset of new Set(results.runs.map((run) => run.dataset))) {
    const table = renderConsoleTable(buildPaperTable(results, dataset), options);
    session.print(`${table.replace(/ +$/gm, '')}\n`);
    for (const line of healthLines(results, printable, dataset)) session.print(`MEANS LITTLE: ${line}\n`);
    for (const line of untoldLines(results, printable, dataset)) session.print(`NOT TOLD: ${line}\n`);
    const bars = blocks ? reliabilityBars(diagnostics.reliability, dataset, options) : '';
    if (bars !== '') session.print(`${bars}\n`);
    const note = publishedNote(dataset, results);
    if (note !== null) session.print(`${printable(note)}\n`);
  }
  const report =
    files.find((file) => file.endsWith('report.html')) ?? files.find((file) => file.endsWith('results.json'));
  if (report === undefined) return;
  const rendered = report.endsWith('report.html');
  const next = rendered
    ? ', report.md'
    : ` (${reportCommand(results.suite, path.dirname(report))} makes report.html of it)`;
  session.print(`${rendered ? 'report' : 'results'}: ${path.relative('', report) || report}${next}`);
  for (const line of shortVerdicts(results.verdicts ?? [], printable)) session.print(line);
}

/** The command that reads this run: flags only where the defaults lead elsewhere. */
function reportCommand(suite: string, out: string): string {
  if (path.resolve(out) !== path.resolve('reports', suite))
    return `supportcal report --out ${shellWord(path.relative('', out) || '.')}`;
  return suite === 'demo' ? 'supportcal report' : `supportcal report --suite ${shellWord(suite)}`;
}

function warnAbout(session: Session, results: Results): void {
  // Failed models matter more than failed examples, so they come first.
  const skipped = [...results.skipped].sort((a, b) => Number(a.example !== null) - Number(b.example !== null));
  const lines = [
    ...skipped.map(
      (each) =>
        `${each.dataset}, ${each.model}${each.example === null ? '' : `, example ${each.example}`}: ${each.reason}`,
    ),
    ...results.warnings,
  ];
  if (results.status === 'partial')
    session.log.log(
      'warn',
      `partial: ${skipped.length} ${skipped.length === 1 ? 'model or example was' : 'models or examples were'} left out`,
    );
  for (const line of lines.slice(0, MOST_LINES)) session.log.log('warn', line);
  if (lines.length > MOST_LINES)
    session.log.log('warn', `... ${lines.length - MOST_LINES} more in results.json and report.md`);
}

export function printScores(session: Session, summary: ScoreSummary): void {
  session.progress.stop();
  if (session.json) {
    session.printJson({ schemaVersion: 1, ...summary });
    return;
  }
  for (const entry of summary.entries) {
    const rows =
      entry.state === 'failed' || entry.state === 'elsewhere'
        ? `: ${entry.reason}`
        : `  ${entry.rows} rows${entry.failedRows > 0 ? `, ${entry.failedRows} of them failed` : ''}`;
    const what = entry.prompts === 'plain' ? '' : ` (${entry.prompts})`;
    session.print(printable(`${entry.model}  ${entry.dataset}${what}  ${entry.state}${rows}`));
  }
}
