import type { Device } from '../contract/device.js';
import type { QueueServer } from './server/queue-server.js';
import { readWorkers } from './server/registry.js';
import type { Presence, Ticket } from './wire/messages.js';
import { sameVersions, type Versions, versionText } from './wire/versions.js';

interface Asking {
  readonly server: QueueServer;
  readonly device: Device;
  readonly versions: Versions;
  readonly onLog: (level: 'info' | 'warn', message: string) => void;
}

interface Waiting {
  readonly ticket: Pick<Ticket, 'model' | 'queue'>;
  /** When rows of the model came last, in milliseconds. */
  readonly lastRows: number;
}

const LOOK_MS = 5_000;
/** A model is waited for so long before anything is said. */
const WAIT_MS = 15_000;
const SAY_AGAIN_MS = 300_000;

/** Says who the workers are as they come, whom nothing can be given to and why, and which models nobody serves. */
export function missingWorkers(asking: Asking): (models: readonly Waiting[]) => Promise<void> {
  const said = new Map<string, number>();
  const say = (level: 'info' | 'warn', message: string) => {
    const now = Date.now();
    if (now - (said.get(message) ?? Number.NEGATIVE_INFINITY) < SAY_AGAIN_MS) return;
    said.set(message, now);
    asking.onLog(level, message);
  };
  let looked = 0;
  return async (models) => {
    if (Date.now() - looked < LOOK_MS) return;
    looked = Date.now();
    const workers = await readWorkers(asking.server);
    for (const worker of workers) describe(worker, asking, say);
    for (const { ticket, lastRows } of models) {
      if (Date.now() - lastRows < WAIT_MS || workers.some(({ serves }) => serves === ticket.queue)) continue;
      say('warn', whyNobody(ticket, workers, asking));
    }
  };
}

function describe(worker: Presence, { device, versions }: Asking, say: Asking['onLog']): void {
  const name = `worker ${worker.worker}`;
  if (!sameVersions(worker.versions, versions)) {
    const both = `it is ${versionText(worker.versions)}, this dispatcher is ${versionText(versions)}`;
    say('warn', `${name} is refused: ${both}; install the same version on both`);
  } else
    say(
      'info',
      worker.device === device ? `${name} is here (${device})` : `${name} has ${worker.device}, not ${device}`,
    );
}

function whyNobody(
  { model, queue }: Waiting['ticket'],
  workers: readonly Presence[],
  { device, versions, server }: Asking,
): string {
  const fitting = workers.filter((each) => each.device === device && sameVersions(each.versions, versions));
  const reasons = fitting.flatMap(({ worker, cannot }) =>
    cannot[queue] === undefined ? [] : `${worker}: ${cannot[queue]}`,
  );
  if (fitting.length === 0) {
    const start = `supportcal worker --queue ${server.address.shown}`;
    return `${model.id} waits: no worker of this version with ${device} is at ${server.address.shown} (${start})`;
  }
  if (reasons.length === fitting.length) return `${model.id} waits: no worker can serve it (${reasons.join('; ')})`;
  return `${model.id} waits: the workers are busy with other models`;
}
