import { availableParallelism } from 'node:os';
import path from 'node:path';
import { isGgufModel } from '../../config/source-kind.js';
import type { Device } from '../../contract/device.js';
import type { Scorer } from '../../contract/scorer.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { bytesToHash } from '../../models/hash-model-files.js';
import { deviceMemory } from '../../scoring/device/remembered-device.js';
import { resolveDevice } from '../../scoring/device/resolve-device.js';
import { startEarly } from '../../scoring/process/early-worker.js';
import { LLAMA_BACKEND } from '../../scoring/process/spawn-worker.js';
import { sourceOf } from '../../scoring/source/source-of.js';
import { openWorkspace } from '../workspace/load-workspace.js';
import type { PipelineEvents } from '../workspace/pipeline-events.js';
import type { RunOptions } from '../workspace/run-options.js';
import type { Workspace } from '../workspace/workspace.js';
import { lookUpModels } from './fetch-models.js';
import { probeModel } from './probe-model.js';

/** Opens the workspace and finds out which files of the hub it needs. */
export async function openForScoring(
  options: RunOptions,
  events: PipelineEvents,
  signal: AbortSignal,
): Promise<Workspace> {
  const workspace = onlyModels(await openWorkspace(options, { events, signal }));
  return { ...workspace, unfound: await lookUpModels(workspace) };
}

/** The workspace with the models of `--model` alone. */
function onlyModels(workspace: Workspace): Workspace {
  const { options, suite } = workspace;
  const { modelIds } = options;
  if (modelIds === undefined) return workspace;
  const known = suite.models.map(({ id }) => id);
  const unknown = modelIds.filter((id) => !known.includes(id));
  if (unknown.length > 0) {
    const names = unknown.map((id) => `"${id}"`).join(', ');
    throw new SupportCalError('bad-input', {
      file: options.models,
      message: `suite "${options.suite}" has no model ${names}; its models are ${known.join(', ')}`,
    });
  }
  return { ...workspace, suite: { ...suite, models: suite.models.filter(({ id }) => modelIds.includes(id)) } };
}

/** The device that scores are made with and found under; nothing is probed when no source computes on one. */
export async function deviceOf(workspace: Workspace): Promise<Device> {
  if (workspace.options.elsewhere !== undefined) return workspace.options.elsewhere.device;
  if (workspace.suite.models.every((model) => !sourceOf(workspace, model).needs.device)) return 'cpu';
  const decodeWith = probeModel();
  return resolveDevice(workspace.options.gpu, deviceMemory(workspace.options.cache), {
    ...(decodeWith !== undefined && { modelPath: decodeWith }),
  });
}

/** Hashing so many bytes takes longer than a child takes to start. */
const LONG_BYTES = 128 * 2 ** 20;

/**
 * Does what leads to scoring, and scores. The first child of models on a CPU starts meanwhile where their files are
 * still to be hashed, which keeps one core busy for a second a gigabyte; a file that was never hashed has no scores in
 * the cache.
 *
 * @param scorer given: it takes the place of children
 */
export async function withChildAhead<T>(
  workspace: Workspace,
  { device, scorer }: { readonly device: Device; readonly scorer: Scorer | undefined },
  work: () => Promise<T>,
): Promise<T> {
  const isWanted = device === 'cpu' && scorer === undefined && workspace.options.elsewhere === undefined;
  const drop = isWanted && (await hashesLong(workspace)) ? startEarly(LLAMA_BACKEND, availableParallelism()) : null;
  try {
    return await work();
  } finally {
    drop?.();
  }
}

async function hashesLong(workspace: Workspace): Promise<boolean> {
  const { models, suite } = workspace;
  let bytes = 0;
  for (const model of suite.models.filter(isGgufModel)) {
    // A file of the hub, or one that is not there, is no work of this kind.
    bytes += await bytesToHash(workspace, [path.resolve(path.dirname(models.file), model.file)]).catch(() => 0);
    if (bytes >= LONG_BYTES) return true;
  }
  return false;
}

/** After scoring, the second look at the cache must find what was just refreshed. */
export function withoutRefresh(workspace: Workspace): Workspace {
  return { ...workspace, options: { ...workspace.options, refresh: false } };
}
