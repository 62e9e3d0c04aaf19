import { stat } from 'node:fs/promises';
import type { ModelSpec } from '../../config/models-schema.js';
import { isOwnDownload } from '../../hub/download-record.js';
import type { HubFile } from '../../hub/fetch-hub-file.js';
import type { HubAccess } from '../../hub/hub-access.js';
import { isSound } from '../../hub/sound-file.js';
import { knownModel } from '../../models/hub-models.js';
import { hubReferences } from '../../models/model-references.js';
import { allEntries, type ModelPlan } from '../score/score-plan.js';
import type { Workspace } from '../workspace/workspace.js';
import type { DiskTurn } from './disk-schedule.js';

/** A download of the suite, with what is true of it once it is here. */
export interface BudgetFile {
  readonly file: HubFile;
  /** Why it stays after scoring; null: it can go. */
  readonly stays: string | null;
}

export interface FileTurn extends DiskTurn {
  readonly plans: readonly ModelPlan[];
  readonly files: readonly BudgetFile[];
}

/**
 * The models of a suite in groups that share no file and no content, with what their downloads take. Files that the
 * user put there, or that the hub's own tools keep, take nothing: they are not ours to remove.
 */
export async function diskTurns(
  { hub, models }: Workspace,
  plans: readonly ModelPlan[],
  { needed, fromNothing = false }: TurnsAsked,
): Promise<FileTurn[]> {
  const stays = new Map<string, string>();
  for (const model of models.models) {
    const suite = needed.get(model.id);
    if (suite !== undefined)
      for (const { path } of await filesOf(hub, model)) stays.set(path, `suite ${suite} needs it`);
  }
  const groups: Group[] = [];
  for (const plan of plans) {
    const files = new Map((await filesOf(hub, plan.model)).map((file) => [file.path, file]));
    const contents = new Set(plan.found === null ? [] : [plan.found.sha256]);
    const own: Group = { plans: [plan], files, contents };
    const alike = groups.filter((other) => belongTogether(own, other));
    for (const other of alike) groups.splice(groups.indexOf(other), 1);
    groups.push([...alike, own].reduce(joined));
  }
  return Promise.all(
    groups.map(({ plans: together, files }) =>
      fileTurn(
        together,
        [...files.values()].map((file) => ({ file, stays: whyItStays(file, stays) })),
        !fromNothing && !together.some(hasOpenEntry),
      ),
    ),
  );
}

interface TurnsAsked {
  /** Models that another suite still has to score, with its name. */
  readonly needed: ReadonlyMap<string, string>;
  /** As if the cache had no scores. */
  readonly fromNothing?: boolean;
}

interface Group {
  readonly plans: readonly ModelPlan[];
  /** By path. */
  readonly files: ReadonlyMap<string, HubFile>;
  /** Hashes of the models. */
  readonly contents: ReadonlySet<string>;
}

/** Models without downloads are one group: nothing is waited for between them. */
function belongTogether(a: Group, b: Group): boolean {
  if (a.files.size === 0 && b.files.size === 0) return true;
  return [...a.contents].some((hash) => b.contents.has(hash)) || [...a.files.keys()].some((path) => b.files.has(path));
}

function joined(a: Group, b: Group): Group {
  return {
    plans: [...a.plans, ...b.plans],
    files: new Map([...a.files, ...b.files]),
    contents: new Set([...a.contents, ...b.contents]),
  };
}

function whyItStays({ path, listed }: HubFile, needed: ReadonlyMap<string, string>): string | null {
  return listed.sha256 === null ? 'its scores could not be found again without it' : (needed.get(path) ?? null);
}

function hasOpenEntry(plan: ModelPlan): boolean {
  return allEntries(plan).some(({ entry }) => entry.kind === 'open');
}

async function fileTurn(
  plans: readonly ModelPlan[],
  files: readonly BudgetFile[],
  finished: boolean,
): Promise<FileTurn> {
  const onDisk = await bytesOnDisk(files);
  const toFetch = finished ? 0 : await bytesToFetch({ plans, files });
  const staying = files.filter(({ stays }) => stays !== null);
  const keeps = (await bytesOnDisk(staying)) + (finished ? 0 : await bytesToFetch({ plans, files: staying }));
  return { models: plans.map(({ model }) => model.id), plans, files, onDisk, toFetch, keeps, finished };
}

/** Bytes of downloads of ours that are here, whole or broken off. */
export async function bytesOnDisk(files: readonly BudgetFile[]): Promise<number> {
  let bytes = 0;
  for (const { file } of files) {
    bytes += await sizeOf(`${file.path}.partial`);
    if (await isOwnDownload(file)) bytes += await sizeOf(file.path);
  }
  return bytes;
}

/** Bytes that have to come before the models of a turn can be scored. */
export async function bytesToFetch({ plans, files }: Pick<FileTurn, 'plans' | 'files'>): Promise<number> {
  const missing = new Set(plans.flatMap(({ found }) => found?.missing ?? []));
  let bytes = 0;
  for (const { file } of files) {
    if (!missing.has(file.listed.path) || (await isSound(file.path, file.listed))) continue;
    bytes += Math.max(0, file.listed.bytes - (await sizeOf(`${file.path}.partial`)));
  }
  return bytes;
}

async function filesOf(hub: HubAccess, model: ModelSpec): Promise<HubFile[]> {
  const known = hubReferences(model).map((file) => knownModel(hub, file).catch(() => null));
  return (await Promise.all(known)).flatMap((files) => files ?? []);
}

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => null))?.size ?? 0;
}
