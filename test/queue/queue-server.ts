import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { queueAddress } from '../../src/queue/server/queue-address.js';
import { openQueueServer } from '../../src/queue/server/queue-server.js';

const BINARIES = ['valkey-server', 'redis-server'];

/** The program of a Valkey or Redis server on this machine; null: none, so that tests with one are skipped. */
export const serverBinary: string | null =
  BINARIES.find((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0) ?? null;

// CI installs a server, so that there none of these tests may be skipped unseen.
if (serverBinary === null && process.env.SUPPORTCAL_TEST_QUEUE === 'required') {
  throw new Error(`neither ${BINARIES.join(' nor ')} is installed, and SUPPORTCAL_TEST_QUEUE=required`);
}

/** Stands in the title of what is skipped. */
export const WITH_SERVER =
  serverBinary === null ? `SKIPPED: needs ${BINARIES.join(' or ')}, none is installed` : `on a real ${serverBinary}`;

export interface TestServer {
  readonly url: string;
  readonly port: number;
  /** Ends it at once, as a power cut does, and starts it again on what it wrote. */
  restart(whileAway?: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

/** A server on loopback with a folder and a port of its own, that writes every command to disk. */
export async function startServer(more: readonly string[] = []): Promise<TestServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-queue-'));
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always'];
  const start = async () => {
    const child = spawn(serverBinary!, [...args, ...durable, ...more], { stdio: ['ignore', 'pipe', 'inherit'] });
    await saysReady(child);
    return child;
  };
  let child = await start();
  const stop = async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null)
      await new Promise((resolve) => child.once('exit', resolve));
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    async restart(whileAway = async () => {}) {
      await stop();
      await whileAway();
      child = await start();
    },
    stop,
  };
}

/** A connection that is closed when the test ends. */
export async function connect(url: string, onLog: (level: string, message: string) => void = () => {}) {
  const server = await openQueueServer(queueAddress(url), onLog);
  onTestFinished(() => server.close());
  return server;
}

async function saysReady(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (bytes) => {
      text += String(bytes);
      if (/ready to accept connections/i.test(text)) resolve();
    });
    child.once('exit', () => reject(new Error(`the server ended: ${text.slice(-500)}`)));
  });
}

export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
