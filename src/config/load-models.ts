import { type Fault, SupportCalError } from '../errors/supportcal-error.js';
import { applyLocalModels, type FilePlace } from './apply-local-models.js';
import { checkReferences, type MethodCheck } from './check-references.js';
import type { ModelSpec, ModelsFile, SuiteSpec } from './models-schema.js';
import { writtenModels } from './written-models.js';
import { readYamlFile } from './yaml/read-yaml-file.js';
import type { FieldPath } from './yaml/yaml-document.js';

export interface LoadedModels extends ModelsFile {
  /** Path as the user gave it. */
  readonly file: string;
  /** Hash of the bytes that were read; absent: they are from no file. */
  readonly sha256?: string;
  /** `models.local.yaml` where there is one. */
  readonly localFile: string | null;
  locate(path: FieldPath): { line?: number; column?: number };
  /** Where the file of a model is written: in models.yaml, or in models.local.yaml. */
  placeOfFile(model: ModelSpec): FilePlace;
}

export interface ReadModels {
  readonly faults: readonly Fault[];
  /** What can be planned with: all of the file, or with faults what is left without them. */
  readonly models: LoadedModels;
  /** Suites of which nothing could be read. */
  readonly lost: readonly string[];
}

export interface ReadOptions {
  readonly quant?: string | undefined;
  readonly methodsOf?: MethodCheck | undefined;
}

/**
 * Reads models.yaml, puts the quantisation and the files of models.local.yaml in, and checks what one entry says of
 * another: unique ids, own bases that exist and are bases, suites that name known models, relative paths that stay in
 * the project. Throws `missing-file` or `bad-input` with all faults.
 */
export async function loadModels(file: string, options: ReadOptions = {}): Promise<LoadedModels> {
  const { models, faults } = await readModels(file, options);
  if (faults.length > 0) throw new SupportCalError('bad-input', faults);
  return models;
}

/**
 * Reads models.yaml and gives its faults beside what is left without them. Throws only for a file that is not there or
 * is no YAML.
 */
export async function readModels(file: string, { quant, methodsOf }: ReadOptions = {}): Promise<ReadModels> {
  const document = await readYamlFile(
    file,
    'no such file; `supportcal init` writes one, `--models FILE` names another',
  );
  const { faults: schemaFaults, guessed, lost, ...written } = writtenModels(document);
  const local = await applyLocalModels(file, written, quant);
  const entries = { ...written, models: local.models };
  const placeOfFile = (model: ModelSpec): FilePlace =>
    local.places.get(model.id) ?? { file, ...document.locate(['models', entries.models.indexOf(model), 'file']) };
  const faults = [
    ...schemaFaults,
    ...local.faults,
    ...checkReferences({ ...entries, document, guessed, placeOfFile, methodsOf }),
  ];
  const suites = faults.length === 0 ? entries.suites : plannableSuites(entries);
  return {
    models: {
      ...entries,
      suites,
      file,
      sha256: document.sha256,
      localFile: local.file,
      locate: document.locate,
      placeOfFile,
    },
    faults,
    lost,
  };
}

/** The suites without the models that faults make unusable: unknown ones, and targets whose own base is unknown. */
function plannableSuites({ models, suites }: ModelsFile): Record<string, SuiteSpec> {
  const bases = new Set(idsOf(models, (model) => model.role === 'base'));
  const targets = idsOf(models, (model) => model.role === 'post-trained' && bases.has(model.base ?? ''));
  const usable = new Set(targets);
  const known = (names: readonly string[]) => [...new Set(names)].filter((name) => usable.has(name));
  return Object.fromEntries(
    Object.entries(suites).map(([name, suite]): [string, SuiteSpec] => {
      const { targets: asked, references, datasets } = suite;
      const list = Array.isArray(asked) ? known(asked) : targets;
      const perDataset =
        asked === 'all' || Array.isArray(asked)
          ? null
          : datasets.map((id) => [id, known(Object.hasOwn(asked, id) ? (asked[id] ?? []) : [])] as const);
      return [
        name,
        {
          ...suite,
          targets: perDataset === null ? list : Object.fromEntries(perDataset),
          ...(references && { references: references.filter((id) => bases.has(id)) }),
        },
      ];
    }),
  );
}

function idsOf(models: readonly ModelSpec[], wanted: (model: ModelSpec) => boolean): string[] {
  return [...new Set(models.filter(wanted).map(({ id }) => id))];
}
