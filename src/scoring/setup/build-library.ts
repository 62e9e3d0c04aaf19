import type { BuildResult } from '../../engine/library/build-library.js';
import { ownModule } from '../../files/own-files.js';
import { whyUnreadable } from '../../files/why-unreadable.js';
import { STRAY_OPTION } from '../../library/chosen-build.js';
import type { BuildDevice } from '../../library/library-build.js';
import { forkModule } from '../process/spawn-worker.js';

export interface BuildRequest {
  readonly device: BuildDevice;
  readonly cmake: Readonly<Record<string, string>>;
  /** Where compilers are found. */
  readonly environment: NodeJS.ProcessEnv;
  /** Makes a build anew that is there already. */
  readonly again: boolean;
  readonly onProgress: (done: number, of: number) => void;
  readonly signal?: AbortSignal;
  /** The process that builds; another one in tests. */
  readonly module?: URL;
}

const OUTPUT_KEPT = 256 * 1024;

/** Builds the library in a process of its own, which may take minutes; its failure is a result like any other. */
export async function buildLibrary(request: BuildRequest): Promise<BuildResult> {
  const { device, cmake, environment, again, onProgress, signal } = request;
  const { module = ownModule('engine/library/build-library') } = request;
  const known = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined || STRAY_OPTION.test(name) ? [] : [[name, value]],
  );
  const args = [device, JSON.stringify(cmake), ...(again ? ['again'] : [])];
  const child = forkModule(module, args, Object.fromEntries(known));
  let output = '';
  const read = (chunk: Buffer) => {
    output = (output + chunk).slice(-OUTPUT_KEPT);
    const [, done, of] = [...String(chunk).matchAll(/\[(\d+)\/(\d+)\]/g)].at(-1) ?? [];
    if (done !== undefined && of !== undefined) onProgress(Number(done), Number(of));
  };
  child.stdout?.on('data', read);
  child.stderr?.on('data', read);
  const stop = () => child.disconnect();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const result = await new Promise<BuildResult>((resolve) => {
      child.once('message', (message) => resolve(message as BuildResult));
      child.once('error', (error) => resolve({ ok: false, reason: `it could not start: ${whyUnreadable(error)}` }));
      child.once('exit', (code, signalName) =>
        setTimeout(() => resolve({ ok: false, reason: `it ended: ${signalName ?? `exit code ${code}`}` }), 100),
      );
    });
    return result.ok ? result : { ok: false, reason: [result.reason, ...faultsIn(output)].join('; ') };
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** Lines of the compilers that tell what went wrong, the first few of them. */
function faultsIn(output: string): string[] {
  const lines = output.split('\n').map((line) => line.trim());
  return lines.filter((line) => /\b(fatal error|error:|CMake Error|FAILED:)/i.test(line)).slice(0, 3);
}
