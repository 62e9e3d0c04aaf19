import {
  getLlama,
  getModuleVersion,
  type Llama,
  type LlamaContext,
  type LlamaContextSequence,
  LlamaLogLevel,
  NoBinaryFoundError,
  type Token,
} from 'node-llama-cpp';
import type { Device } from '../../contract/device.js';
import { askForBuild, buildIsGone, kernelsOf, productsFile, readerFile } from '../../library/chosen-build.js';
import { nativeEvaluator } from '../library/evaluate-natively.js';
import { keepSamplers } from '../library/keep-samplers.js';
import { loadProducts } from '../library/load-products.js';
import { loadReader, type NativeReader, readNatively } from '../library/native-reader.js';
import { nativeWriter } from '../library/write-natively.js';
import type { Reading } from '../protocol/backend.js';
import { logitRequest, readingOf } from './read-logits.js';

/** The library adds up the weights of a vocabulary in float32. */
const TOTAL_TOLERANCE = 1e-3;

/** Tokens of a second pass of the trial, for which llama.cpp takes the kernels of a batch of prompts. */
const MANY_TOKENS = 64;

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
  const file = productsFile(type);
  const products = file === null ? null : loadProducts(file);
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
  if (modelPath !== undefined) {
    await decode(llama, modelPath);
    if (products?.asked() === 0) throw new Error('llama.cpp does not ask our own choice of who multiplies');
  }
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
  // Who multiplies is asked for more tokens than a few.
  await sequence.evaluateWithoutGeneratingNewTokens(Array.from({ length: MANY_TOKENS }, () => tokens[0] as Token));
  if (file !== null) await compareReadings(context, sequence, tokens, loadReader(file));
}

/**
 * Reads the same place by the library and by our own reader, which evaluates it by itself too and writes two tokens;
 * afterwards the context reads by the reader.
 *
 * @throws Error when logits differ, totals differ by more than the library rounds, or nothing is written
 */
async function compareReadings(
  context: LlamaContext,
  sequence: LlamaContextSequence,
  tokens: readonly Token[],
  reader: NativeReader,
): Promise<void> {
  const ids = [0, 1, 2];
  const read = async (): Promise<Reading> => {
    await sequence.clearHistory();
    const [last, ...before] = [...tokens].reverse();
    const input = [...before.reverse(), [last as Token, { generateNext: logitRequest(ids) }] as const];
    const output = await sequence.controlledEvaluate(input as Parameters<typeof sequence.controlledEvaluate>[0]);
    return readingOf(output[tokens.length - 1]?.next, ids);
  };
  const byLibrary = await read();
  readNatively(context, reader);
  const own = await read();
  await sequence.clearHistory();
  // Twice, so that the sequence is cut back between two passes.
  const evaluated: Reading[] = [];
  const readings = [{ at: tokens.length - 1, ids, take: (reading: Reading) => void evaluated.push(reading) }];
  const part = { sequence, from: 0, tokens, length: tokens.length, readings };
  const restore = () => sequence.clearHistory();
  await nativeEvaluator(context, { reader, turns: 1, threads: 1 })?.([[part], [part]], restore);
  const logits = ({ logits: those, maxLogit }: Reading) => JSON.stringify([...those, maxLogit]);
  const ratio = own.totalWeight / byLibrary.totalWeight;
  const isEqual = logits(own) === logits(byLibrary) && Math.abs(ratio - 1) <= TOTAL_TOLERANCE;
  const isSame = evaluated.length === 2 && evaluated.every((reading) => logits(reading) === logits(own));
  const write = nativeWriter(context.model, context, { reader, threads: 2 });
  const start = { sequence, last: Number(tokens.at(-1)), temperature: 1, seed: 1, maxTokens: 2 };
  const [reply] = await write([start], undefined);
  const isWritten = reply?.error === undefined && (reply?.ended || reply?.tokens.length === 2);
  if (!isEqual || !isSame || !isWritten)
    throw new Error(
      `our own reader of logits gives ${logits(own)} of ${own.totalWeight}, the library ${logits(byLibrary)} of ` +
        `${byLibrary.totalWeight}, two passes ${JSON.stringify(evaluated)}, and a reply ${JSON.stringify(reply)}`,
    );
}
