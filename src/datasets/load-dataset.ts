import { assignContentIds, compare, refuseDuplicateIds } from './assign-ids.js';
import { datasetHash } from './content-hash.js';
import type { DatasetSpec } from './dataset-spec.js';
import { datasetWarnings } from './dataset-warnings.js';
import { type DraftContext, type DraftRow, draftRow, leaveOutFields } from './draft-row.js';
import { eachRow } from './each-row.js';
import type { Dataset, Example, LeftOutRow } from './example.js';
import { FaultList } from './fault-list.js';
import { fieldMapping } from './field-mapping.js';
import { MissingFields } from './missing-fields.js';
import { openSource } from './open-source.js';
import { optionLabels } from './option-labels.js';
import { allPromptPlans, type PromptPlan } from './prompt-plan.js';
import { resolveLabels } from './resolve-labels.js';

/**
 * Reads the rows of a data set and maps them as its YAML says. Examples come back in id order (code units), so that
 * the order of lines in the file changes nothing.
 *
 * @throws SupportCalError missing-file; bad-input with all faults of the source (at most 50 are listed): broken rows,
 *   missing fields, labels out of range, empty options, duplicate ids, fewer than 2 or more than 26 options
 */
export async function loadDataset(spec: DatasetSpec): Promise<Dataset> {
  const mapping = fieldMapping(spec);
  const plans = allPromptPlans(spec);
  const faults = new FaultList();
  const source = await openSource(spec, faults);
  const context: DraftContext = {
    mapping,
    source,
    faults,
    missing: new MissingFields(),
    found: new Set(),
    promptFields: promptFields(plans),
    leaveOut: leaveOutFields(mapping),
  };
  const { drafts, rowCount } = await draftRows(spec, context);
  if (rowCount === 0 && faults.count === 0) faults.add({ file: source.fileOf(), message: 'has no rows' });
  context.missing.report(spec, source, rowCount, context.found, faults);
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
  const { id } = spec;
  const warnings = datasetWarnings(examples, mapping);
  return { id, title: spec.yaml.title ?? id, examples, leftOut, warnings, hash: datasetHash(examples) };
}

async function draftRows(spec: DatasetSpec, context: DraftContext): Promise<{ drafts: DraftRow[]; rowCount: number }> {
  const limit = (typeof spec.yaml.source === 'object' ? spec.yaml.source.limit : undefined) ?? Infinity;
  const drafts: DraftRow[] = [];
  let rowCount = 0;
  await eachRow(context.source.batches, context.faults, (row) => {
    if (row.number > limit) return false;
    rowCount++;
    const draft = draftRow(row, context);
    if (draft !== null) drafts.push(draft);
    return true;
  });
  return { drafts, rowCount };
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
