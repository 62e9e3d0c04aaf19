import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { getModuleVersion } from 'node-llama-cpp';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { skipTrial, WORKED_VARIABLE } from '../../../src/engine/library/skip-trial.js';
import { temporaryFolder } from '../../files/temporary-folder.js';

afterEach(() => vi.unstubAllEnvs());

/** A process under the name of the library's own that tells its number, and ends. */
function trialModule(): string {
  const file = path.join(temporaryFolder(), 'testBindingBinary.js');
  writeFileSync(file, 'process.send({ type: "real", pid: process.pid }, () => process.disconnect());');
  return file;
}

describe('the trial of the native binary', () => {
  it('is answered as by a process that succeeds where the device has worked before, and nothing is started', async () => {
    vi.stubEnv(WORKED_VARIABLE, 'vulkan,cpu');
    const heard: string[] = [];
    await skipTrial(await getModuleVersion(), 'cpu', async () => {
      const trial = fork(trialModule());
      trial.on('message', ({ type }: { type: string }) => heard.push(type));
      await once(trial, 'message');
      trial.send({ type: 'start' });
      await once(trial, 'message');
      trial.send({ type: 'test' });
      await once(trial, 'message');
      trial.send({ type: 'exit' });
      expect(await once(trial, 'exit')).toEqual([0]);
      expect(trial.pid).toBeUndefined();
    });
    expect(heard).toEqual(['ready', 'loaded', 'done']);
  });

  it('takes place on another device, with another release, for other modules, and afterwards', async () => {
    vi.stubEnv(WORKED_VARIABLE, 'cpu');
    const file = trialModule();
    const other = path.join(path.dirname(file), 'other.js');
    writeFileSync(other, 'process.send({ type: "real" }, () => process.disconnect());');
    const first = async (child: ChildProcess) => ((await once(child, 'message'))[0] as { type: string }).type;
    const known = await getModuleVersion();
    expect(await skipTrial(known, 'cuda', () => first(fork(file)))).toBe('real');
    expect(await skipTrial('4.0.0', 'cpu', () => first(fork(file)))).toBe('real');
    expect(await skipTrial(known, 'cpu', () => first(fork(other)))).toBe('real');
    await expect(skipTrial(known, 'cpu', () => Promise.reject(new Error('no binary')))).rejects.toThrow('no binary');
    expect(await first(fork(file))).toBe('real');
  });

  it('takes place once in a process for a device', async () => {
    const known = await getModuleVersion();
    const start = async () => {
      const trial = fork(trialModule());
      return ((await once(trial, 'message'))[0] as { type: string }).type;
    };
    expect(await skipTrial(known, 'metal', start)).toBe('real');
    expect(await skipTrial(known, 'metal', start)).toBe('ready');
  });
});
