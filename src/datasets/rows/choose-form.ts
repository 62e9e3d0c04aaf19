import { SupportCalError } from '../../errors/supportcal-error.js';
import { FaultList } from '../../formats/row/fault-list.js';
import { fieldOf, type RowObject } from '../../formats/row/source-row.js';
import type { DatasetSpec } from '../example/dataset-spec.js';
import { fieldMapping, optionFields } from '../fields/field-mapping.js';
import { openSource } from '../source/open-source.js';

/**
 * The specification as it reads the local file that its source names: itself where the first row has its fields, else
 * with the first of `forms` whose fields that row has; itself again where none fits, which the reader of the rows then
 * says. A `hub` source is what `fields` was written for.
 */
export async function chooseForm(spec: DatasetSpec): Promise<DatasetSpec> {
  const { forms, source } = spec.yaml;
  if (forms === undefined || source === undefined || (typeof source === 'object' && source.hub !== undefined))
    return spec;
  const specs = otherForms(spec);
  // Any file of that width can be read without a header line: those that have one are tried first.
  const isHeaderless = (_: unknown, n: number) => forms[n]?.header !== undefined;
  const tried = [spec, ...specs.filter((each, n) => !isHeaderless(each, n)), ...specs.filter(isHeaderless)];
  for (const each of tried) if (await fits(each)) return each;
  return spec;
}

type FormYaml = NonNullable<DatasetSpec['yaml']['forms']>[number];

/** The specification in each of its other forms, with the places of their fields. */
export function otherForms(spec: DatasetSpec): DatasetSpec[] {
  return (spec.yaml.forms ?? []).map((form, n) => withForm(spec, form, n));
}

function withForm(spec: DatasetSpec, { fields, decode, ...csv }: FormYaml, n: number): DatasetSpec {
  const { source } = spec.yaml;
  const own = typeof source === 'string' ? { path: source } : source;
  return {
    ...spec,
    yaml: { ...spec.yaml, source: { ...own, ...csv }, fields, decode },
    locate: (path) => {
      const inForm = path[0] === 'fields' || path[0] === 'decode' || path[1] === 'header';
      return spec.locate(inForm ? ['forms', n, ...(path[1] === 'header' ? ['header'] : path)] : path);
    },
  };
}

/** The specification, or the first of its other forms, whose fields a row has; itself where none fits. */
export function formOfRow(spec: DatasetSpec, row: RowObject): DatasetSpec {
  return [spec, ...otherForms(spec)].find((each) => hasFields(row, each)) ?? spec;
}

/** Whether the first row can be read, and has every field that the mapping needs. */
async function fits(spec: DatasetSpec): Promise<boolean> {
  try {
    const { batches } = await openSource(spec, new FaultList());
    for await (const [row] of batches) return row !== undefined && hasFields(row.values, spec);
  } catch (error) {
    if (!(error instanceof SupportCalError) || error.code === 'interrupted') throw error;
  }
  return false;
}

function hasFields(row: RowObject, spec: DatasetSpec): boolean {
  const { idFields, options, label, promptNames, missingLabels } = fieldMapping(spec);
  const needed = [
    ...idFields,
    ...optionFields(options),
    ...(label === null || missingLabels !== undefined ? [] : [label.field]),
    ...(label?.keys === undefined ? [] : [label.keys]),
    ...promptNames.values(),
  ];
  return needed.every((field) => fieldOf(row, field) !== undefined);
}
