import type { DatasetYaml } from '../config/dataset-schema.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import type { DatasetSpec } from './dataset-spec.js';

export type OptionsMapping =
  | { readonly kind: 'list'; readonly field: string }
  | { readonly kind: 'columns'; readonly columns: readonly string[] }
  | { readonly kind: 'fixed'; readonly labels: readonly string[] };

export type LabelKind = 'index' | 'letter' | 'text';

export interface LabelMapping {
  readonly field: string;
  /** undefined: to be inferred from the whole file. */
  readonly as: LabelKind | undefined;
  readonly labelBase: 0 | 1 | undefined;
  /** Where the label stands in the YAML file. */
  readonly yamlPath: readonly string[];
}

/** `fields:` of a data-set YAML in one shape, whichever of its short forms the user wrote. */
export interface FieldMapping {
  /** Empty: ids are content hashes. */
  readonly idFields: readonly string[];
  readonly options: OptionsMapping;
  readonly label: LabelMapping | null;
  readonly emptyOptions: 'refuse' | 'skip';
}

/** Throws bad-input, with the YAML position, when the mapping is absent or contradicts itself. */
export function fieldMapping(spec: DatasetSpec): FieldMapping {
  const fields = spec.yaml.fields;
  if (fields === undefined) throw yamlFault(spec, ['fields'], 'say which fields hold the options and the label');
  const id = fields.id;
  const mapping: FieldMapping = {
    idFields: id === undefined ? [] : typeof id === 'string' ? [id] : id,
    options: optionsMapping(fields.options),
    label: labelMapping(spec, fields.label),
    emptyOptions: spec.yaml.emptyOptions ?? 'refuse',
  };
  const { options } = mapping;
  const names = options.kind === 'columns' ? options.columns : options.kind === 'fixed' ? options.labels : [];
  const twice = names.find((name, n) => names.indexOf(name) !== n);
  if (twice !== undefined) throw yamlFault(spec, ['fields', 'options'], `"${twice}" stands twice; remove one of them`);
  return mapping;
}

type OptionsYaml = NonNullable<DatasetYaml['fields']>['options'];
type LabelYaml = NonNullable<DatasetYaml['fields']>['label'];

function optionsMapping(yaml: OptionsYaml): OptionsMapping {
  if (typeof yaml === 'string') return { kind: 'list', field: yaml };
  if ('field' in yaml) return { kind: 'list', field: yaml.field };
  if ('columns' in yaml) return { kind: 'columns', columns: yaml.columns };
  return { kind: 'fixed', labels: yaml.labels };
}

function labelMapping(spec: DatasetSpec, yaml: LabelYaml): LabelMapping | null {
  if (yaml === undefined) return null;
  const label = typeof yaml === 'string' ? { field: yaml } : yaml;
  const outer = spec.yaml.labelBase;
  if (outer !== undefined && label.labelBase !== undefined && outer !== label.labelBase) {
    throw yamlFault(spec, ['labelBase'], `labelBase is ${outer} here and ${label.labelBase} in fields.label; keep one`);
  }
  const labelBase = label.labelBase ?? outer;
  if (label.as === 'index' && labelBase === undefined) {
    throw yamlFault(
      spec,
      ['fields', 'label'],
      'an index needs `labelBase: 0` or `labelBase: 1`: what the first option is called',
    );
  }
  return { field: label.field, as: label.as, labelBase, yamlPath: ['fields', 'label'] };
}

function yamlFault(spec: DatasetSpec, path: readonly string[], message: string): SupportCalError {
  return new SupportCalError('bad-input', { file: spec.file, ...spec.locate(path), field: path.join('.'), message });
}
