import { ALIKE } from './alike.js';
import type { Area } from './areas.js';

/** What is read of StrykerJS's report (mutation-testing-report-schema). */
export interface MutationReport {
  readonly files: Readonly<Record<string, ReportedFile>>;
}

interface ReportedFile {
  readonly source: string;
  readonly mutants: readonly Mutant[];
}

interface Mutant {
  readonly status: string;
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly location: { readonly start: Place; readonly end: Place };
}

interface Place {
  readonly line: number;
  readonly column: number;
}

const KNOWN_ALIKE = new Set(Object.values(ALIKE).flat());

export const TABLE_HEAD =
  '| folder of `src` | mutants | drawn | by seed | on | noticed | without end | passed all tests | in no test | compute the same | share noticed | bar |\n' +
  '|---|---:|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|';

/** What was drawn, and when. */
export interface Draw {
  readonly seed: number;
  readonly date: Date;
}

export function areaLine({ folder, bar }: Area, { seed, date }: Draw, report: MutationReport): string {
  const { total, drawn, killed, endless, survived, uncovered, alike, score } = scoreOf(report);
  const day = date.toISOString().slice(0, 10);
  const counts = [total, drawn, seed, day, killed, endless, survived, uncovered, alike, score.toFixed(2)];
  return `| ${folder} | ${counts.join(' | ')} | ${bar} |`;
}

/** `score`: share of the drawn mutants that made a test fail or never end, but for those that compute the same. */
export function scoreOf(report: MutationReport) {
  const mutants = Object.values(report.files).flatMap((file) => file.mutants);
  const of = (status: string) => mutants.filter((mutant) => mutant.status === status).length;
  const [killed, endless, all] = [of('Killed'), of('Timeout'), survivors(report)];
  const alike = all.filter(({ change }) => KNOWN_ALIKE.has(change)).length;
  const left = (status: string) => all.filter((each) => each.status === status && !KNOWN_ALIKE.has(each.change)).length;
  const [survived, uncovered] = [left('Survived'), left('NoCoverage')];
  const noticed = killed + endless;
  const score = noticed / Math.max(noticed + survived + uncovered, 1);
  return { total: mutants.length, drawn: noticed + all.length, killed, endless, survived, uncovered, alike, score };
}

/** Every change that no test noticed, but for those that compute the same. */
export function survivorLines(report: MutationReport): string[] {
  return survivors(report)
    .filter(({ change }) => !KNOWN_ALIKE.has(change))
    .map(({ status, line, change }) => `${status} line ${line} of ${change}`);
}

function survivors({ files }: MutationReport) {
  return Object.entries(files).flatMap(([file, { source, mutants }]) =>
    mutants
      .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
      .map(({ location, replacement = '', status }) => {
        const [from, to] = [textAt(source, location), replacement].map((text) =>
          text.replace(/\s+/g, ' ').slice(0, 150),
        );
        return { status, line: location.start.line, change: `${file.replace(/^src\//, '')}: ${from} => ${to}` };
      }),
  );
}

/** What stood in the place of a mutant. */
function textAt(source: string, { start, end }: Mutant['location']): string {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  lines.push((lines.pop() ?? '').slice(0, end.column - 1));
  return [lines[0]?.slice(start.column - 1), ...lines.slice(1)].join('\n');
}
