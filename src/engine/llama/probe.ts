import { getLlama, type Llama, type LlamaGpuType, LlamaLogLevel, NoBinaryFoundError } from 'node-llama-cpp';

/** What the probe process tells its parent; no message at all means that it died. */
export type ProbeResult =
  | { readonly ok: true; readonly device: string }
  | { readonly ok: false; readonly reason: string };

/**
 * Entry of a process that tries one backend: `probe GPU [MODEL]` starts the binding and, when a model is given, decodes
 * two tokens on it. llama.cpp may abort the process in the attempt; that is why it is one of its own.
 */
const [, , gpu, modelPath] = process.argv;
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
const result = await probe(gpu as Exclude<LlamaGpuType, false>).catch(
  (error): ProbeResult => ({ ok: false, reason: reasonOf(error) }),
);
process.send?.(result);

async function probe(type: Exclude<LlamaGpuType, false>): Promise<ProbeResult> {
  const llama = await getLlama({
    gpu: type,
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    logLevel: LlamaLogLevel.error,
  });
  if (llama.gpu !== type) return { ok: false, reason: `the library started ${llama.gpu || 'cpu'} instead` };
  const devices = await llama.getGpuDeviceNames();
  if (devices.length === 0) return { ok: false, reason: 'no device found' };
  if (modelPath !== undefined) await decode(llama, modelPath);
  return { ok: true, device: devices.join(', ') };
}

function reasonOf(error: unknown): string {
  if (error instanceof NoBinaryFoundError)
    return 'its prebuilt binary does not start here (no device, or no driver that fits)';
  return error instanceof Error ? error.message : String(error);
}

async function decode(llama: Llama, path: string): Promise<void> {
  const model = await llama.loadModel({ modelPath: path, gpuLayers: 'max' });
  const context = await model.createContext({ contextSize: 256, sequences: 1 });
  await context.getSequence().evaluateWithoutGeneratingNewTokens(model.tokenize('one two').slice(0, 2));
}
