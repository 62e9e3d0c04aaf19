import { availableParallelism } from 'node:os';
import type { Device, GpuChoice } from '../contract/device.js';
import type { ScoringEvents } from '../contract/scorer.js';
import { makeFolder } from '../files/make-folder.js';
import { runQueueWorker } from '../queue/run-queue-worker.js';
import type { QueueServer } from '../queue/server/queue-server.js';
import { deviceMemory } from '../scoring/device/remembered-device.js';
import { resolveDevice } from '../scoring/device/resolve-device.js';
import { modelRunner } from '../scoring/score-models.js';
import { probeModel } from './score/probe-model.js';
import { type ModelSearch, openModelSearch } from './workspace/model-search.js';
import { ownVersions } from './workspace/own-versions.js';
import type { PipelineEvents } from './workspace/pipeline-events.js';

/** A worker, as the user asked for it. */
export interface WorkerOptions extends ModelSearch {
  /** Folder for downloads and for what is remembered of files and devices; no scores. */
  readonly cache: string;
  readonly gpu: GpuChoice;
  /** Name in the dispatcher's log. */
  readonly name: string;
  /** Ends when there was nothing to do for so many seconds; null: never. */
  readonly idleSeconds: number | null;
}

export interface WorkerSummary {
  readonly device: Device;
  readonly rows: number;
}

/** `supportcal worker`: scores what dispatchers put on a queue, with the devices of this machine. */
export async function workerStage(
  options: WorkerOptions,
  server: QueueServer,
  events: PipelineEvents,
  signal: AbortSignal,
): Promise<WorkerSummary> {
  await makeFolder(options.cache);
  const decodeWith = probeModel();
  const device = await resolveDevice(options.gpu, deviceMemory(options.cache), {
    ...(decodeWith !== undefined && { modelPath: decodeWith }),
  });
  const search = await openModelSearch(options, { events, signal });
  events.onLog?.('info', `worker ${options.name} scores on ${device}`);
  // The dispatcher has the bar: how many rows there are in all is known there alone.
  const scoring: ScoringEvents = { onLog: (level, message) => events.onLog?.(level, message) };
  const rows = await runQueueWorker({
    server,
    worker: options.name,
    device,
    versions: ownVersions(device),
    signal,
    events: scoring,
    idleMs: options.idleSeconds === null ? null : options.idleSeconds * 1000,
    async findModel(ticket) {
      const found = await search(ticket);
      if ('reason' in found) return found;
      const { model, place } = found;
      if (place.kind !== 'gguf') return { reason: 'what was found is no GGUF file' };
      const settings = { device, cores: availableParallelism(), signal };
      const runner = modelRunner({ model, place }, settings, scoring);
      return { model, place, identity: { ...found.identity(device) }, runner, unchanged: found.watch() };
    },
  });
  return { device, rows };
}
