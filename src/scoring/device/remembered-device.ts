import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DEVICES, type Device, type GpuChoice } from '../../contract/device.js';
import { kernelsOf } from '../../library/chosen-build.js';
import { llamaCppRelease, nodeLlamaCppVersion } from '../../library/native-versions.js';

interface Remembered {
  readonly fingerprint: string;
  /** Under its name of old: the file is read by every version. */
  readonly backend: Device;
  readonly reason?: string;
  /** Name of the device's first card; absent in what was written before it was asked for. */
  readonly card?: string;
}

/** Cards of the answers that this process got or gave: another host that shares the folder may replace what it says. */
const cardsSeen = new Map<string, string | undefined>();

/** The file in a cache folder in which answers are remembered, under its name of old. */
export function deviceMemory(cacheDir: string): string {
  return path.join(cacheDir, 'backends.json');
}

/** The remembered answer for a choice; undefined when there is none or anything it depends on has changed. */
export function rememberedDevice(file: string, choice: GpuChoice): Device | undefined {
  const entry = readAll(file)[choice];
  // A name that is none is damage, as a cut file is: the devices are tried again.
  if (entry?.fingerprint !== fingerprint() || !DEVICES.includes(entry.backend)) return undefined;
  cardsSeen.set(`${choice} ${file}`, entry.card);
  return entry.backend;
}

/** Why the remembered answer was chosen; undefined when nothing valid is remembered. */
export function rememberedReason(file: string, choice: GpuChoice): string | undefined {
  const entry = readAll(file)[choice];
  return entry?.fingerprint === fingerprint() ? entry.reason : undefined;
}

/** The name of the card that the remembered answer stands for; null: unknown, or it is no card. */
export function rememberedCard(file: string, choice: GpuChoice): string | null {
  const seen = cardsSeen.get(`${choice} ${file}`);
  if (seen !== undefined) return seen;
  const entry = readAll(file)[choice];
  return entry?.fingerprint === fingerprint() && typeof entry.card === 'string' ? entry.card : null;
}

/**
 * Remembers an answer, its reason and the name of its card. A file that cannot be written only costs the next run its
 * probe.
 */
export function rememberDevice(
  file: string,
  choice: GpuChoice,
  { device, reason, card }: { readonly device: Device; readonly reason: string; readonly card?: string | undefined },
): void {
  cardsSeen.set(`${choice} ${file}`, card);
  const entry = { fingerprint: fingerprint(), backend: device, reason, ...(card !== undefined && { card }) };
  const all = { ...readAll(file), [choice]: entry };
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, `${JSON.stringify(all, null, 2)}\n`);
    renameSync(temporary, file);
  } catch {
    // Nothing depends on it.
  }
}

function readAll(file: string): Partial<Record<GpuChoice, Remembered>> {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Variables that hide or choose devices. */
const DEVICE_VARIABLES = [
  'CUDA_VISIBLE_DEVICES',
  'NVIDIA_VISIBLE_DEVICES',
  'GGML_VK_VISIBLE_DEVICES',
  'VK_ICD_FILENAMES',
  'VK_DRIVER_FILES',
];

function fingerprint(): string {
  const facts = [
    nodeLlamaCppVersion(),
    llamaCppRelease(),
    ...(kernelsOf('cuda') === null ? [] : [`kernels ${kernelsOf('cuda')}`]),
    process.platform,
    process.arch,
    ...DEVICE_VARIABLES.map((name) => `${name}=${process.env[name] ?? ''}`),
    ...deviceFiles(),
  ];
  return facts.join(' ');
}

/** False when this Linux machine has no device file of any GPU: then there is nothing to probe. */
export function mayHaveGpu(): boolean {
  return process.platform !== 'linux' || gpuDevices().length > 0 || existsSync('/proc/driver/nvidia');
}

function gpuDevices(): string[] {
  const names = attempt(() => readdirSync('/dev')) ?? [];
  return names.filter((name) => /^(nvidia|dri$|dxg$|kfd$|nvhost|nvmap)/.test(name)).sort();
}

/** Driver version and device files, with the times at which they were made (a reboot or a new driver changes them). */
function deviceFiles(): string[] {
  const driver = attempt(() => readFileSync('/proc/driver/nvidia/version', 'utf8').split('\n')[0]!.trim());
  return [
    driver ?? 'no NVIDIA driver',
    ...gpuDevices().map((name) => `${name}@${attempt(() => statSync(`/dev/${name}`).mtimeMs) ?? '?'}`),
  ];
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
