import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deviceReason, type Probe, resolveDevice } from '../../../src/scoring/device/resolve-device.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'supportcal-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Counts its calls; only the named backends work. */
function fakeProbe(...working: string[]) {
  const calls: string[] = [];
  const probe: Probe = async (backend) => {
    calls.push(backend);
    return working.includes(backend) ? { ok: true, device: 'a card' } : { ok: false, reason: 'signal SIGABRT' };
  };
  return { calls, options: { probe, mayHaveGpu: () => true } };
}
const memory = () => path.join(folder, 'backends.json');

describe('resolveDevice', () => {
  it('off is the cpu, without a probe', async () => {
    const { calls, options } = fakeProbe('cuda');
    expect(await resolveDevice('off', memory(), options)).toBe('cpu');
    expect(calls).toEqual([]);
  });

  it.skipIf(process.platform === 'darwin')(
    'auto tries cuda, then vulkan, and ends at cpu when both crash',
    async () => {
      const none = fakeProbe();
      expect(await resolveDevice('auto', undefined, none.options)).toBe('cpu');
      expect(none.calls).toEqual(['cuda', 'vulkan']);
      expect(await resolveDevice('auto', undefined, fakeProbe('vulkan').options)).toBe('vulkan');
      expect(await resolveDevice('auto', undefined, fakeProbe('cuda', 'vulkan').options)).toBe('cuda');
    },
  );

  it('auto is the cpu at once where there is no GPU device', async () => {
    const { calls, options } = fakeProbe('cuda');
    expect(await resolveDevice('auto', undefined, { ...options, mayHaveGpu: () => false })).toBe('cpu');
    expect(calls).toEqual([]);
  });

  it('remembers the answer, so that a second run starts nothing', async () => {
    await resolveDevice('cuda', memory(), fakeProbe('cuda').options);
    const second = fakeProbe();
    expect(await resolveDevice('cuda', memory(), second.options)).toBe('cuda');
    expect(second.calls).toEqual([]);
  });

  it('remembers why', async () => {
    await resolveDevice('cuda', memory(), fakeProbe('cuda').options);
    expect(deviceReason('cuda', memory())).toBe('the first that works: a card');
    expect(deviceReason('vulkan', memory())).toBe('not recorded');
    expect(deviceReason('off', memory())).toBe('asked for with --gpu off');
  });

  it('probes again when a fact of the fingerprint has changed or the file is damaged', async () => {
    await resolveDevice('cuda', memory(), fakeProbe('cuda').options);
    writeFileSync(memory(), readFileSync(memory(), 'utf8').replace(/"fingerprint": "/, '"fingerprint": "older '));
    const changed = fakeProbe('cuda');
    await resolveDevice('cuda', memory(), changed.options);
    writeFileSync(memory(), '{"cuda":');
    await resolveDevice('cuda', memory(), changed.options);
    writeFileSync(memory(), readFileSync(memory(), 'utf8').replace(/"backend": "cuda"/, '"backend": "cudb"'));
    await resolveDevice('cuda', memory(), changed.options);
    expect(changed.calls).toEqual(['cuda', 'cuda', 'cuda']);
  });

  it('a backend asked for by name that does not work is an error that says what was tried', async () => {
    await expect(resolveDevice('vulkan', memory(), fakeProbe('cuda').options)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('--gpu vulkan does not work on this machine (tried vulkan: signal SIGABRT)'),
    });
  });
});
