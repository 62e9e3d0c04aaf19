import { isClose, nearestName } from '../../errors/nearest.js';
import type { FaultList } from '../../formats/row/fault-list.js';
import type { SourceRow } from '../../formats/row/source-row.js';
import type { DatasetSpec } from '../example/dataset-spec.js';
import type { RowSource } from '../source/open-source.js';

interface Missing {
  count: number;
  readonly yamlPath: readonly (string | number)[];
  /** What stands there in place of the text that is needed. */
  readonly kind: string | undefined;
  readonly rows: { line: number | undefined; number: number; file: string | undefined }[];
}

const LISTED = 50;

export interface RowCounts {
  /** Rows that the source has, up to its limit. */
  readonly read: number;
  /** How many of them the filter keeps. */
  readonly kept: number;
  /** Whether the limit was reached before the source's end. */
  readonly cut: boolean;
}

/** Where missing fields are reported to, and what a message says of them. */
export interface MissingReport {
  readonly spec: DatasetSpec;
  readonly source: RowSource;
  /** Names of the fields that rows have. */
  readonly found: ReadonlySet<string>;
  readonly faults: FaultList;
}

/**
 * Fields that the YAML names and rows lack. A field that no row has is one mistake in the YAML, reported with the
 * fields there are and the nearest name; a field that some rows lack is a fault of those rows.
 */
export class MissingFields {
  private readonly missing = new Map<string, Missing>();
  private readonly onRow: (row: Pick<SourceRow, 'number'>) => void;

  /** @param onRow hears of each row that lacks something; the rows of a fault are listed only up to a number */
  constructor(onRow: (row: Pick<SourceRow, 'number'>) => void = () => {}) {
    this.onRow = onRow;
  }

  /** @param kind what the field holds, where it is there but no text */
  add(field: string, row: SourceRow, yamlPath: readonly (string | number)[], kind?: string): void {
    const key = JSON.stringify([field, yamlPath, kind === undefined]);
    const entry = this.missing.get(key) ?? { count: 0, yamlPath, kind, rows: [] };
    entry.count++;
    this.onRow(row);
    if (entry.rows.length < LISTED) entry.rows.push({ line: row.line, number: row.number, file: row.file });
    this.missing.set(key, entry);
  }

  /** Moves everything into `faults`; true when some field is missing in every row. */
  report({ spec, source, found, faults }: MissingReport, counts: RowCounts): boolean {
    let everywhere = false;
    for (const [key, { count, yamlPath, kind, rows }] of this.missing) {
      const [field] = JSON.parse(key) as [string];
      if (count === (beforeFilter(yamlPath) ? counts.read : counts.kept)) {
        everywhere = true;
        const message =
          kind === undefined
            ? `no row has a field "${field}"${nearestOf(field, found, yamlPath)}${otherForms(spec, yamlPath)}`
            : `in every row the field "${field}" is ${kind}; a prompt needs one text`;
        faults.add({ file: spec.file, ...spec.locate(yamlPath), field: yamlPath.join('.'), message });
        continue;
      }
      for (const [n, row] of rows.entries()) {
        const times = n === rows.length - 1 ? 1 + count - rows.length : 1;
        const message =
          kind === undefined
            ? `the field "${field}" is missing; write null where there is no value${orKeep(yamlPath)}`
            : `the field "${field}" is ${kind}; a prompt needs one text`;
        faults.add(
          { file: source.fileOf(field, row), line: row.line, field, row: `${row.number}`, number: row.number, message },
          times,
        );
      }
    }
    return everywhere;
  }
}

/** A label may be missing, but a missing field may be a misspelt one: the YAML says that it is none. */
function orKeep(yamlPath: readonly (string | number)[]): string {
  return yamlPath[0] === 'fields' && yamlPath[1] === 'label' ? ', or `missingLabels: keep` into the YAML' : '';
}

/** `; did you mean "x"? Found: ...`, of templates also `{options}`, with a hint when the header was not split. */
function nearestOf(name: string, fields: ReadonlySet<string>, yamlPath: readonly (string | number)[]): string {
  const names = [...fields];
  // A template can name what is no field: the lines of all options.
  const lines = yamlPath[0] === 'prompt' ? nearestName(name, ['options']) : null;
  const nearest = nearestName(name, names);
  if (nearest === null) return '; the rows have no fields at all';
  const close = isClose(name, nearest.edits);
  const listed = names.slice(0, 40).map((each) => JSON.stringify(each));
  const more = names.length > listed.length ? `, and ${names.length - listed.length} more` : '';
  const separator = names.length === 1 ? /[;|\t,]/.exec(names[0] ?? '')?.[0] : undefined;
  // Numbers and whole sentences are cells of a row that was taken for the header.
  const isCell = (each: string) => /^-?\d+([.,]\d+)?$/.test(each) || /.{20}[?.:]$/s.test(each);
  const headerless =
    separator === undefined && names.filter((each) => !each.includes('.') || /\s/.test(each)).some(isCell);
  const header = headerless
    ? '; if the first line is a row already, write `header: [...]` with the names of the columns'
    : '';
  const hint = separator ? `; the header was not split: write \`delimiter: ${JSON.stringify(separator)}\`` : '';
  const meant = lines !== null && isClose(name, lines.edits) && (!close || lines.edits <= nearest.edits);
  const best = meant ? '{options}, the lines of all options' : `"${nearest.best}"`;
  const found = close || meant ? `; did you mean ${best}? Found` : '; found';
  return `${found}: ${listed.join(', ')}${more}${hint}${header}`;
}

function otherForms({ yaml: { forms } }: DatasetSpec, yamlPath: readonly (string | number)[]): string {
  return forms !== undefined && yamlPath[0] === 'fields'
    ? '; nor does the file have the fields of one of the `forms`'
    : '';
}

/** Fields of `decode` and `filter` are looked for in every row, the others in those that the filter keeps. */
function beforeFilter(yamlPath: readonly (string | number)[]): boolean {
  return yamlPath[0] === 'decode' || yamlPath[1] === 'filter';
}
