import { METHOD_NAMES } from '../calibration/methods.js';
import { nearest } from '../errors/nearest.js';
import type { Fault } from '../errors/supportcal-error.js';
import { modelReference } from '../hub/hub-model.js';
import type { FilePlace } from './apply-local-models.js';
import type { ModelSpec, ModelsFile, SuiteSpec } from './models-schema.js';
import { isGgufModel } from './source-kind.js';
import { isMadeId } from './written-models.js';
import type { FieldPath, YamlDocument } from './yaml/yaml-document.js';

/** The suite whose methods must be known, and those that are known beside the built-in ones. */
export interface MethodCheck {
  readonly suite: string;
  readonly own: readonly string[];
}

export interface WrittenModels extends ModelsFile {
  readonly document: YamlDocument;
  /** Ids whose role could not be read: nothing that depends on it is a fault. */
  readonly guessed: ReadonlySet<string>;
  readonly methodsOf: MethodCheck | undefined;
  placeOfFile(model: ModelSpec): FilePlace;
}

/** `place`: where the field is written, if not in models.yaml. */
type Complain = (path: FieldPath, message: string, place?: FilePlace) => void;

/** What one entry of models.yaml says of another, and of files: every fault, with its place. */
export function checkReferences(models: WrittenModels): Fault[] {
  const { document } = models;
  const faults: Fault[] = [];
  const complain: Complain = (path, message, place = { file: document.file, ...document.locate(path) }) =>
    faults.push({ ...place, field: path.join('.'), message });
  const bases = idsOf(models, 'base');
  const ids: KnownIds = { all: new Set(idsOf(models)), bases, baseSet: new Set(bases) };
  const firsts = new Map<string, number>();
  models.models.forEach((model, i) => {
    const first = firsts.get(model.id);
    if (first === undefined) firsts.set(model.id, i);
    else complain(['models', i, 'id'], repeated(models, model.id, first));
    checkLabel(models, ids.all, i, complain);
    checkModel(model, i, complain);
    checkBase(ids, model, i, complain);
    checkFiles(models, model, i, complain);
  });
  for (const [name, suite] of Object.entries(models.suites)) checkSuite(models, name, suite, complain);
  return faults;
}

function idsOf({ models, guessed }: WrittenModels, role?: ModelSpec['role']): string[] {
  return models
    .filter(({ id }) => !isMadeId(id))
    .filter((model) => role === undefined || model.role === role || guessed.has(model.id))
    .map(({ id }) => id);
}

function repeated({ document }: WrittenModels, id: string, first: number): string {
  return `the id "${id}" is already used by the model on line ${document.locate(['models', first]).line}`;
}

/** Two rows of one name could not be told apart. */
function checkLabel({ models }: WrittenModels, ids: ReadonlySet<string>, i: number, complain: Complain): void {
  const { id, label } = models[i] ?? {};
  if (label === undefined || label === id) return;
  const taken = ids.has(label) ? 'is the id of a model' : 'is the label of another model, too';
  if (ids.has(label) || models.some((other, j) => j < i && other.label === label))
    complain(['models', i, 'label'], `"${label}" ${taken}; labels name one model each`);
}

function checkModel(model: ModelSpec, i: number, complain: Complain): void {
  if (model.assistantPrefix !== undefined && model.prompt === 'raw') {
    complain(
      ['models', i, 'assistantPrefix'],
      'a raw prompt has no reply to begin; write `prompt: chat`, or put the text into the template of the data set',
    );
  }
  if (model.lora !== undefined && !isGgufModel(model)) {
    complain(['models', i, 'lora'], 'an adapter needs a model to be put on; say its `file`, or remove `lora`');
  }
  if (model.endpoint !== undefined) checkEndpoint(model, i, complain);
  const { kvType, flashAttention } = model.scoring ?? {};
  if (flashAttention === 'off' && kvType?.includes('q')) {
    complain(
      ['models', i, 'scoring', 'flashAttention'],
      `a KV cache of ${kvType} can be read by flash attention only; remove \`flashAttention: off\`, or take kvType f16`,
    );
  }
}

/** A server has its own files and settings; only what a run decides can be said of it. */
function checkEndpoint({ file, sha256, scoring, endpoint }: ModelSpec, i: number, complain: Complain): void {
  if (file !== undefined)
    complain(['models', i, 'endpoint'], 'a model is in a `file` or behind an `endpoint`, not both; remove one of them');
  if (sha256 !== undefined)
    complain(['models', i, 'sha256'], 'the file of a served model cannot be checked; remove it');
  for (const setting of Object.keys(scoring ?? {}).filter((name) => name !== 'maxFailedShare'))
    complain(['models', i, 'scoring', setting], 'the server decides this for itself; remove it');
  const url = new URL(endpoint?.url ?? 'http://localhost');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    complain(
      ['models', i, 'endpoint', 'url'],
      'expected an address without user name, password, query or fragment; name the key with `key: { env: NAME }`',
    );
  if (endpoint?.tokenIds !== undefined && endpoint.api !== 'openai')
    complain(['models', i, 'endpoint', 'tokenIds'], `${endpoint.api} tells its token ids itself; remove it`);
}

/** Files of the hub must be named as such. A GGUF file may lie anywhere: a run shows nothing of what it holds. */
function checkFiles(models: WrittenModels, model: ModelSpec, i: number, complain: Complain): void {
  for (const [field, written] of filesOf(model)) {
    const at = ['models', i, ...field];
    if (!written.startsWith('hf:') || modelReference(written) !== null) continue;
    const forms = '`hf:owner/repo/file.gguf` or `hf:owner/repo@revision/file.gguf`';
    const place = field[0] === 'file' ? models.placeOfFile(model) : undefined;
    complain(at, `expected ${forms}, found ${JSON.stringify(written)}`, place);
  }
}

/** Ids of models, gathered once: a file may list thousands. */
interface KnownIds {
  readonly all: ReadonlySet<string>;
  readonly bases: readonly string[];
  readonly baseSet: ReadonlySet<string>;
}

function checkBase(ids: KnownIds, { id, role, base }: ModelSpec, i: number, complain: Complain): void {
  if (role === 'base') {
    if (base !== undefined)
      complain(['models', i, 'base'], 'a base model has no `base`; remove it, or set role: post-trained');
  } else if (base === undefined) {
    complain(['models', i], `"${id}" is post-trained: say its own base with \`base: ID\``);
  } else if (!ids.all.has(base)) {
    complain(['models', i, 'base'], `unknown base model "${base}"${nearest(base, ids.bases)}`);
  } else if (!ids.baseSet.has(base)) {
    complain(['models', i, 'base'], `"${base}" is post-trained itself; expected a model with role: base`);
  }
}

function checkSuite(models: WrittenModels, name: string, suite: SuiteSpec, complain: Complain): void {
  const targets = idsOf(models, 'post-trained');
  const check = (names: readonly string[], at: FieldPath, known: string[], what: string) => {
    const places = textPlaces(models.document, ['suites', name, ...at]);
    const [knownSet, seen] = [new Set(known), new Set<string>()];
    names.forEach((id, i) => {
      const path = ['suites', name, ...at, places[i] ?? i];
      if (!knownSet.has(id)) complain(path, `unknown ${what} "${id}"${nearest(id, known)}`);
      else if (seen.has(id)) complain(path, `"${id}" is listed twice`);
      seen.add(id);
    });
  };
  const checkDatasets = (key: string, keys: readonly string[], others: readonly string[]) => {
    for (const dataset of keys) {
      if (others.includes(dataset) || suite.datasets.includes(dataset)) continue;
      const message = `"${dataset}" is not a data set of this suite${nearest(dataset, [...others, ...suite.datasets])}`;
      complain(['suites', name, key, dataset], message);
    }
  };
  if (Array.isArray(suite.targets)) check(suite.targets, ['targets'], targets, 'post-trained model');
  else if (suite.targets !== 'all') {
    checkDatasets('targets', Object.keys(suite.targets), []);
    for (const [dataset, list] of Object.entries(suite.targets))
      check(list, ['targets', dataset], targets, 'post-trained model');
    for (const dataset of suite.datasets) {
      if (Object.hasOwn(suite.targets, dataset)) continue;
      complain(['suites', name, 'targets'], `says no targets for the data set "${dataset}"`);
    }
  }
  if (models.methodsOf?.suite === name) checkMethods(models, suite, models.methodsOf, complain);
  check(suite.references ?? [], ['references'], idsOf(models, 'base'), 'base model');
  if (!Array.isArray(suite.combinationSizes))
    checkDatasets('combinationSizes', Object.keys(suite.combinationSizes ?? {}), ['default']);
  if (!Array.isArray(suite.methods)) {
    const lists = suite.methods;
    checkDatasets('methods', Object.keys(lists), ['default']);
    for (const dataset of suite.datasets) {
      if (Object.hasOwn(lists, 'default') || Object.hasOwn(lists, dataset)) continue;
      complain(['suites', name, 'methods'], `says no methods for the data set "${dataset}"`);
    }
  }
  if (targets.length === 0)
    complain(['suites', name], 'no model has role: post-trained, so there is nothing to calibrate');
}

function checkMethods(
  { document }: WrittenModels,
  { methods }: SuiteSpec,
  { suite, own }: MethodCheck,
  complain: Complain,
): void {
  const known = [...METHOD_NAMES, ...own];
  const lists = Array.isArray(methods) ? [{ at: ['methods'], list: methods }] : listsOf(methods);
  for (const { at, list } of lists) {
    const places = textPlaces(document, ['suites', suite, ...at]);
    list.forEach((method, i) => {
      if (known.includes(method)) return;
      const message =
        `unknown method "${method}"${nearest(method, known)}. A method of your own is one entry in a module that ` +
        `--method-file names (docs/methods.md, "A method of your own")`;
      complain(['suites', suite, ...at, places[i] ?? i], message);
    });
  }
}

function listsOf(methods: Readonly<Record<string, readonly string[]>>) {
  return Object.entries(methods).map(([dataset, list]) => ({ at: ['methods', dataset], list }));
}

/** Where the texts of a list stand among everything that is written in it. */
function textPlaces({ value }: YamlDocument, path: FieldPath): number[] {
  let here = value;
  for (const step of path) here = (here as Record<string | number, unknown> | null | undefined)?.[step];
  return Array.isArray(here) ? here.flatMap((each, i) => (typeof each === 'string' && each !== '' ? [i] : [])) : [];
}

/** Every file that an entry names, with its field. */
function filesOf({ file, lora }: ModelSpec): Array<readonly [field: FieldPath, written: string]> {
  const adapters = typeof lora === 'string' ? [[['lora'], lora] as const] : [];
  const scaled = typeof lora === 'object' ? lora.map((each, n) => [['lora', n, 'file'], each.file] as const) : [];
  return [...(file === undefined ? [] : [[['file'], file] as const]), ...adapters, ...scaled];
}
