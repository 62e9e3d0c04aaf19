import { assignContentIds, compare, refuseDuplicateIds } from './assign-ids.js';
import type { DatasetSpec } from './dataset-spec.js';
import { type DraftContext, type DraftRow, draftRow, leaveOutFields } from './draft-row.js';
import { eachRow } from './each-row.js';
import type { Example, LeftOutRow } from './example.js';
import { FaultList } from './fault-list.js';
import type { FieldMapping } from './field-mapping.js';
import { MissingFields, type RowCounts } from './missing-fields.js';
import { openSource } from './open-source.js';
import { optionLabels } from './option-labels.js';
import type { PromptPlan } from './prompt-plan.js';
import { resolveLabels } from './resolve-labels.js';
import { rowFilter } from './row-filter.js';
import { sampleExamples } from './sample-examples.js';

/**
 * The rows of `spec.yaml.source`, mapped, in id order (code units). `namedBy`: the field with its path, for messages.
 *
 * @throws SupportCalError as loadDataset
 */
export async function readExamples(
  spec: DatasetSpec,
  mapping: FieldMapping,
  plans: readonly PromptPlan[],
  namedBy?: readonly string[],
): Promise<{ examples: Example[]; leftOut: LeftOutRow[] }> {
  const faults = new FaultList();
  const source = await openSource(spec, faults, namedBy);
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
  refuseDuplicateIds(drafts, source, faults);
  const { kept, leftOut } = splitEmptyOptions(drafts, context);
  refuseShortLabelLists(kept, plans, spec, faults);
  const labels = resolveLabels(kept, context, spec);
  faults.throwIfAny();
  const examples = kept.map((draft, n) => exampleOf(draft, labels[n]!));
  examples.sort((a, b) => compare(a.id, b.id));
  if (examples.length === 0) faults.add({ file: source.fileOf(), message: 'every row was left out' });
  faults.throwIfAny();
  return { examples: sampleExamples(examples, spec), leftOut };
}

async function draftRows(spec: DatasetSpec, context: DraftContext): Promise<{ drafts: DraftRow[]; counts: RowCounts }> {
  const limit = (typeof spec.yaml.source === 'object' ? spec.yaml.source.limit : undefined) ?? Infinity;
  const keep = rowFilter(spec);
  const drafts: DraftRow[] = [];
  const counts = { read: 0, kept: 0 };
  await eachRow(context.source.batches, context.faults, (row) => {
    if (counts.kept >= limit) return false;
    counts.read++;
    if (keep !== null && !keep(row, context)) return true;
    counts.kept++;
    const draft = draftRow(row, context);
    if (draft !== null) drafts.push(draft);
    return true;
  });
  return { drafts, counts };
}

function refuseNothing(spec: DatasetSpec, { read, kept }: RowCounts, file: string, faults: FaultList): void {
  if (faults.count > 0 || kept > 0) return;
  if (read === 0) faults.add({ file, message: 'has no rows' });
  else {
    const path = ['source', 'filter'];
    const message = `none of the ${read} rows passes the filter; compare its values with those of the file`;
    faults.add({ file: spec.file, ...spec.locate(path), field: path.join('.'), message });
  }
}

function promptFields(plans: readonly PromptPlan[]): Map<string, readonly string[]> {
  const fields = new Map<string, readonly string[]>();
  for (const { template, yamlPath } of plans) {
    for (const field of template.fields) if (field !== 'options' && !fields.has(field)) fields.set(field, yamlPath);
  }
  return fields;
}

function splitEmptyOptions(drafts: readonly DraftRow[], { mapping, source, faults }: DraftContext) {
  const kept: DraftRow[] = [];
  const leftOut: LeftOutRow[] = [];
  for (const draft of drafts) {
    const empty = draft.options.findIndex((option) => option.trim() === '');
    if (empty < 0) {
      kept.push(draft);
      continue;
    }
    const reason = `option ${empty + 1} is empty`;
    if (mapping.emptyOptions === 'skip') leftOut.push({ id: draft.id!, reason });
    else {
      const field = mapping.options.kind === 'columns' ? mapping.options.columns[empty] : undefined;
      const message = `${reason}; fill it, or write \`emptyOptions: skip\` to leave such rows out`;
      faults.add({ file: source.fileOf(field), line: draft.line, field, row: draft.id!, message });
    }
  }
  return { kept, leftOut };
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
