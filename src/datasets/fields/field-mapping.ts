import type { DatasetYaml } from '../../config/dataset-schema.js';
import { type Fault, SupportCalError } from '../../errors/supportcal-error.js';
import { KEY_FIELD } from '../../formats/json/laid-out-rows.js';
import type { DatasetSpec } from '../example/dataset-spec.js';
import { PART_FIELD } from '../source/explode-rows.js';

export type OptionsMapping =
  | { readonly kind: 'list'; readonly field: string; readonly separator: string | undefined }
  | { readonly kind: 'columns'; readonly columns: readonly string[] }
  | { readonly kind: 'fixed'; readonly labels: readonly string[] }
  | { readonly kind: 'lettered'; readonly field: string }
  | { readonly kind: 'map'; readonly field: string }
  | { readonly kind: 'truth'; readonly field: string; readonly seed: number }
  | {
      readonly kind: 'right';
      readonly right: string;
      readonly wrong: readonly string[];
      readonly separator: string | undefined;
      readonly seed: number;
    };

/** What the first option is called; detect: the labels of the whole file tell. */
type LabelBase = 0 | 1 | 'detect';

/** What becomes of rows with more than one right answer. */
export type SeveralAnswers = 'refuse' | 'skip' | 'first' | 'most';

/** What becomes of rows of some kind. */
type RowPolicy = 'refuse' | 'skip' | 'keep';

export type LabelKind = 'index' | 'letter' | 'text' | 'truth';

export interface LabelMapping {
  readonly field: string;
  /** undefined: to be inferred from the whole file. */
  readonly as: LabelKind | undefined;
  readonly labelBase: LabelBase | undefined;
  /** Field with the row's own option labels; the label is one of them. */
  readonly keys: string | undefined;
  /** The label is one of the letters that the options of the row have in their map. */
  readonly amongLetters?: boolean;
  /** Where the label stands in the YAML file. */
  readonly yamlPath: readonly string[];
}

/** `fields:` of a data-set YAML in one shape, whichever of its short forms the user wrote. */
export interface FieldMapping {
  /** Empty: ids are content hashes. */
  readonly idFields: readonly string[];
  readonly options: OptionsMapping;
  readonly label: LabelMapping | null;
  /** Field whose value keeps rows together; null: each stands for itself. */
  readonly group: string | null;
  /** Name in prompts -> field of the row, where they differ. */
  readonly promptNames: ReadonlyMap<string, string>;
  readonly emptyOptions: RowPolicy;
  readonly duplicateOptions: RowPolicy;
  readonly severalAnswers: SeveralAnswers;
  /** Fields that reading the source added, which are no content. */
  readonly addedFields: readonly string[];
  /** undefined: kept, but a label field that is not there at all is a mistake. */
  readonly missingLabels: RowPolicy | undefined;
}

/** Throws bad-input, with the YAML positions, when the mapping is absent or contradicts itself. */
export function fieldMapping(spec: DatasetSpec): FieldMapping {
  const { fields, emptyOptions = 'refuse', duplicateOptions = 'keep', missingLabels, scoring } = spec.yaml;
  const { severalAnswers = 'refuse' } = spec.yaml;
  const faults: Fault[] = [];
  const complain: Complain = (path, message) =>
    faults.push({ file: spec.file, ...spec.locate(path), field: path.join('.'), message });
  if (fields === undefined) {
    complain(['fields'], 'say which fields hold the options and the label');
    throw new SupportCalError('bad-input', faults);
  }
  const options = optionsMapping(fields.options);
  if (typeof fields.options === 'object' && 'field' in fields.options && fields.options.extract !== undefined) {
    if (fields.options.separator !== undefined)
      complain(['fields', 'options', 'separator'], 'lettered options are cut at their labels; remove one of the two');
  }
  const label = labelMapping(spec, fields.label, fields.options, complain);
  if (emptyOptions === 'keep' && (scoring?.mode ?? 'letter') !== 'letter') {
    complain(['emptyOptions'], 'an empty option has no text to score; write `skip`, or `scoring.mode: letter`');
  }
  const names = 'field' in options ? [] : options.kind === 'fixed' ? options.labels : optionFields(options);
  const twice = names.find((name, n) => names.indexOf(name) !== n);
  if (twice !== undefined) complain(['fields', 'options'], `"${twice}" stands twice; remove one of them`);
  if (faults.length > 0) throw new SupportCalError('bad-input', faults);
  const idFields = [fields.id ?? []].flat();
  const promptNames = new Map(Object.entries(fields.prompt ?? {}));
  const policies = { emptyOptions, duplicateOptions, severalAnswers, missingLabels };
  return {
    idFields,
    options,
    label,
    group: fields.group ?? null,
    promptNames,
    addedFields: addedFields(spec),
    ...policies,
  };
}

function addedFields({ yaml: { source } }: DatasetSpec): string[] {
  if (typeof source !== 'object') return [];
  return [...(source.explode === undefined ? [] : [PART_FIELD]), ...(source.layout === 'keyed' ? [KEY_FIELD] : [])];
}

type Complain = (path: readonly string[], message: string) => void;
/** Fields that hold the options; none where all rows have the same. */
export function optionFields(options: OptionsMapping): readonly string[] {
  if (options.kind === 'fixed') return [];
  if (options.kind === 'columns') return options.columns;
  return options.kind === 'right' ? [options.right, ...options.wrong] : [options.field];
}

/** Whether the options say which of them is right, and come in an order that is drawn. */
export function bringsLabel(options: OptionsMapping): boolean {
  return options.kind === 'truth' || options.kind === 'right';
}

type OptionsYaml = NonNullable<DatasetYaml['fields']>['options'];
type LabelYaml = NonNullable<DatasetYaml['fields']>['label'];

function optionsMapping(yaml: OptionsYaml): OptionsMapping {
  if (typeof yaml === 'string') return { kind: 'list', field: yaml, separator: undefined };
  if ('truth' in yaml) return { kind: 'truth', field: yaml.truth, seed: yaml.seed };
  if ('right' in yaml) return { ...yaml, kind: 'right', wrong: [yaml.wrong].flat(), separator: yaml.separator };
  if ('field' in yaml && yaml.extract !== undefined) return { kind: yaml.extract, field: yaml.field };
  if ('field' in yaml) return { kind: 'list', field: yaml.field, separator: yaml.separator };
  if ('map' in yaml) return { kind: 'map', field: yaml.map };
  if ('columns' in yaml) return { kind: 'columns', columns: yaml.columns };
  return { kind: 'fixed', labels: yaml.labels };
}

function labelMapping(
  spec: DatasetSpec,
  yaml: LabelYaml,
  options: OptionsYaml,
  complain: Complain,
): LabelMapping | null {
  const yamlPath = ['fields', 'label'];
  if (typeof options === 'object' && ('truth' in options || 'right' in options)) {
    const [key, field] = 'truth' in options ? (['truth', options.truth] as const) : (['right', options.right] as const);
    if (yaml !== undefined) complain(yamlPath, `options with \`${key}\` bring their label; remove this one`);
    return { field, as: 'index', labelBase: 0, keys: undefined, yamlPath: ['fields', 'options', key] };
  }
  if (yaml === undefined) return null;
  const label = typeof yaml === 'string' ? { field: yaml } : yaml;
  const outer = spec.yaml.labelBase;
  if (outer !== undefined && label.labelBase !== undefined && outer !== label.labelBase) {
    complain(['labelBase'], `labelBase is ${outer} here and ${label.labelBase} in fields.label; keep one`);
  }
  const labelBase = label.labelBase ?? outer;
  if (label.keys !== undefined) {
    if (label.as !== undefined || labelBase !== undefined)
      complain(yamlPath, 'a label with `keys` is found among them; remove `as` and `labelBase`');
    return { field: label.field, as: 'index', labelBase: 0, keys: label.keys, yamlPath };
  }
  if (label.as === 'index' && labelBase === undefined) {
    complain(yamlPath, 'an index needs `labelBase: 0` or `labelBase: 1`: what the first option is called');
  }
  // The letters of such options are the row's own, of which the label is one.
  const hasLetters = label.as === undefined || label.as === 'letter';
  if (typeof options === 'object' && 'map' in options && labelBase === undefined && hasLetters)
    return { field: label.field, as: 'index', labelBase: 0, keys: undefined, amongLetters: true, yamlPath };
  const as = label.as ?? (labelBase === 'detect' ? 'index' : undefined);
  return { field: label.field, as, labelBase, keys: undefined, yamlPath };
}
