import type { Fault } from '../../../errors/supportcal-error.js';
import { jsonl } from '../../../formats/jsonl.js';
import { fieldOf, type RowObject, type SourceRow, scalarText } from '../../../formats/row/source-row.js';
import { MAX_OPTIONS } from '../../options/row-options.js';
import type { Harness, LogReader, LogReading, LogRow, LogSettings } from './harness.js';
import { lmEvalLabel } from './lm-eval-label.js';
import { type LmEvalRequests, lmEvalRequests } from './lm-eval-requests.js';
import { logHash } from './log-hash.js';

/** lm-evaluation-harness: `samples_TASK_TIME.jsonl`, which `--log_samples` writes. */
export const lmEval = {
  name: 'lm-eval',
  scores: 'texts',
  countings: ['sum', 'per-char', 'pmi'],
  files: 'samples_TASK_TIME.jsonl, from --log_samples',
  nameParts(file) {
    const [, task, written] = /\/samples_([^/]+)_(\d{4}-\d\d-\d\dT[\d.:-]+)\.jsonl(?:\.gz)?$/.exec(file) ?? [];
    return task === undefined || written === undefined ? null : { task, written };
  },
  rowFile: (file) => ({ file, format: jsonl, options: { allowNonFinite: true } }),
  reader,
} as const satisfies Harness;

interface Counts {
  /** The filter whose rows are taken, once a row has shown it. */
  filter: string | null;
  readonly otherFilters: Map<string, number>;
  unlabelled: number;
}

function reader(settings: LogSettings): LogReader {
  const counts: Counts = { filter: settings.filter ?? null, otherFilters: new Map(), unlabelled: 0 };
  return {
    read: (row) => readSample(row, settings, counts),
    notes: () => notesOf(counts),
  };
}

/** Every filter of a task writes all samples once more: rows of one filter alone have ids that are unique. */
function readSample({ values, number }: SourceRow, { labelAs }: LogSettings, counts: Counts): LogReading {
  const filter = textOf(values, 'filter');
  counts.filter ??= filter;
  if (filter !== null && filter !== counts.filter) {
    counts.otherFilters.set(filter, (counts.otherFilters.get(filter) ?? 0) + 1);
    return { kind: 'left-out' };
  }
  const id = textOf(values, 'doc_id');
  const row = id ?? `${number}`;
  const faults: Fault[] = [];
  if (id === null) faults.push({ field: 'doc_id', row, message: missing('doc_id', 'the number of the document') });
  const requests = lmEvalRequests(values);
  if ('faults' in requests) return wrong([...faults, ...requests.faults], row);
  const count = requests.options.length;
  if (count < 2 || count > MAX_OPTIONS) {
    const message = `expected 2 to ${MAX_OPTIONS} options, found ${count}; only multiple-choice tasks have scores of options`;
    return wrong([...faults, { field: 'arguments', message }], row);
  }
  const label = lmEvalLabel(values, requests, labelAs);
  if (typeof label === 'string') faults.push({ field: 'target', message: label });
  if (faults.length > 0 || id === null || typeof label === 'string') return wrong(faults, row);
  if (label === null) counts.unlabelled++;
  return { kind: 'row', row: logRow(id, requests, label, values) };
}

function logRow(id: string, requests: LmEvalRequests, label: number | null, values: RowObject): LogRow {
  const { options, scores, unconditional, inPrompts } = requests;
  const hashes = {
    // The hash of the harness is of the document alone, and a task may put its options in another order.
    document: logHash([
      textOf(values, 'doc_hash') ?? values.doc ?? null,
      ...(inPrompts ? [] : options.map((option) => option.trim())),
    ]),
    target: textOf(values, 'target_hash'),
    prompt: textOf(values, 'prompt_hash'),
  };
  return { id, options, scores, unconditional, means: null, label, hashes };
}

function wrong(faults: readonly Fault[], row: string): LogReading {
  return { kind: 'wrong', faults: faults.map((fault) => ({ row, ...fault })) };
}

function missing(field: string, what: string): string {
  return `the field "${field}" (${what}) is missing or no text; is this a samples_*.jsonl of lm-evaluation-harness?`;
}

function textOf(values: RowObject, field: string): string | null {
  const value = fieldOf(values, field);
  return value === undefined ? null : (scalarText(value) ?? null);
}

function notesOf({ filter, otherFilters, unlabelled }: Counts): string[] {
  const others = [...otherFilters].map(([name, rows]) => `${JSON.stringify(name)} (${rows} rows)`);
  const taken = `the rows of filter ${JSON.stringify(filter)} were taken, not those of ${others.join(', ')}`;
  const none = 'have no single right option in the log: they count in fits, not in metrics';
  return [
    ...(others.length > 0 ? [`${taken}; --filter names another`] : []),
    ...(unlabelled > 0 ? [`${unlabelled} rows ${none}`] : []),
  ];
}
