import type { Area } from './areas.js';

/** What is read of StrykerJS's report (mutation-testing-report-schema). */
export interface MutationReport {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly Mutant[] }>>;
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

export const TABLE_HEAD =
  '| folder of `src` | mutants | drawn | by seed | noticed | without end | survived | in no test | share noticed | bar |\n' +
  '|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|';

export function areaLine({ folder, bar }: Area, seed: number, report: MutationReport): string {
  const { of, total, drawn, score } = scoreOf(report);
  const verdicts = ['Killed', 'Timeout', 'Survived', 'NoCoverage'].map((status) => of(status));
  const counts = [total, drawn, seed, ...verdicts, score.toFixed(2)];
  return `| ${folder} | ${counts.join(' | ')} | ${bar ?? ''} |`;
}

/** `score`: share of the drawn mutants that made a test fail or never end. */
export function scoreOf(report: MutationReport) {
  const mutants = Object.values(report.files).flatMap((file) => file.mutants);
  const of = (...statuses: string[]) => mutants.filter(({ status }) => statuses.includes(status)).length;
  const drawn = of('Killed', 'Timeout', 'Survived', 'NoCoverage');
  return { of, total: mutants.length, drawn, score: of('Killed', 'Timeout') / Math.max(drawn, 1) };
}

/** Every change that no test noticed: where, what stood there and what stood there instead. */
export function survivorLines({ files }: MutationReport): string[] {
  return Object.entries(files).flatMap(([file, { source, mutants }]) =>
    mutants
      .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
      .map(({ location: { start, end }, mutatorName, replacement = '', status }) => {
        const lines = source.split('\n').slice(start.line - 1, end.line);
        if (lines.length === 1) lines[0] = lines[0]?.slice(0, end.column - 1) ?? '';
        const was = [lines[0]?.slice(start.column - 1), ...lines.slice(1)].join('\n');
        const [from, to] = [was, replacement].map((text) => text.replace(/\s+/g, ' ').slice(0, 90));
        return `${status} ${mutatorName} ${file}:${start.line}:${start.column}  ${from}  =>  ${to}`;
      }),
  );
}
