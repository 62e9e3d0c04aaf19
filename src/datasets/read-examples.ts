import { type Fault, SupportCalError } from '../errors/supportcal-error.js';
import { placeFaults } from '../formats/place-faults.js';
import { FaultList } from '../formats/row/fault-list.js';
import { SHUFFLE_GENERATOR } from '../numeric/random/shuffle.js';
import { compareStrings } from '../numeric/string-order.js';
import type { DatasetSpec } from './example/dataset-spec.js';
import type { Example, LeftOutRow } from './example/example.js';
import type { RowSelection } from './example/row-selection.js';
import type { SeenFields } from './fields/dataset-doubts.js';
import type { FieldMapping } from './fields/field-mapping.js';
import { MissingFields } from './fields/missing-fields.js';
import { resolveLabels } from './labels/resolve-labels.js';
import { optionLabels } from './options/option-labels.js';
import { TRUTH_ORDER } from './options/truth-options.js';
import type { PromptLayout } from './prompts/prompt-layout.js';
import { assignContentIds, refuseDuplicateIds } from './rows/assign-ids.js';
import { type DraftContext, type IdentifiedRow, leaveOutFields, rowFault } from './rows/draft-row.js';
import { draftRows, refuseNothing, sourceSelection } from './rows/draft-rows.js';
import type { ExceptionList } from './rows/exception-list.js';
import { applyRowPolicies, sampleExamples } from './rows/row-policies.js';
import { openSource, type SourceOptions } from './source/open-source.js';

export interface ReadExamples {
  readonly examples: Example[];
  readonly leftOut: LeftOutRow[];
  readonly selection: readonly RowSelection[];
  readonly rules: string[];
  readonly origin: readonly string[];
  /** Fields of the rows, and which of them are used beside the mapping. */
  readonly seen: SeenFields;
  /** Faults of the rows that were excused, with their places in the file; they are not among the examples. */
  readonly excused: readonly Fault[];
}

export interface ReadOptions extends SourceOptions {
  /** Faults of few rows go here, and the other rows are read; absent: every fault is thrown. */
  readonly exceptions?: ExceptionList | undefined;
}

/** A data set to read: its specification, and what was made of its `fields:` and `prompt:`. */
export interface ExampleSource {
  readonly spec: DatasetSpec;
  readonly mapping: FieldMapping;
  readonly layouts: readonly PromptLayout[];
}

/**
 * The rows of `spec.yaml.source`, mapped, in id order (code units).
 *
 * @throws SupportCalError as loadDataset
 */
export async function readExamples(from: ExampleSource, options: ReadOptions): Promise<ReadExamples> {
  const { spec, mapping, layouts } = from;
  const context = await openRows(from, options);
  const { drafts, counts } = await identifiedRows(context);
  const { exceptions } = options;
  const { kept, leftOut } = applyRowPolicies(drafts, context);
  refuseShortLabelLists(kept, layouts, context);
  const { labels, missing, rules } = resolveLabels(kept, context);
  leftOut.push(...unlabelledRows(missing, kept, context));
  const refuseUnlessExcused = async () => {
    if (exceptions?.areExcused(drafts) !== true) await refuse(context);
  };
  await refuseUnlessExcused();
  const examples = sortedExamples(kept, labels, { leftOut, exceptions });
  if (examples.length === 0) context.faults.add({ file: context.source.fileOf(), message: 'every row was left out' });
  await refuseUnlessExcused();
  const { origin = [] } = context.source;
  const sample = sampleExamples(examples, spec);
  const drawn = typeof spec.yaml.source === 'object' && spec.yaml.source.sample !== undefined;
  const selection: RowSelection[] = [
    ...sourceSelection(spec, counts),
    ...(drawn ? [{ by: 'source.sample' as const, kept: sample.length, of: examples.length }] : []),
  ];
  const seen = { found: context.found, shown: [...context.promptFields.keys()], used: filterFields(spec) };
  const excused = await placeFaults(context.faults.list, context.source.files ?? []);
  const named = [...rules, ...namedRules(spec, mapping)];
  return { examples: sample, leftOut, selection, origin, seen, excused, rules: named };
}

function filterFields({ yaml: { source } }: DatasetSpec): string[] {
  const filter = typeof source === 'object' ? source.filter : undefined;
  return [filter ?? []].flat().map(({ field }) => field);
}

async function openRows({ spec, mapping, layouts }: ExampleSource, options: ReadOptions): Promise<DraftContext> {
  const faults = options.exceptions ?? new FaultList();
  return {
    spec,
    mapping,
    source: await openSource(spec, faults, options),
    faults,
    missing: new MissingFields((row) => options.exceptions?.addRow(row)),
    found: new Set(),
    promptFields: promptFields(layouts),
    leaveOut: leaveOutFields(mapping),
  };
}

/** All rows with an id each; fields that are missing and ids that stand twice are faults. */
async function identifiedRows(context: DraftContext) {
  const { drafts, counts } = await draftRows(context);
  context.missing.report(context, counts);
  refuseNothing(context, counts);
  assignContentIds(drafts);
  refuseDuplicateIds(drafts, context);
  return { drafts: drafts as readonly IdentifiedRow[], counts };
}

/** The examples that rows become, less those that are left out or at fault, in id order. */
function sortedExamples(
  rows: readonly IdentifiedRow[],
  labels: readonly (number | null)[],
  { leftOut, exceptions }: { readonly leftOut: readonly LeftOutRow[]; readonly exceptions?: ExceptionList | undefined },
): Example[] {
  const gone = new Set(leftOut.map((row) => row.id));
  const examples = rows.flatMap((draft, n) =>
    gone.has(draft.id) || exceptions?.has(draft) === true ? [] : [exampleOf(draft, labels[n] ?? null)],
  );
  return examples.sort((a, b) => compareStrings(a.id, b.id));
}

/** Throws the faults so far, if there are any, each with the place of its value in the file. */
async function refuse({ faults, source: { files = [] } }: DraftContext): Promise<void> {
  if (faults.count > 0) throw new SupportCalError('bad-input', await placeFaults(faults.list, files));
}

/** Rules that chose or changed rows by chance, with their generators: part of the data set's identity. */
function namedRules({ yaml: { source } }: DatasetSpec, mapping: FieldMapping): string[] {
  const { options, severalAnswers } = mapping;
  const sample = typeof source === 'object' ? source.sample : undefined;
  return [
    ...(options.kind === 'truth' || options.kind === 'right'
      ? [`order of options: ${TRUTH_ORDER}; seed ${options.seed}`]
      : []),
    ...(severalAnswers === 'first' ? ['of several right answers: the first'] : []),
    ...(severalAnswers === 'most' ? ['of several right answers: the one given most often'] : []),
    ...(sample ? [`sample: ${sample.count} rows by ${SHUFFLE_GENERATOR}; seed ${sample.seed}`] : []),
  ];
}

function promptFields(layouts: readonly PromptLayout[]): Map<string, readonly string[]> {
  const fields = new Map<string, readonly string[]>();
  for (const { template, yamlPath } of layouts) {
    for (const field of template.fields) if (field !== 'options' && !fields.has(field)) fields.set(field, yamlPath);
  }
  return fields;
}

/** Rows without a label, as `missingLabels` says; `unlabelled` has their positions. */
function unlabelledRows(
  unlabelled: readonly number[],
  rows: readonly IdentifiedRow[],
  context: DraftContext,
): LeftOutRow[] {
  const { mapping, faults } = context;
  const positions = new Set(unlabelled);
  const concerned = rows.filter((_, n) => positions.has(n));
  if (mapping.label === null || (mapping.missingLabels ?? 'keep') === 'keep') return [];
  if (mapping.missingLabels === 'skip') return concerned.map((row) => ({ id: row.id, reason: 'it has no label' }));
  for (const row of concerned) {
    const message = 'this row has no label; write `missingLabels: skip` to leave such rows out, or `keep`';
    faults.add(rowFault(row, mapping.label.field, message, context));
  }
  return [];
}

function refuseShortLabelLists(
  rows: readonly IdentifiedRow[],
  layouts: readonly PromptLayout[],
  { spec, faults }: DraftContext,
): void {
  let longest: IdentifiedRow | undefined;
  for (const row of rows) if (longest === undefined || row.options.length > longest.options.length) longest = row;
  if (longest === undefined) return;
  const needed = longest.options.length;
  const short = layouts.find((layout) => optionLabels(layout.optionLabels, needed).length < needed);
  if (short === undefined) return;
  const message = `row ${longest.id} has ${needed} options; give at least as many option labels`;
  const path = ['prompt', 'optionLabels'];
  faults.add({ file: spec.file, ...spec.locate(path), field: path.join('.'), message });
}

function exampleOf(draft: IdentifiedRow, label: number | null): Example {
  const { id, fields, options, contentHash, nearHash, group } = draft;
  return { id, fields, options, label, contentHash, nearHash, ...(group !== null && { group }) };
}
