import type { CalibrationMethod } from '../../calibration/calibration-method.js';
import { loadMethodFiles } from '../../config/load-method-files.js';
import { type LoadedModels, type ReadModels, readModels } from '../../config/load-models.js';
import { loadPublished } from '../../config/load-published.js';
import { draftSuite, sizeFaults } from '../../config/plan-suite.js';
import { CollectedFaults } from '../../errors/collected-faults.js';
import { WAYS_OF_ASKING } from '../asking/ways-of-asking.js';
import { type HubContext, openHub } from './open-hub.js';
import { readDatasets } from './read-datasets.js';
import type { RunOptions } from './run-options.js';
import type { Workspace } from './workspace.js';

export interface ReadWorkspace {
  /** What can be read without faults; null when there is no plan of the suite at all. */
  readonly workspace: Workspace | null;
  readonly faults: CollectedFaults;
}

/**
 * Reads models.yaml and the suite's data sets, and gives the faults beside what is left without them: each step looks
 * at everything that does not depend on a fault of another.
 */
export async function readWorkspace(options: RunOptions, context: HubContext = {}): Promise<ReadWorkspace> {
  const faults = new CollectedFaults();
  const { ways = WAYS_OF_ASKING } = context;
  const methodFiles = await faults.try(() => loadMethodFiles(options.methodFiles ?? []));
  if (methodFiles === null) faults.leaveOut('names of methods: some may be in the method files');
  const own = (methodFiles ?? []).flatMap(({ methods }) => methods);
  const methodsOf =
    methodFiles === null || context.unknownMethods === 'leave-out'
      ? undefined
      : { suite: options.suite, own: own.map(({ name }) => name) };
  const read = await faults.try(() => readModels(options.models, { quant: options.quant, methodsOf }));
  if (read === null && faults.list[0]?.line !== undefined)
    faults.leaveOut(`models and suites: ${options.models} could not be read`);
  const hub = await openHub(options, context);
  if (read !== null) faults.add({ code: 'bad-input', faults: read.faults });
  const suite = read && (await planOf(read, own, options, faults));
  if (read === null || suite === null) {
    // Nobody knows the data sets of the suite then: those that are asked for are read, or all that need no download.
    const reading = { hub, context, ways, suite: null, faults };
    if (read === null) await readDatasets(options.datasetIds ?? null, options, reading);
    return { workspace: null, faults };
  }
  const { models } = read;
  const namedAt = (id: string) => {
    const at = ['suites', suite.name, 'datasets', models.suites[suite.name]?.datasets.indexOf(id) ?? -1];
    return { file: models.file, ...models.locate(at), field: at.join('.') };
  };
  const reading = { hub, context, ways, suite, faults, namedAt };
  const datasets = await readDatasets(suite.datasets, options, reading);
  if (read.faults.length === 0) faults.add({ code: 'bad-input', faults: sizeFaults(models, suite) });
  else faults.leaveOut('sizes of reference pools: they depend on the faults of the models');
  const published = await faults.try(() => loadPublished(models, suite.name, options));
  const extras = { methodFiles: methodFiles ?? [], published };
  return { workspace: { options, models, suite, datasets, ways, hub, ...extras }, faults };
}

/** The plan of the suite, as far as it can be made; null: not at all. */
async function planOf(
  { models, lost, faults: broken }: ReadModels,
  ownMethods: readonly CalibrationMethod[],
  options: RunOptions,
  faults: CollectedFaults,
) {
  if (lost.includes(options.suite)) {
    faults.leaveOut(`models and data sets of suite "${options.suite}": which they are depends on its faults`);
    return null;
  }
  const targets = broken.length === 0 ? options.targetIds : plannable(models, options, faults);
  return faults.try(() =>
    draftSuite(models, {
      suite: options.suite,
      ownMethods,
      ...(options.datasetIds && { datasets: options.datasetIds }),
      ...(targets && { targets }),
      ...(options.seeds && { seeds: options.seeds }),
      ...(options.calibrationFraction !== undefined && { calibrationFraction: options.calibrationFraction }),
      ...(options.diagnostics && { diagnostics: options.diagnostics }),
      ...(options.listCombinations && { listCombinations: true }),
      ...(options.bins !== undefined && { bins: options.bins }),
      ...(options.binEdges && { binEdges: options.binEdges }),
      ...(options.edgeRule && { edgeRule: options.edgeRule }),
      ...(options.bootstrap !== undefined && { bootstrap: options.bootstrap }),
    }),
  );
}

/** The wanted targets without those that faults of models.yaml leave without an own base. */
function plannable({ models, suites }: LoadedModels, { suite, targetIds }: RunOptions, faults: CollectedFaults) {
  const listed = Object.values((Object.hasOwn(suites, suite) ? suites[suite] : undefined)?.targets ?? []).flat();
  const lost = (targetIds ?? []).filter((id) => models.some((model) => model.id === id) && !listed.includes(id));
  for (const id of lost) faults.leaveOut(`target "${id}": it depends on the faults of its entry`);
  return targetIds?.filter((id) => !lost.includes(id));
}
