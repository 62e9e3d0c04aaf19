import { type LoadedDatasetSpec, type PartialSpec, readDatasetSpecs } from '../../config/load-dataset-specs.js';
import type { SuitePlan } from '../../config/plan-suite.js';
import { checkSource, limitDataset, loadDataset } from '../../datasets/load-dataset.js';
import { allPromptLayouts } from '../../datasets/prompts/prompt-layout.js';
import type { CollectedFaults } from '../../errors/collected-faults.js';
import { type Fault, SupportCalError } from '../../errors/supportcal-error.js';
import type { HubAccess } from '../../hub/hub-access.js';
import { NOT_FETCHED } from '../../hub/hub-fault.js';
import { ownForm, renderForms } from '../asking/prompt-forms.js';
import { renderWays } from '../asking/render-ways.js';
import type { WayOfAsking } from '../asking/way-of-asking.js';
import { checkLocalSources, withLocalSources } from './local-sources.js';
import type { HubContext } from './open-hub.js';
import type { RunOptions } from './run-options.js';
import type { DatasetContent, WorkspaceDataset } from './workspace.js';

export interface Reading {
  readonly hub: HubAccess;
  readonly context: HubContext;
  /** null: there is none; rows of data sets that need no download are looked at all the same. */
  readonly suite: AskingSuite | null;
  readonly ways: readonly WayOfAsking[];
  readonly faults: CollectedFaults;
  /** Where a data set is named. */
  readonly namedAt?: (id: string) => Omit<Fault, 'message'>;
}

/** The data sets that can be read; of the others what can be checked. Their faults are collected. */
export async function readDatasets(
  ids: readonly string[] | null,
  options: RunOptions,
  reading: Reading,
): Promise<WorkspaceDataset[]> {
  const { context, suite, faults, namedAt } = reading;
  const read = await faults.try(() => readDatasetSpecs(options.datasets, ids, namedAt));
  faults.add({ code: 'bad-input', faults: read?.faults ?? [] });
  for (const [id, part] of read?.broken ?? []) await checkPart(id, part, faults);
  const known = read?.specs ?? [];
  const others = [...(ids ?? []), ...(read?.broken.keys() ?? [])];
  // One name that is wrong does not undo those that are right: the hub would be asked for their rows.
  await faults.try(() => checkLocalSources(known, options.sources, others));
  const local = withLocalSources(known, options.sources);
  const specs = options.allowOutside ? local.map((spec) => ({ ...spec, outside: 'all' as const })) : local;
  const datasets: WorkspaceDataset[] = [];
  for (const spec of specs) {
    if (suite === null) {
      if (!isHubSource(spec) && spec.yaml.source !== undefined) await faults.try(() => loadDataset(spec));
      continue;
    }
    try {
      const content = spec.yaml.source === undefined ? null : await loadContent(spec, suite, options, reading);
      datasets.push({ spec, content });
    } catch (error) {
      if (!(error instanceof SupportCalError) || error.code === 'interrupted') throw error;
      if (context.missingData === 'leave-empty' && isHubSource(spec)) datasets.push({ spec, content: null });
      else if (context.missingData === 'leave-out' && isUnfetched(error)) {
        leaveOutRows(spec, error, faults);
        datasets.push({ spec, content: null });
      } else faults.add(error);
    }
  }
  return datasets;
}

/** Checks the prompts and files of a data set whose YAML has faults, where the faults are elsewhere. */
async function checkPart(id: string, part: PartialSpec | null, faults: CollectedFaults): Promise<void> {
  if (part === null) return faults.leaveOut(`data set ${id}: nothing of it could be read`);
  const { spec, whole } = part;
  if (whole('prompt') && whole('scoring') && whole('variant'))
    faults.add({ code: 'bad-input', faults: allPromptLayouts(spec).faults });
  if (whole('source')) await faults.try(() => checkSource(spec));
  faults.leaveOut(`the rows of data set ${id}: how to read them depends on the faults of ${spec.file}`);
}

/** Whether rows are missing because they were never fetched and may not be now. */
function isUnfetched({ faults }: SupportCalError): boolean {
  return faults.some(({ message }) => message.includes(NOT_FETCHED));
}

/** What is wrong beside the rows that are not here stays a fault. */
function leaveOutRows({ id }: LoadedDatasetSpec, { code, faults: found }: SupportCalError, faults: CollectedFaults) {
  faults.add({ code, faults: found.filter(({ message }) => !message.includes(NOT_FETCHED)) });
  faults.leaveOut(`the rows of data set ${id}, their labels and prompts: they were never fetched, and --offline is on`);
}

function isHubSource({ yaml: { source } }: LoadedDatasetSpec): boolean {
  return typeof source === 'object' && source.hub !== undefined;
}

/** What the prompts of a data set depend on. */
type AskingSuite = Pick<SuitePlan, 'models' | 'methodsOf' | 'elicitation' | 'targetsOf'>;

async function loadContent(
  spec: LoadedDatasetSpec,
  suite: AskingSuite,
  { limit }: RunOptions,
  { hub, ways }: Reading,
): Promise<DatasetContent> {
  const whole = await loadDataset(spec, hub);
  const dataset = limit === undefined ? whole : limitDataset(whole, limit);
  const forms = renderForms(dataset, spec, suite.models);
  const onDataset = { ...suite, methods: suite.methodsOf(spec.id) };
  const rendered = renderWays(ways, { dataset, spec, forms, suite: onDataset });
  return { dataset, wholeHash: whole.hash, prompts: ownForm(forms, spec), rendered };
}
