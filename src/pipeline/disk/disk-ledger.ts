import path from 'node:path';
import { makeFolder } from '../../files/make-folder.js';
import { removeDownload } from '../../hub/download-record.js';
import type { HubAccess } from '../../hub/hub-access.js';
import type { DiskLimits } from './disk-schedule.js';
import { bytesOnDisk, bytesToFetch, type FileTurn } from './disk-turns.js';

/** What a ledger works on. */
export interface LedgerParts extends DiskLimits {
  /** In their order. */
  readonly turns: readonly FileTurn[];
  readonly hub: HubAccess;
  readonly onRemoved: (message: string) => void;
}

/**
 * Keeps the downloads of a suite under a budget: lets a file be fetched only when it fits, and removes for it those
 * whose scores are complete, in the order in which they were scored. Sizes are read from the disk each time, so what a
 * killed run left counts.
 */
export class DiskLedger {
  /** Turns whose scores are all in the cache. */
  readonly #complete: FileTurn[];
  /** Turns that will not be scored any further by this run. */
  readonly #ended: Set<FileTurn>;
  /** Fetches that wait for the end of a turn. */
  readonly #waiting: (() => void)[] = [];
  #isStopped = false;

  constructor(private readonly parts: LedgerParts) {
    this.#complete = parts.turns.filter(({ finished }) => finished);
    this.#ended = new Set(this.#complete);
  }

  /** Removes what may go and has to: everything scored, or as much as brings the downloads under the budget. */
  async tidy(): Promise<void> {
    await this.#makeRoom(0);
  }

  /** Notes that a turn was scored, as far as it can be here; only complete ones lose their files. */
  async end(turn: FileTurn, isComplete: boolean): Promise<void> {
    if (isComplete) this.#complete.push(turn);
    this.#ended.add(turn);
    if (isComplete) await this.tidy();
    this.#wake();
  }

  /** Ends the wait of fetches for room; none begins any more. */
  stop(): void {
    this.#isStopped = true;
    this.#wake();
  }

  /**
   * Runs the fetch of a turn as soon as it fits. One process at a time fetches into a folder, so that two of them do
   * not take the same room.
   *
   * @returns what the fetch says; null when it never fits, as all before it was scored and could not be removed, or
   *   after `stop`
   */
  async fetch<Result>(turn: FileTurn, bring: () => Promise<Result>): Promise<Result | null> {
    const { hub, turns } = this.parts;
    await makeFolder(hub.folder);
    while (!this.#isStopped) {
      const change = new Promise<void>((resolve) => void this.#waiting.push(resolve));
      const isLast = turns.slice(0, turns.indexOf(turn)).every((before) => this.#ended.has(before));
      const lock = await hub.lock(path.join(hub.folder, 'downloads'));
      try {
        if (await this.#makeRoom(await bytesToFetch(turn))) return await bring();
      } finally {
        await lock.release();
      }
      if (isLast) return null;
      await change;
    }
    return null;
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async #makeRoom(bytes: number): Promise<boolean> {
    const { turns, budget, eager } = this.parts;
    const fits = async () => (await bytesOnDisk(turns.flatMap(({ files }) => files))) + bytes <= budget;
    for (const turn of this.#complete) {
      if (!eager && (await fits())) return true;
      await this.#remove(turn);
    }
    return fits();
  }

  async #remove({ files }: FileTurn): Promise<void> {
    for (const { file, stays } of files) {
      if (stays !== null || !(await removeDownload(file, this.parts.hub))) continue;
      this.parts.onRemoved(`removed ${file.shown}: its scores are in the cache`);
    }
  }
}
