import { access } from 'node:fs/promises';
import path from 'node:path';
import { nearest } from '../errors/nearest.js';
import { type Fault, SupportCalError } from '../errors/supportcal-error.js';
import { localModelsSchema, type ModelSpec, type ModelsFile } from './models-schema.js';
import { isGgufModel } from './source-kind.js';
import { isMadeId } from './written-models.js';
import { tryMatch } from './yaml/check-schema.js';
import { readYamlFile } from './yaml/read-yaml-file.js';
import { withoutFaults } from './yaml/without-faults.js';
import type { YamlDocument } from './yaml/yaml-document.js';

/** File and position of a field that names a model file. */
export interface FilePlace {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

export interface LocalModels {
  /** `models.local.yaml` where there is one. */
  readonly file: string | null;
  readonly models: ModelSpec[];
  /** By model id, of the models whose file it names. */
  readonly places: ReadonlyMap<string, FilePlace>;
  readonly faults: readonly Fault[];
}

/** What {quant} stands for when nobody says. */
const DEFAULT_QUANT = 'Q8_0';

/**
 * The models with the files that `models.local.yaml` beside models.yaml (`x.local.yaml` beside `x.yaml`) puts in their
 * place, and with {quant} filled in: --quant, else models.local.yaml, else models.yaml, else Q8_0. A local file is
 * another one than models.yaml means, so the sha256 of models.yaml does not hold for it.
 * Faults of models.local.yaml are in the result, beside what is left without them.
 */
export async function applyLocalModels(file: string, written: ModelsFile, quant?: string): Promise<LocalModels> {
  const localFile = localNameOf(file);
  const there = await access(localFile).then(
    () => true,
    () => false,
  );
  const asWritten = written.models.map((model) => withQuant(model, quant ?? written.quant));
  if (!there) return { file: null, models: asWritten, places: new Map(), faults: [] };
  const read = await readLocal(localFile);
  if (Array.isArray(read)) return { file: localFile, models: asWritten, places: new Map(), faults: read };
  const { document, local } = read;
  const ids = written.models.map((model) => model.id).filter((id) => !isMadeId(id));
  const faults: Fault[] = [...read.faults];
  const places = new Map<string, FilePlace>();
  local.models.forEach((entry, i) => {
    if (entry === null) return;
    const { id } = entry;
    const complain = (message: string) =>
      faults.push({
        file: localFile,
        ...document.locate(['models', i, 'id']),
        field: `models.${i}.id`,
        message,
      });
    if (!ids.includes(id)) complain(`no model "${id}" in ${path.basename(file)}${nearest(id, ids)}`);
    else if (places.has(id)) complain(`the model "${id}" stands here twice`);
    places.set(id, { file: localFile, ...document.locate(['models', i, 'file']) });
  });
  const models = written.models.map((model) => {
    const own = local.models.find((each) => each?.id === model.id) ?? undefined;
    const filled = withQuant(model, quant ?? local.quant ?? written.quant);
    if (own === undefined) return filled;
    const { sha256: _, ...rest } = filled;
    return {
      ...rest,
      file: own.file.startsWith('hf:') ? own.file : path.resolve(path.dirname(localFile), own.file),
      ...(own.sha256 !== undefined && { sha256: own.sha256 }),
      ...(own.scoring !== undefined && { scoring: { ...model.scoring, ...own.scoring } }),
    };
  });
  return { file: localFile, models, places, faults };
}

/** models.local.yaml entry by entry, each without its faults and null where nothing is left; or why it is no YAML. */
async function readLocal(file: string) {
  let document: YamlDocument;
  try {
    document = await readYamlFile(file);
  } catch (error) {
    if (error instanceof SupportCalError) return [...error.faults];
    throw error;
  }
  const { data, faults } = tryMatch(localModelsSchema, document);
  if (data !== null) return { document, faults, local: data };
  const { quant, models } = (document.value ?? {}) as { quant?: unknown; models?: unknown };
  const entrySchema = localModelsSchema.shape.models.unwrap().element;
  const entries = (Array.isArray(models) ? models : []).map((each) => withoutFaults(entrySchema, each));
  return {
    document,
    faults,
    local: { ...withoutFaults(localModelsSchema.pick({ quant: true }), { quant }), models: entries },
  };
}

/** `models.yaml` -> `models.local.yaml`. */
function localNameOf(file: string): string {
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}.local${ext}`);
}

function withQuant(model: ModelSpec, quant: string | undefined): ModelSpec {
  if (!isGgufModel(model)) return model;
  return { ...model, file: model.file.replaceAll('{quant}', quant ?? DEFAULT_QUANT) };
}
