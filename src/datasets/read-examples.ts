import { SupportCalError } from '../errors/supportcal-error.js';
import { SHUFFLE_GENERATOR } from '../numeric/random/shuffle.js';
import { compareStrings } from '../numeric/string-order.js';
import type { DatasetSpec } from './example/dataset-spec.js';
import type { Example, LeftOutRow } from './example/example.js';
import type { FieldMapping } from './fields/field-mapping.js';
import { MissingFields } from './fields/missing-fields.js';
import { FaultList } from './formats/fault-list.js';
import { resolveLabels } from './labels/resolve-labels.js';
import { optionLabels } from './options/option-labels.js';
import { TRUTH_ORDER } from './options/truth-options.js';
import type { PromptPlan } from './prompts/prompt-plan.js';
import { assignContentIds, refuseDuplicateIds } from './rows/assign-ids.js';
import { type DraftContext, type DraftRow, leaveOutFields, rowFault } from './rows/draft-row.js';
import { draftRows, refuseNothing } from './rows/draft-rows.js';
import { applyRowPolicies, sampleExamples } from './rows/row-policies.js';
import { openSource, type RowSource, type SourceOptions } from './source/open-source.js';
import { withColumns } from './source/with-columns.js';

export interface ReadExamples {
  readonly examples: Example[];
  readonly leftOut: LeftOutRow[];
  readonly rules: string[];
  readonly origin: readonly string[];
}

/**
 * The rows of `spec.yaml.source`, mapped, in id order (code units).
 *
 * @throws SupportCalError as loadDataset
 */
export async function readExamples(
  spec: DatasetSpec,
  mapping: FieldMapping,
  plans: readonly PromptPlan[],
  options: SourceOptions,
): Promise<ReadExamples> {
  const faults = new FaultList();
  const source = await openSource(spec, faults, options);
  const context: DraftContext = {
    mapping,
    source,
    faults,
    missing: new MissingFields(),
    found: new Set(),
    promptFields: promptFields(plans),
    leaveOut: leaveOutFields(mapping),
  };
  const { drafts, counts } = await draftRows(spec, context);
  context.missing.report(spec, source, counts, context.found, faults);
  refuseNothing(spec, counts, source.fileOf(), faults);
  if (mapping.idFields.length === 0) assignContentIds(drafts);
  refuseDuplicateIds(drafts, source, faults, mapping.idFields[0]);
  const { kept, leftOut } = applyRowPolicies(drafts, context);
  refuseShortLabelLists(kept, plans, spec, faults);
  const { labels, missing, rules } = resolveLabels(kept, context, spec);
  leftOut.push(
    ...unlabelledRows(
      missing.map((n) => kept[n]!),
      context,
    ),
  );
  await refuse(faults, source);
  const gone = new Set(leftOut.map((row) => row.id));
  const examples = kept.map((draft, n) => exampleOf(draft, labels[n]!)).filter((example) => !gone.has(example.id));
  examples.sort((a, b) => compareStrings(a.id, b.id));
  if (examples.length === 0) faults.add({ file: source.fileOf(), message: 'every row was left out' });
  await refuse(faults, source);
  const { origin = [] } = source;
  return { examples: sampleExamples(examples, spec), leftOut, origin, rules: [...rules, ...namedRules(spec, mapping)] };
}

async function refuse(faults: FaultList, { texts = [] }: RowSource): Promise<void> {
  if (faults.count > 0) throw new SupportCalError('bad-input', await withColumns(faults.list, texts));
}

/** Rules that chose or changed rows by chance, with their generators: part of the data set's identity. */
function namedRules({ yaml: { source } }: DatasetSpec, { options }: FieldMapping): string[] {
  const sample = typeof source === 'object' ? source.sample : undefined;
  return [
    ...(options.kind === 'truth' || options.kind === 'right'
      ? [`order of options: ${TRUTH_ORDER}; seed ${options.seed}`]
      : []),
    ...(sample ? [`sample: ${sample.count} rows by ${SHUFFLE_GENERATOR}; seed ${sample.seed}`] : []),
  ];
}

function promptFields(plans: readonly PromptPlan[]): Map<string, readonly string[]> {
  const fields = new Map<string, readonly string[]>();
  for (const { template, yamlPath } of plans) {
    for (const field of template.fields) if (field !== 'options' && !fields.has(field)) fields.set(field, yamlPath);
  }
  return fields;
}

/** Rows without a label, as `missingLabels` says. */
function unlabelledRows(unlabelled: readonly DraftRow[], context: DraftContext): LeftOutRow[] {
  const { mapping, faults } = context;
  if (mapping.label === null || (mapping.missingLabels ?? 'keep') === 'keep') return [];
  if (mapping.missingLabels === 'skip') return unlabelled.map((row) => ({ id: row.id!, reason: 'it has no label' }));
  for (const row of unlabelled) {
    const message = 'this row has no label; write `missingLabels: skip` to leave such rows out, or `keep`';
    faults.add(rowFault(row, mapping.label.field, message, context));
  }
  return [];
}

function refuseShortLabelLists(
  rows: readonly DraftRow[],
  plans: readonly PromptPlan[],
  spec: DatasetSpec,
  faults: FaultList,
): void {
  let longest: DraftRow | undefined;
  for (const row of rows) if (longest === undefined || row.options.length > longest.options.length) longest = row;
  if (longest === undefined) return;
  const needed = longest.options.length;
  const short = plans.find((plan) => optionLabels(plan.optionLabels, needed).length < needed);
  if (short === undefined) return;
  const message = `row ${longest.id} has ${needed} options; give at least as many option labels`;
  const path = ['prompt', 'optionLabels'];
  faults.add({ file: spec.file, ...spec.locate(path), field: path.join('.'), message });
}

function exampleOf(draft: DraftRow, label: number | null): Example {
  const { fields, options, contentHash } = draft;
  return { id: draft.id!, fields, options, label, contentHash };
}
