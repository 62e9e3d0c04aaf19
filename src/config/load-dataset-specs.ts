import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { nearest } from '../errors/nearest.js';
import { type Fault, SupportCalError } from '../errors/supportcal-error.js';
import { checkSchema } from './check-schema.js';
import { type DatasetYaml, datasetSchema } from './dataset-schema.js';
import { readYamlFile } from './read-yaml-file.js';
import type { FieldPath } from './yaml-document.js';

/** One `datasets/NAME.yaml`, checked against the schema, with the positions of its fields. */
export interface LoadedDatasetSpec {
  readonly id: string;
  /** Path of the YAML file as the user wrote it. */
  readonly file: string;
  readonly yaml: DatasetYaml;
  locate(path: FieldPath): { line?: number; column?: number };
}

/**
 * Reads the YAML files of the named data sets (all of the folder when `ids` is null). A broken file that nobody asked
 * for does not stop a run; a broken one that was asked for does. Throws `missing-file` or `bad-input`, all faults.
 */
export async function loadDatasetSpecs(folder: string, ids: readonly string[] | null): Promise<LoadedDatasetSpec[]> {
  const specs: LoadedDatasetSpec[] = [];
  const broken = new Map<string, SupportCalError>();
  for (const name of await yamlFilesOf(folder)) {
    try {
      specs.push(await loadOne(path.join(folder, name)));
    } catch (error) {
      if (!(error instanceof SupportCalError)) throw error;
      broken.set(name.replace(/\.ya?ml$/i, ''), error);
    }
  }
  const faults = new Set<Fault>(duplicateFaults(specs));
  const wanted = ids ?? [...specs.map((spec) => spec.id), ...broken.keys()];
  const chosen = wanted.flatMap((id) => {
    const spec = specs.find((each) => each.id === id);
    if (spec) return [spec];
    const error = broken.get(id);
    if (error) addAll(faults, error.faults);
    else {
      // The id may be set inside a file that could not be read, so its faults belong here too.
      faults.add({
        file: folder,
        message: `no data set "${id}" in this folder${nearest(
          id,
          specs.map((each) => each.id),
        )}`,
      });
      for (const each of broken.values()) addAll(faults, each.faults);
    }
    return [];
  });
  if (faults.size > 0) throw new SupportCalError('bad-input', [...faults]);
  return chosen;
}

function addAll(set: Set<Fault>, faults: readonly Fault[]): void {
  for (const fault of faults) set.add(fault);
}

async function loadOne(file: string): Promise<LoadedDatasetSpec> {
  const document = await readYamlFile(file);
  const yaml = checkSchema(datasetSchema, document);
  const id = yaml.id ?? path.basename(file).replace(/\.ya?ml$/i, '');
  return { id, file, yaml, locate: document.locate };
}

function duplicateFaults(specs: readonly LoadedDatasetSpec[]): Fault[] {
  return specs.flatMap((spec, i) => {
    const first = specs.findIndex((each) => each.id === spec.id);
    if (first === i) return [];
    return [{ file: spec.file, field: 'id', message: `the id "${spec.id}" is already used by ${specs[first]!.file}` }];
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
