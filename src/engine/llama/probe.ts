import { getLlama, getModuleVersion, type Llama, LlamaLogLevel, NoBinaryFoundError } from 'node-llama-cpp';
import type { Device } from '../../contract/device.js';
import { askForBuild, buildIsGone, kernelsOf, readerFile } from '../../library/chosen-build.js';
import { keepSamplers } from '../library/keep-samplers.js';
import { loadReader } from '../library/native-reader.js';
import { compareReadings } from './compare-readings.js';

/** What the probe process tells its parent; no message at all means that it died. */
export type ProbeResult =
  | {
      readonly ok: true;
      readonly device: string;
      /** The names of its cards, one each; absent for a CPU. */
      readonly devices?: readonly string[];
      /** Bytes of device memory; undefined when the library does not tell. */
      readonly memory?: { readonly total: number; readonly free: number };
    }
  | { readonly ok: false; readonly reason: string };

/**
 * Entry of a process that tries one device: `probe DEVICE [MODEL]` starts the library and, when a model is given,
 * decodes two tokens on it. llama.cpp may abort the process in the attempt; that is why it is one of its own.
 */
const [, , gpu, modelPath] = process.argv;
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
const result = await probe(gpu as Device).catch((error): ProbeResult => ({ ok: false, reason: reasonOf(error) }));
process.send?.(result);

async function probe(type: Device): Promise<ProbeResult> {
  const llama = await getLlama({
    gpu: type === 'cpu' ? false : type,
    build: 'never',
    ...askForBuild(type),
    skipDownload: true,
    progressLogs: false,
    logLevel: LlamaLogLevel.error,
  });
  const started = llama.gpu || 'cpu';
  if (started !== type) return { ok: false, reason: `the library started ${started} instead` };
  if (started === 'cpu') {
    if (modelPath !== undefined) await decode(llama, modelPath);
    return { ok: true, device: 'cpu' };
  }
  const devices = await llama.getGpuDeviceNames();
  if (devices.length === 0) return { ok: false, reason: 'no device found' };
  const { total, free } = await llama.getVramState();
  if (modelPath !== undefined) await decode(llama, modelPath);
  return { ok: true, device: devices.join(', '), devices, memory: { total, free } };
}

function reasonOf(error: unknown): string {
  if (error instanceof NoBinaryFoundError)
    return kernelsOf(gpu as Device) !== null
      ? buildIsGone(gpu as Device)
      : 'its prebuilt binary does not start here (no device, or no driver that fits)';
  return error instanceof Error ? error.message : String(error);
}

async function decode(llama: Llama, path: string): Promise<void> {
  const file = readerFile(llama.gpu || 'cpu');
  if (file !== null) keepSamplers(await getModuleVersion(), llama);
  const model = await llama.loadModel({ modelPath: path, gpuLayers: llama.gpu === false ? 0 : 'max' });
  const context = await model.createContext({ contextSize: 256, sequences: 1 });
  const sequence = context.getSequence();
  const tokens = model.tokenize('one two').slice(0, 2);
  await sequence.evaluateWithoutGeneratingNewTokens(tokens);
  if (file !== null) await compareReadings(context, sequence, tokens, loadReader(file));
}
