import type { FewShotYaml } from '../config/dataset-schema.js';
import { CollectedFaults } from '../errors/collected-faults.js';
import { type Fault, SupportCalError } from '../errors/supportcal-error.js';
import { FaultList } from '../formats/row/fault-list.js';
import type { HubAccess } from '../hub/hub-access.js';
import { datasetHash } from './example/content-hash.js';
import type { DatasetSpec } from './example/dataset-spec.js';
import type { Dataset, Example } from './example/example.js';
import type { RowSelection } from './example/row-selection.js';
import { datasetDoubts } from './fields/dataset-doubts.js';
import { datasetWarnings } from './fields/dataset-warnings.js';
import { type FieldMapping, fieldMapping } from './fields/field-mapping.js';
import { drawShots } from './prompts/draw-shots.js';
import { allPromptLayouts } from './prompts/prompt-layout.js';
import { type ExampleSource, type ReadExamples, type ReadOptions, readExamples } from './read-examples.js';
import { chooseForm, otherForms } from './rows/choose-form.js';
import { ExceptionList } from './rows/exception-list.js';
import { csvSettings, openSource } from './source/open-source.js';

/**
 * Reads the rows of a data set and maps them as its YAML says. Examples come back in id order (code units), so that
 * the order of lines in the file changes nothing. Rows that the few-shot block shows are no examples: they are listed
 * in `leftOut` and never scored.
 *
 * @param hub needed for a `hub` source
 * @throws SupportCalError missing-file; bad-input with all faults of the source (at most 50 are listed): broken rows,
 *   missing fields, labels out of range, empty options, duplicate ids, fewer than 2 or more than 26 options, fewer
 *   usable rows than the few-shot block needs
 */
export async function loadDataset(written: DatasetSpec, hub?: HubAccess): Promise<Dataset> {
  return (await readDataset(written, { hub })).dataset;
}

/** A data set without its few rows at fault. */
export interface NearlyWhole {
  readonly dataset: Dataset;
  /** How many rows have faults, and which: as in an error, the first of each kind and the places of more. */
  readonly refused: { readonly rows: number; readonly faults: readonly Fault[] };
}

/**
 * Reads a data set as `loadDataset` does, for a look at a file whose few rows with faults say little of the others.
 *
 * @param share of the rows that may have faults, in [0, 1]
 * @throws SupportCalError as loadDataset, where more rows have faults, or where something else has
 */
export async function loadNearlyWhole(written: DatasetSpec, share: number): Promise<NearlyWhole> {
  const exceptions = new ExceptionList(share, written.file);
  const { dataset, excused } = await readDataset(written, { exceptions });
  return { dataset, refused: { rows: exceptions.rows, faults: excused } };
}

async function readDataset(written: DatasetSpec, { hub, exceptions }: Pick<ReadOptions, 'hub' | 'exceptions'>) {
  const faults = new CollectedFaults();
  const from = await exampleSource(written, faults);
  const read = from && (await faults.try(() => readExamples(from, { hub, exceptions })));
  const pool = from && (await faults.try(() => shotPool(from, hub)));
  faults.throwIfAny();
  if (!from || !read) throw new Error('unread, without a fault that says why');
  const { spec, mapping } = from;
  const { shots, examples, usedUp } = withShots(from, read, pool);
  const { id } = spec;
  const dataset: Dataset = {
    id,
    title: spec.yaml.title ?? id,
    examples,
    shots,
    leftOut: [...read.leftOut, ...usedUp],
    ...(read.selection.length > 0 && { selection: read.selection }),
    doubts: datasetDoubts(read.examples, mapping, read.seen),
    warnings: datasetWarnings(examples, mapping),
    rules: read.rules,
    origin: read.origin,
    hash: datasetHash(examples, read.rules),
  };
  mappings.set(dataset, mapping);
  return { dataset, excused: read.excused };
}

/** By which fields a data set was read: what is said of some of its rows goes by them too. */
const mappings = new WeakMap<Dataset, FieldMapping>();

/** How the rows are to be read; null, with the faults that say why, where the YAML leaves that open. */
async function exampleSource(written: DatasetSpec, faults: CollectedFaults): Promise<ExampleSource | null> {
  const spec = await chooseForm(written);
  const mapping = await faults.try(() => fieldMapping(spec));
  for (const form of otherForms(written)) await faults.try(() => fieldMapping(form));
  const { layouts, faults: layoutFaults } = allPromptLayouts(spec);
  faults.add({ code: 'bad-input', faults: layoutFaults });
  // Letters of labels are read as the prompt shows them.
  if (mapping !== null && !layoutFaults.some(({ field }) => field?.endsWith('optionLabels')))
    return { spec, mapping, layouts };
  await faults.try(() => checkSource(spec));
  faults.leaveOut(`the rows of data set ${spec.id}: how to read them depends on the faults of ${spec.file}`);
  return null;
}

/** The examples without those that the few-shot block shows, where the data set has one. */
function withShots({ spec, layouts }: ExampleSource, { examples }: ReadExamples, pool: readonly Example[] | null) {
  const fewShot = spec.yaml.prompt?.fewShot;
  return fewShot === undefined
    ? { shots: [], examples, usedUp: [] }
    : drawShots({ spec, fewShot, examples, pool, layouts });
}

/** The first examples in id order. Its hash differs from that of the whole: scores of one are not the other's. */
export function limitDataset(dataset: Dataset, limit: number): Dataset {
  if (limit >= dataset.examples.length) return dataset;
  const examples = dataset.examples.slice(0, limit);
  const { rules, warnings } = dataset;
  const mapping = mappings.get(dataset);
  const last = examples.at(-1)?.id ?? '';
  const taken: RowSelection = { by: '--limit', kept: limit, of: dataset.examples.length };
  return {
    ...dataset,
    examples,
    selection: [...(dataset.selection ?? []), taken],
    // What is said of rows is said of these.
    leftOut: dataset.leftOut.filter(({ id }) => id <= last),
    warnings: mapping === undefined ? warnings : datasetWarnings(examples, mapping),
    hash: datasetHash(examples, rules),
  };
}

/** That local files of the source are there; what they hold is not looked at. */
export async function checkSource(spec: DatasetSpec): Promise<void> {
  const { source } = spec.yaml;
  const faults = new CollectedFaults();
  const from = spec.yaml.prompt?.fewShot?.from;
  const isLocal = source !== undefined && (typeof source === 'string' || source.hub === undefined);
  if (isLocal) await faults.try(() => openSource(spec, new FaultList()));
  if (typeof from === 'string')
    await faults.try(() => openSource(shotSource(spec, from), new FaultList(), { namedBy: FROM }));
  faults.throwIfAny();
}

/** Rows of another file to show; null: the data set's own are shown, or none. */
async function shotPool({ spec, layouts }: ExampleSource, hub?: HubAccess): Promise<readonly Example[] | null> {
  const from = spec.yaml.prompt?.fewShot?.from;
  if (from === undefined) return null;
  const shown = await chooseForm(shotSource(spec, from));
  return (await readExamples({ spec: shown, mapping: fieldMapping(shown), layouts }, { namedBy: FROM, hub })).examples;
}

const FROM = ['prompt', 'fewShot', 'from'];

/**
 * The specification with another file, or another split, as its source: all of its rows, read as the data set's own
 * are.
 */
function shotSource(spec: DatasetSpec, from: NonNullable<FewShotYaml['from']>): DatasetSpec {
  const own = typeof spec.yaml.source === 'object' ? spec.yaml.source : undefined;
  if (typeof from === 'object') {
    if (own?.hub === undefined) {
      const message = 'another split is there for a `hub` source only; name the file with the rows to show';
      throw new SupportCalError('bad-input', { file: spec.file, ...spec.locate(FROM), field: FROM.join('.'), message });
    }
    const { hub, revision, config, filter } = own;
    return { ...spec, yaml: { ...spec.yaml, source: { hub, revision, config, filter, split: from.split } } };
  }
  const like = [own?.path ?? []].flat()[0];
  const sameEnding = like !== undefined && ending(like) === ending(from);
  const { format, ...rest } = (sameEnding ? own : undefined) ?? {};
  return { ...spec, yaml: { ...spec.yaml, source: { path: from, format, ...csvSettings(rest) } } };
}

function ending(file: string): string {
  return file.slice(file.lastIndexOf('.')).toLowerCase();
}
