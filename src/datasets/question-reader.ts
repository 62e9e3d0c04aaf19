import { FaultList } from '../formats/row/fault-list.js';
import type { SourceRow } from '../formats/row/source-row.js';
import type { DatasetSpec } from './example/dataset-spec.js';
import type { Example } from './example/example.js';
import { rowDecoder } from './fields/decode-fields.js';
import { bringsLabel, fieldMapping } from './fields/field-mapping.js';
import { type GivenId, givenId } from './fields/given-id.js';
import { MissingFields } from './fields/missing-fields.js';
import { optionLabels } from './options/option-labels.js';
import { allPromptLayouts } from './prompts/prompt-layout.js';
import { formOfRow } from './rows/choose-form.js';
import { type DraftContext, draftRow, leaveOutFields } from './rows/draft-row.js';
import { applyRowPolicies } from './rows/row-policies.js';

/** One question, or why it cannot be asked; and what stands in place of the id that its data set names. */
export type ReadQuestion = Pick<GivenId, 'instead'> &
  (
    | { readonly kind: 'ok'; readonly example: Example }
    | { readonly kind: 'wrong'; readonly id: string; readonly reason: string }
  );

/** Reads questions one by one, each for itself: what is wrong with one concerns no other. */
export type QuestionReader = (row: SourceRow) => ReadQuestion;

/**
 * A reader of new questions with the fields of a data set. A row goes by what `givenId` says, and labels are not looked
 * at. Where the data set has several forms, the first row decides which one the rows have.
 *
 * @throws SupportCalError bad-input: what `fields` or `prompt` of the data set say cannot be used
 */
export function questionReader(spec: DatasetSpec): QuestionReader {
  let read: QuestionReader | undefined;
  const asGiven = readerOf(spec);
  if (spec.yaml.forms === undefined) return asGiven;
  return (row) => {
    read ??= readerOf(formOfRow(spec, row.values));
    return read(row);
  };
}

/** Counts of a row among others, so that a field which it lacks is a fault of the row and not of the data set. */
const ONE_OF_MANY = { read: Infinity, kept: Infinity, cut: false };

function readerOf(spec: DatasetSpec): QuestionReader {
  const mapping = fieldMapping(spec);
  const label = bringsLabel(mapping.options) ? mapping.label : null;
  const { layouts, faults } = allPromptLayouts(spec);
  throwFaults(faults);
  const decode = rowDecoder(spec.yaml.decode);
  const promptFields = new Map(
    layouts.flatMap(({ template, yamlPath }) =>
      template.fields.filter((field) => field !== 'options').map((field) => [field, yamlPath] as const),
    ),
  );
  const source = { batches: noRows(), fileOf: () => '' };
  // A row whose id is not there is named by its number.
  const unnamed = { ...mapping, label, idFields: [] };
  const common = { spec, mapping: unnamed, source, promptFields, leaveOut: leaveOutFields(mapping) };
  return (raw) => {
    const context: DraftContext = {
      ...common,
      faults: new FaultList(),
      missing: new MissingFields(),
      found: new Set(),
    };
    const { id, instead } = givenId(raw, mapping.idFields);
    const wrong = (reason: string): ReadQuestion => ({ kind: 'wrong', id, reason, instead });
    const undecodable = (field: string) => context.missing.add(field, raw, ['decode', field]);
    const values = decode === null ? raw.values : decode(raw.values, undecodable);
    const draft = draftRow({ ...raw, values }, context);
    context.missing.report(context, ONE_OF_MANY);
    const { kept, leftOut } = applyRowPolicies(draft === null ? [] : [{ ...draft, id }], context);
    const short = layouts.find(({ optionLabels: own }) => {
      const needed = draft?.options.length ?? 0;
      return optionLabels(own, needed).length < needed;
    });
    if (short !== undefined) return wrong(`has ${draft?.options.length} options, more than there are option labels`);
    const [left] = leftOut;
    if (left !== undefined) return wrong(left.reason);
    const [first] = kept;
    if (first === undefined || context.faults.count > 0) return wrong(reasonsOf(context.faults));
    const { fields, options, contentHash } = first;
    return { kind: 'ok', example: { id, fields, options, label: null, contentHash }, instead };
  };
}

function reasonsOf({ list }: FaultList): string {
  const said = list.map(({ field, message }) => (field === undefined ? message : `${field}: ${message}`));
  return said.join('; ') || 'the row is no question of this data set';
}

function throwFaults(faults: readonly Parameters<FaultList['add']>[0][]): void {
  const list = new FaultList();
  for (const fault of faults) list.add(fault);
  list.throwIfAny();
}

async function* noRows(): AsyncGenerator<never[]> {
  // The reader is given its rows.
}
