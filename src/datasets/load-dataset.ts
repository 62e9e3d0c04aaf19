import type { FewShotYaml } from '../config/dataset-schema.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import type { HubAccess } from '../hub/hub-access.js';
import { datasetHash } from './content-hash.js';
import type { DatasetSpec } from './dataset-spec.js';
import { datasetWarnings } from './dataset-warnings.js';
import { drawShots } from './draw-shots.js';
import type { Dataset } from './example.js';
import { fieldMapping } from './field-mapping.js';
import { allPromptPlans } from './prompt-plan.js';
import { readExamples } from './read-examples.js';

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
export async function loadDataset(spec: DatasetSpec, hub?: HubAccess): Promise<Dataset> {
  const mapping = fieldMapping(spec);
  const plans = allPromptPlans(spec);
  const read = await readExamples(spec, mapping, plans, { hub });
  const fewShot = spec.yaml.prompt?.fewShot;
  const from = fewShot?.from === undefined ? null : shotSource(spec, fewShot.from);
  const pool = from && (await readExamples(from, mapping, plans, { namedBy: FROM, hub })).examples;
  const { shots, examples, usedUp } =
    fewShot === undefined
      ? { shots: [], examples: read.examples, usedUp: [] }
      : drawShots({ spec, fewShot, examples: read.examples, pool, plans });
  const { id } = spec;
  return {
    id,
    title: spec.yaml.title ?? id,
    examples,
    shots,
    leftOut: [...read.leftOut, ...usedUp],
    warnings: datasetWarnings(examples, mapping),
    rules: read.rules,
    origin: read.origin,
    hash: datasetHash(examples, read.rules),
  };
}

const FROM = ['prompt', 'fewShot', 'from'];

/** The specification with another file, or another split, as its source: all of its rows, read as the data set's own are. */
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
  const { format, delimiter } = (sameEnding ? own : undefined) ?? {};
  return { ...spec, yaml: { ...spec.yaml, source: { path: from, format, delimiter } } };
}

function ending(file: string): string {
  return file.slice(file.lastIndexOf('.')).toLowerCase();
}
