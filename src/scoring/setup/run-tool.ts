import { execFile } from 'node:child_process';

const TOOL_MS = 30_000;

/**
 * What a program prints; null when it cannot be started, fails, or says nothing for too long.
 *
 * @param environment its own, the path on which it is looked for included
 */
export function runTool(name: string, args: readonly string[], environment: NodeJS.ProcessEnv): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(name, [...args], { env: environment, timeout: TOOL_MS, windowsHide: true }, (error, stdout, stderr) =>
      resolve(error === null ? `${stdout}\n${stderr}`.trim() : null),
    );
  });
}
