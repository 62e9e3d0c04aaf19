import { availableParallelism } from 'node:os';
import type { ModelSpec } from '../config/models-schema.js';
import { shownPlace } from '../config/source-kind.js';
import { lengthOutliers } from '../datasets/example/length-outliers.js';
import type { RowSelection } from '../datasets/example/row-selection.js';
import type { CollectedFaults } from '../errors/collected-faults.js';
import type { Fault } from '../errors/supportcal-error.js';
import { type CheckedModel, checkModelFiles, modelFault } from '../models/check-model-files.js';
import { ramState } from '../scoring/device/free-memory.js';
import { type InspectOptions, type Inspector, openInspector } from '../scoring/inspect-models.js';
import { refusalWarnings } from './asking/render-ways.js';
import { inspectableModels } from './estimate/doctor-files.js';
import { type DoctorModel, examine } from './estimate/doctor-model.js';
import { dumpTokens, type TokenDump } from './estimate/dump-tokens.js';
import { estimateRun, type RunEstimate } from './estimate/run-estimate.js';
import type { HubContext } from './workspace/open-hub.js';
import { readWorkspace } from './workspace/read-workspace.js';
import type { RunOptions } from './workspace/run-options.js';
import type { Workspace, WorkspaceDataset } from './workspace/workspace.js';

export interface DatasetSummary {
  readonly dataset: string;
  /** null: the rows come from imports, or were never fetched. */
  readonly rows: number | null;
  /** false: the rows are on the hub, and were not checked. */
  readonly fetched: boolean;
  readonly unlabelled: number;
  /** Number of options K -> rows. */
  readonly optionCounts: Readonly<Record<string, number>>;
  /** Position of the right option (0-based) -> rows. */
  readonly labelCounts: Readonly<Record<string, number>>;
  readonly leftOut: number;
  /** The steps that chose among the rows of the source before, each with how many it kept. */
  readonly selection: readonly RowSelection[];
  readonly longestPromptCharacters: number;
  /** The first prompt, exactly as it is scored (before a chat template). */
  readonly firstPrompt: string | null;
  /** What was found out or drawn at load: label base, order of options, sample. */
  readonly rules: readonly string[];
  readonly warnings: readonly string[];
}

export interface ValidationSummary {
  readonly suite: string;
  readonly targets: ReadonlyArray<{ target: string; ownBase: string; referencePool: string[] }>;
  readonly models: ReadonlyArray<{ model: string; file: string | null; bytes: number | null }>;
  /** Tokens of the longest prompt by model, of the models whose file is here and can be read. */
  readonly longestPrompts: Readonly<Record<string, number>>;
  /** What would take a model, or some of its rows, out of a run: prompts that cannot be scored, too little memory. */
  readonly problems: readonly string[];
  /** Tokens and time of a whole run; on the CPU unless --gpu names a device, which is not tried here. */
  readonly estimate: RunEstimate;
  readonly datasets: readonly DatasetSummary[];
  /** What could not be checked, though nothing is wrong with it as far as one can tell. */
  readonly unchecked: readonly string[];
}

export interface ValidateContext extends HubContext {
  /** What a vocabulary shows of a model that cannot be asked: a fault (default), or nothing. */
  readonly vocabularies?: 'refuse' | 'pass';
  readonly onTokenised?: InspectOptions['onProgress'];
  /** A file of all tokens, written beside the check of the vocabularies; what has a fault writes none. */
  readonly dump?: TokenDump | undefined;
}

/**
 * Checks everything that needs no inference, in one pass: a fault hides nothing but what depends on it, and that is
 * said.
 *
 * @throws SupportCalError with the faults of models.yaml, data sets, rows, model files and vocabularies together
 */
export async function validateWorkspace(
  options: RunOptions,
  context: ValidateContext = {},
): Promise<ValidationSummary> {
  // Rows that are not here cannot be in a file of all tokens.
  const missing = context.dump === undefined ? ({ missingData: 'leave-out' } as const) : {};
  const { workspace, faults } = await readWorkspace(options, { ...missing, ...context });
  if (workspace === null) {
    faults.throwIfAny();
    throw new Error('no workspace, and no fault that says why');
  }
  const files = await checkModelFiles(workspace, modelsToCheck(workspace, faults));
  faults.add({ code: 'bad-input', faults: files.faults });
  const chosen = options.gpu === 'off' || options.gpu === 'auto' ? 'cpu' : options.gpu;
  const device = { device: chosen, cores: availableParallelism(), free: ramState().free } as const;
  const examined = await tokenise(workspace, { faults, device, checked: files.checked }, context);
  return {
    longestPrompts: Object.fromEntries(
      examined.flatMap(({ model, facts }) => (facts === null ? [] : [[model, facts.longest]])),
    ),
    problems: examined.flatMap(({ model, problems }) => problems.map((problem) => `${model}: ${problem}`)),
    estimate: await estimateRun(workspace, examined, device),
    suite: workspace.suite.name,
    targets: workspace.suite.targets.map((each) => ({
      target: each.target.id,
      ownBase: each.ownBase.id,
      referencePool: each.referencePool.map((model) => model.id),
    })),
    models: files.checked.map(({ model, place }) => ({
      model: model.id,
      file: shownPlace(model),
      bytes: place?.bytes ?? null,
    })),
    datasets: workspace.datasets.map((dataset) => summarise(workspace, dataset)),
    unchecked: faults.unchecked,
  };
}

/** Models of the suite, and those that faults of their entry keep out of it. */
function modelsToCheck({ suite, models }: Workspace, { list }: CollectedFaults): ModelSpec[] {
  const faulty = new Set(
    list.flatMap(({ file, field }) => (file === models.file ? (/^models\.(\d+)\b/.exec(field ?? '')?.[1] ?? []) : [])),
  );
  return [...new Set([...suite.models, ...models.models.filter((_, i) => faulty.has(String(i)))])];
}

/** A sound file whose vocabulary or template cannot be used as models.yaml says: a fault of its entry. */
function unusable(workspace: Workspace, examined: readonly DoctorModel[], checked: readonly CheckedModel[]): Fault[] {
  return examined.flatMap(({ model: id, facts, problems }) => {
    const model = checked.find((each) => each.model.id === id && each.place !== null)?.model;
    if (model === undefined || facts !== null) return [];
    return problems.map((problem) => modelFault(workspace, model, problem));
  });
}

interface Tokenising {
  readonly faults: CollectedFaults;
  readonly device: Parameters<typeof estimateRun>[2];
  readonly checked: readonly CheckedModel[];
}

/**
 * Vocabularies alone are loaded, in one child process: prompts whose tokens are written are tokenised for that alone.
 *
 * @throws SupportCalError with all faults, before the file of tokens has its name
 */
async function tokenise(
  workspace: Workspace,
  { faults, device, checked }: Tokenising,
  { signal, onTokenised, vocabularies, dump }: ValidateContext,
): Promise<DoctorModel[]> {
  const told = { ...(signal && { signal }), ...(onTokenised && { onProgress: onTokenised }) };
  const inspector = openInspector();
  const written =
    dump === undefined || faults.list.length > 0 ? null : await dumpTokens(workspace, { dump, inspector, told });
  try {
    const examined = await examineAll(workspace, inspector, { device, told });
    if (vocabularies !== 'pass') faults.add({ code: 'bad-input', faults: unusable(workspace, examined, checked) });
    faults.throwIfAny();
    await written?.commit();
    return examined;
  } catch (error) {
    await written?.abort();
    throw error;
  } finally {
    await inspector.end();
  }
}

async function examineAll(
  workspace: Workspace,
  inspector: Inspector,
  { device, told }: Pick<Tokenising, 'device'> & { readonly told: Omit<InspectOptions, 'detail'> },
): Promise<DoctorModel[]> {
  const files = await inspectableModels(workspace);
  const jobs = files.flatMap((file) => ('job' in file ? [file.job] : []));
  const inspections = await inspector.inspect(jobs, device, { ...told, detail: 'nothing' });
  return files.map((file) =>
    examine(file, inspections.find((each) => each.model === file.model.id) ?? null, device.free, device.device),
  );
}

function summarise({ suite, ways }: Workspace, { spec, content }: WorkspaceDataset): DatasetSummary {
  const examples = content?.dataset.examples ?? [];
  const labels = examples.flatMap((example) => (example.label === null ? [] : [example.label]));
  return {
    dataset: spec.id,
    rows: content ? examples.length : null,
    fetched: content !== null || spec.yaml.source === undefined,
    unlabelled: examples.length - labels.length,
    optionCounts: histogram(examples.map((example) => example.options.length)),
    labelCounts: histogram(labels),
    leftOut: content?.dataset.leftOut.length ?? 0,
    selection: content?.dataset.selection ?? [],
    longestPromptCharacters: (content?.prompts ?? []).reduce(
      (longest, prompt) => Math.max(longest, prompt.text.length),
      0,
    ),
    firstPrompt: content?.prompts[0]?.text ?? null,
    rules: content?.dataset.rules ?? [],
    warnings: [
      ...(content?.dataset.doubts ?? []).map((doubt) => `doubtful: ${doubt}`),
      ...(content?.dataset.warnings ?? []),
      ...lengthOutliers(content?.prompts ?? []),
      ...refusalWarnings(ways, suite.methods, content?.rendered),
    ],
  };
}

function histogram(values: readonly number[]): Record<string, number> {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a], [b]) => a - b).map(([value, count]) => [String(value), count]));
}
