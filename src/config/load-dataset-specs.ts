import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { nearest } from '../errors/nearest.js';
import { type Fault, SupportCalError } from '../errors/supportcal-error.js';
import { type DatasetYaml, datasetSchema } from './dataset-schema.js';
import { tryMatch } from './yaml/check-schema.js';
import { type ReadBytes, readYamlFile } from './yaml/read-yaml-file.js';
import { withoutFaults } from './yaml/without-faults.js';
import type { FieldPath, YamlDocument } from './yaml/yaml-document.js';

/** One `datasets/NAME.yaml`, checked against the schema, with the positions of its fields. */
export interface LoadedDatasetSpec {
  readonly id: string;
  /** Path of the YAML file as the user wrote it. */
  readonly file: string;
  /** Hash of the bytes of the YAML file that were read; absent: it is from no file. */
  readonly sha256?: string;
  readonly yaml: DatasetYaml;
  locate(path: FieldPath): { line?: number; column?: number };
}

/** A data set without the faults of its YAML. */
export interface PartialSpec {
  readonly spec: LoadedDatasetSpec;
  /** Whether a top-level key is as it was written. */
  whole(key: keyof DatasetYaml): boolean;
}

export interface ReadSpecs {
  readonly specs: LoadedDatasetSpec[];
  readonly faults: readonly Fault[];
  /** The wanted data sets whose YAML has faults, by id; null: nothing of it can be read. */
  readonly broken: ReadonlyMap<string, PartialSpec | null>;
}

/**
 * Reads the YAML files of the named data sets (all of the folder when `ids` is null). A broken file that nobody asked
 * for does not stop a run; a broken one that was asked for does. Throws `missing-file` or `bad-input`, all faults.
 */
export async function loadDatasetSpecs(folder: string, ids: readonly string[] | null): Promise<LoadedDatasetSpec[]> {
  const { specs, faults } = await readDatasetSpecs(folder, ids);
  if (faults.length > 0) throw new SupportCalError('bad-input', faults);
  return specs;
}

/**
 * Reads the data sets and gives their faults beside those that have none. Throws only when there is no such folder.
 *
 * @param namedAt where a wanted data set is named: the place of its fault when it is not there
 */
export async function readDatasetSpecs(
  folder: string,
  ids: readonly string[] | null,
  namedAt: (id: string) => Omit<Fault, 'message'> = () => ({ file: folder }),
): Promise<ReadSpecs> {
  const specs: LoadedDatasetSpec[] = [];
  const broken = new Map<string, BrokenYaml>();
  for (const name of await yamlFilesOf(folder)) {
    const read = await readOne(path.join(folder, name));
    if (read.kind === 'whole') specs.push(read.spec);
    else broken.set(read.part?.spec.id ?? idFrom(name), read);
  }
  const faults = new Set<Fault>(duplicateFaults(specs));
  const known = [...specs.map((each) => each.id), ...broken.keys()].sort();
  const wanted = ids ?? [...specs.map((spec) => spec.id), ...broken.keys()];
  const chosen = wanted.flatMap((id) => {
    const spec = specs.find((each) => each.id === id);
    if (spec) return [spec];
    const error = broken.get(id);
    if (error) addAll(faults, error.faults);
    else {
      // The id may be set inside a file that could not be read, so its faults belong here too.
      faults.add({
        ...namedAt(id),
        message: `no data set "${id}" in ${folder}${nearest(id, known) || `; expected a file ${id}.yaml`}`,
      });
      for (const each of broken.values()) addAll(faults, each.faults);
    }
    return [];
  });
  const unread = wanted.filter((id) => broken.has(id) && !chosen.some((spec) => spec.id === id));
  return {
    specs: chosen,
    faults: [...faults],
    broken: new Map(unread.map((id) => [id, broken.get(id)?.part ?? null])),
  };
}

function addAll(set: Set<Fault>, faults: readonly Fault[]): void {
  for (const fault of faults) set.add(fault);
}

interface BrokenYaml {
  readonly kind: 'broken';
  readonly faults: readonly Fault[];
  readonly part: PartialSpec | null;
}

async function readOne(
  file: string,
): Promise<{ readonly kind: 'whole'; readonly spec: LoadedDatasetSpec } | BrokenYaml> {
  let document: YamlDocument & ReadBytes;
  try {
    document = await readYamlFile(file);
  } catch (error) {
    if (error instanceof SupportCalError) return { kind: 'broken', faults: error.faults, part: null };
    throw error;
  }
  const specOf = (yaml: DatasetYaml) => ({
    id: yaml.id ?? idFrom(file),
    file,
    sha256: document.sha256,
    yaml,
    locate: document.locate,
  });
  const { data, faults } = tryMatch(datasetSchema, document);
  if (data !== null) return { kind: 'whole', spec: specOf(data) };
  const rest = withoutFaults(datasetSchema, document.value);
  const touched = new Set(faults.map(({ field }) => field?.split('.')[0]));
  const whole = (key: string) => !touched.has(key) && !touched.has('');
  return { kind: 'broken', faults, part: rest && { spec: specOf(rest), whole } };
}

function idFrom(file: string): string {
  return path.basename(file).replace(/\.ya?ml$/i, '');
}

function duplicateFaults(specs: readonly LoadedDatasetSpec[]): Fault[] {
  return specs.flatMap((spec, i) => {
    const first = specs.findIndex((each) => each.id === spec.id);
    if (first === i) return [];
    return [
      {
        file: spec.file,
        ...spec.locate(['id']),
        field: 'id',
        message: `the id "${spec.id}" is already used by ${specs[first]?.file}`,
      },
    ];
  });
}

async function yamlFilesOf(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder);
    return names.filter((name) => /\.ya?ml$/i.test(name)).sort();
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such folder' : (cause as Error).message;
    throw new SupportCalError(
      'missing-file',
      { file: folder, message: `${reason}; expected a folder of data-set YAML files` },
      { cause },
    );
  }
}
