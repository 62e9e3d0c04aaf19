import { type ChildProcess, spawn } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';

/** A llama-server of one's own that answers under the name `served`. */
export interface LlamaServer {
  readonly url: string;
  readonly pid: number;
  stop(): void;
}

/**
 * Starts a llama-server and resolves once it answers. It computes as SupportCal does on a CPU: without flash attention,
 * with keys and values in f16.
 */
export async function startLlamaServer(binary: string, model: string, name = 'served'): Promise<LlamaServer> {
  const port = await freePort();
  const settings = [
    '-np',
    '4',
    '-t',
    '1',
    '-fa',
    'off',
    '-c',
    '8192',
    '--no-warmup',
    '--cache-ram',
    '0',
    '--alias',
    name,
  ];
  const args = ['-m', path.resolve(model), '--port', String(port), ...settings];
  const child = spawn(binary, args, { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  try {
    await answers(url, child);
  } catch (error) {
    child.kill();
    throw error;
  }
  return { url, pid: child.pid ?? -1, stop: () => child.kill() };
}

export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((go) => probe.listen(0, '127.0.0.1', go));
  const { port } = probe.address() as AddressInfo;
  await new Promise((go) => probe.close(go));
  return port;
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    if ((await fetch(`${url}/health`).catch(() => null))?.ok) return;
    await new Promise((go) => setTimeout(go, 100));
  }
  throw new Error(`${url} does not answer after a minute`);
}
