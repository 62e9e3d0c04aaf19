import type { Device, GpuChoice } from '../../contract/device.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { probeDevice } from './probe-device.js';
import { mayHaveGpu, rememberDevice, rememberedDevice, rememberedReason } from './remembered-device.js';

export type Probe = typeof probeDevice;

export interface ResolveDeviceOptions {
  /** A small GGUF file to decode with; without it the probe ends once the library has started and named the device. */
  readonly modelPath?: string;
  /** Replace the child process and the look at /dev in tests. */
  readonly probe?: Probe;
  readonly mayHaveGpu?: () => boolean;
}

type GpuDevice = Exclude<Device, 'cpu'>;

/**
 * Finds the device that really works on this machine. `auto` tries metal (macOS), or cuda then vulkan, each in a
 * process of its own since llama.cpp can abort, and ends at cpu (at once when Linux has no device file of a GPU). The
 * answer is remembered in `memoryFile` under a fingerprint of cheap facts (library, platform, drivers), so that later
 * runs start nothing. Failures of a device that was asked for by name are not remembered.
 *
 * @throws SupportCalError usage, when a device asked for by name does not work; the message says what was tried
 */
export async function resolveDevice(
  choice: GpuChoice,
  memoryFile?: string,
  options: ResolveDeviceOptions = {},
): Promise<Device> {
  if (choice === 'off') return 'cpu';
  const known = memoryFile === undefined ? undefined : rememberedDevice(memoryFile, choice);
  if (known !== undefined) return known;
  const { device, reason, tried } = await tryDevices(choice, options);
  if (device === null) {
    throw new SupportCalError(
      'usage',
      `--gpu ${choice} does not work on this machine (${reason}). Use --gpu off for the CPU, or auto`,
    );
  }
  if (memoryFile !== undefined && tried.length > 0)
    rememberDevice(memoryFile, choice, { device, reason, card: firstCard({ device, tried }) });
  return device;
}

/** The name of the first card of the device that was found; undefined: it is a CPU. */
export function firstCard({ device, tried }: Pick<DeviceTrials, 'device' | 'tried'>): string | undefined {
  const result = tried.find(({ backend }) => backend === device)?.result;
  return device === 'cpu' || result?.ok !== true ? undefined : (result.devices?.[0] ?? result.device);
}

/** Why `resolveDevice` answered as it did, from its memory; probes nothing. */
export function deviceReason(choice: GpuChoice, memoryFile: string): string {
  if (choice === 'off') return 'asked for with --gpu off';
  if (choice === 'auto' && !mayHaveGpu()) return NO_DEVICE;
  return rememberedReason(memoryFile, choice) ?? 'not recorded';
}

const NO_DEVICE = 'this machine has no GPU device';

export interface DeviceTrial {
  /** Under the name that `doctor --json` has had for it since its first version. */
  readonly backend: Device;
  readonly result: Awaited<ReturnType<Probe>>;
}

export interface DeviceTrials {
  /** The first that works; null when one was asked for by name and does not. */
  readonly device: Device | null;
  readonly reason: string;
  /** In the order they were tried. */
  readonly tried: readonly DeviceTrial[];
}

/** Tries the devices of a choice in their order until one works. Remembers nothing; `off` tries nothing. */
export async function tryDevices(choice: GpuChoice, options: ResolveDeviceOptions = {}): Promise<DeviceTrials> {
  if (choice === 'off') return { device: 'cpu', reason: 'asked for with --gpu off', tried: [] };
  if (choice === 'auto' && !(options.mayHaveGpu ?? mayHaveGpu)()) {
    return { device: 'cpu', reason: NO_DEVICE, tried: [] };
  }
  const tried: DeviceTrial[] = [];
  for (const device of candidates(choice)) {
    const result = await (options.probe ?? probeDevice)(device, options.modelPath);
    tried.push({ backend: device, result });
    if (result.ok) return { device, reason: `the first that works: ${result.device}`, tried };
  }
  const failures = tried.map(({ backend, result }) => `${backend}: ${result.ok ? '' : result.reason}`).join('; ');
  return choice === 'auto'
    ? { device: 'cpu', reason: `no GPU backend works (tried ${failures})`, tried }
    : { device: null, reason: `tried ${failures}`, tried };
}

function candidates(choice: Exclude<GpuChoice, 'off'>): GpuDevice[] {
  if (choice !== 'auto') return [choice];
  return process.platform === 'darwin' ? ['metal'] : ['cuda', 'vulkan'];
}
