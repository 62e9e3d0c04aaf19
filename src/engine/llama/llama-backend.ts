import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import {
  getLlama,
  getModuleVersion,
  type Llama,
  LlamaLogLevel,
  type LlamaModel,
  NoBinaryFoundError,
  readGgufFileInfo,
  type Token,
} from 'node-llama-cpp';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { askForBuild, buildIsGone, kernelsOf, productsFile, readerFile } from '../../library/chosen-build.js';
import { tokenReach } from '../encode/least-tokens.js';
import { plainTokenizer } from '../frame/plain-tokenizer.js';
import { dropSamplers, keepSamplers } from '../library/keep-samplers.js';
import { loadProducts } from '../library/load-products.js';
import { loadReader, type NativeReader } from '../library/native-reader.js';
import { skipTrial } from '../library/skip-trial.js';
import type { Backend, ControlToken, LoadedModel, LoadRequest, ModelInfo } from '../protocol/backend.js';
import { exactAlone, exactInCompany } from './exact-in-company.js';
import { keepsLinesApart } from './keeps-lines-apart.js';
import { loadFault, tensorLine } from './load-fault.js';
import { memoryNeeds } from './memory-needs.js';
import { openLlamaContext } from './open-llama-context.js';
import { skipEstimates } from './skip-estimates.js';
import { specialTokens } from './special-tokens.js';

type LogLine = LoadRequest['onLog'];

/** One binding per process, started by the first model; its log lines go to the model that is being worked on. */
let binding: { readonly llama: Llama; readonly threads: number; readonly reader: NativeReader | null } | undefined;
let onLog: LogLine = () => {};
/** The binding on its way before there is a model. */
let preparing: Promise<unknown> = Promise.resolve();

/** The real backend: llama.cpp through node-llama-cpp's prebuilt binaries. Import it in a child process only. */
export const backend: Backend = {
  async prepare(request) {
    preparing = startLlama(request).catch(() => {});
    await preparing;
  },
  async load(request) {
    onLog = request.onLog;
    await preparing;
    const llama = await startLlama(request);
    if (request.device === 'cpu' && request.vocabOnly !== true) skipEstimates(await getModuleVersion());
    const model = await loadModel(llama, request);
    return loadedModel(model, await modelInfo(llama, model), binding?.reader ?? null);
  },
  async shutdown() {
    await preparing;
    await binding?.llama.dispose();
    binding = undefined;
  },
};

async function startLlama({ device, threads }: Pick<LoadRequest, 'device' | 'threads'>): Promise<Llama> {
  if (binding !== undefined && binding.threads === threads) return binding.llama;
  await binding?.llama.dispose();
  const start = () =>
    getLlama({
      gpu: device === 'cpu' ? false : device,
      build: 'never',
      ...askForBuild(device),
      skipDownload: true,
      progressLogs: false,
      maxThreads: threads,
      logLevel: LlamaLogLevel.warn,
      logger: logLine,
    });
  // Before the library, which asks it who multiplies.
  loadOwn(device, productsFile(device), loadProducts);
  const llama = await skipTrial(await getModuleVersion(), device, start).catch((error) => {
    throw error instanceof NoBinaryFoundError ? noBinary(device, error) : error;
  });
  // The numbers of its rows are kept under the kernels of that build.
  if (kernelsOf(device) !== null && llama.buildType !== 'localBuild')
    throw new SupportCalError('model-load', buildIsGone(device));
  keepSamplers(await getModuleVersion(), llama);
  binding = { llama, threads, reader: loadOwn(device, readerFile(device), loadReader) };
  return llama;
}

function loadOwn<Addon>(
  device: LoadRequest['device'],
  file: string | null,
  load: (file: string) => Addon,
): Addon | null {
  if (file === null) return null;
  try {
    return load(file);
  } catch (error) {
    throw new SupportCalError('model-load', buildIsGone(device), { cause: error });
  }
}

function logLine(level: LlamaLogLevel, message: string): void {
  const text = message.trim();
  if (text !== '') onLog(level === 'fatal' || level === 'error' ? 'error' : level === 'warn' ? 'warn' : 'info', text);
}

function noBinary(device: LoadRequest['device'], cause: unknown): SupportCalError {
  if (kernelsOf(device) !== null) return new SupportCalError('model-load', buildIsGone(device), { cause });
  const where = `${device} on ${process.platform} ${process.arch}`;
  const message =
    `llama.cpp's prebuilt binary for ${where} is not installed or does not start here; run \`npm ci\` again without ` +
    '`--omit=optional`, and see `supportcal doctor`';
  return new SupportCalError('model-load', message, { cause });
}

async function loadModel(llama: Llama, request: LoadRequest): Promise<LlamaModel> {
  const { modelPath, device, preTokenizer, gpuLayers = 'max', vocabOnly = false } = request;
  const lines: string[] = [];
  const log = onLog;
  onLog = (level, text) => {
    if (level === 'error') lines.push(text);
    log(level, text);
  };
  const refused = async (error: unknown) => {
    const { release } = llama.llamaCppRelease;
    return loadFault({ error, lines, device, release, architecture: await architectureOf(modelPath) });
  };
  try {
    const model = await llama.loadModel({
      modelPath,
      vocabOnly,
      // All layers or a fixed number: a split that follows free memory would change logits from run to run.
      gpuLayers: device === 'cpu' ? 0 : gpuLayers,
      ...(preTokenizer !== undefined && { metadataOverrides: { tokenizer: { ggml: { pre: preTokenizer } } } }),
    });
    // With a vocabulary alone, the dry run that estimates memory says already what the load would stumble over.
    const fault = vocabOnly ? tensorLine(lines) : null;
    if (fault === null) return model;
    await model.dispose();
    throw await refused(new Error(fault));
  } catch (error) {
    if (error instanceof SupportCalError) throw error;
    // Lines of the native library come in a turn of their own.
    await setTimeout(50);
    throw await refused(error);
  } finally {
    onLog = log;
  }
}

async function architectureOf(modelPath: string): Promise<string | null> {
  const info = await readGgufFileInfo(modelPath, { readTensorInfo: false, logWarnings: false }).catch(() => null);
  const architecture: unknown = info?.metadata.general?.architecture;
  return typeof architecture === 'string' ? architecture : null;
}

async function modelInfo(llama: Llama, model: LlamaModel): Promise<ModelInfo> {
  const tokenizer = model.fileInfo.metadata.tokenizer;
  const { bos, bosString, eosString, shouldPrependBosToken } = model.tokens;
  const devices = llama.gpu === false ? [] : await llama.getGpuDeviceNames();
  const tensors = model.fileInfo.fullTensorInfo ?? [];
  const rewinds = !model.fileInsights.isRecurrent && !model.fileInsights.isHybrid;
  return {
    architecture: String(model.architecture),
    device: devices.length === 0 ? 'cpu' : devices.join(', '),
    chatTemplate: tokenizer?.chat_template ?? null,
    // llama.cpp does not read it with a vocabulary alone.
    trainContextSize: model.trainContextSize || (model.fileInsights.trainContextSize ?? 0),
    vocabularyType: String(model.vocabularyType),
    tokenizerModel: tokenizer?.ggml?.model ?? null,
    preTokenizer: tokenizer?.ggml?.pre ?? null,
    bos: bos === null ? null : { id: bos, text: bosString ?? '' },
    eosText: eosString ?? '',
    addBosKey: tokenizer?.ggml?.add_bos_token ?? null,
    addBosDefault: shouldPrependBosToken,
    exactInCompany: exactInCompany(tensors),
    exactAlone: rewinds && exactAlone(tensors, llama.systemInfo),
    rewinds,
  };
}

/** Which tokens begin and end a text is no matter of its own tokens. */
const FRAMING_KEYS = /^((bos|eos|eot|eom|padding)_token_id|add_(bos|eos)_token)$/;

/**
 * Hash of all that plain text is tokenised by: vocabulary, merges, kinds of tokens, and what is never read from data.
 */
function tokenizerKey({ fileInfo }: LlamaModel, info: ModelInfo, steering: readonly ControlToken[]): string {
  const exact = (key: string, value: unknown) =>
    FRAMING_KEYS.test(key) ? undefined : typeof value === 'bigint' ? `${value}n` : value;
  const said = JSON.stringify([fileInfo.metadata.tokenizer?.ggml, info.preTokenizer, steering], exact);
  return createHash('sha256').update(said).digest('hex');
}

function loadedModel(model: LlamaModel, info: ModelInfo, reader: NativeReader | null): LoadedModel {
  const { control, steering, strips } = specialTokens(model, info.chatTemplate);
  return {
    info,
    tokenizerKey: () => tokenizerKey(model, info, steering),
    tokenReach: () => tokenReach(info.tokenizerModel, model.fileInfo.metadata.tokenizer?.ggml),
    keepsLinesApart: () => keepsLinesApart(model.fileInfo.metadata.tokenizer?.ggml, info, strips),
    tokenize: plainTokenizer((text) => model.tokenize(text, false), steering, info.vocabularyType === 'spm'),
    controlTokens: () => [...control],
    detokenize: (tokens) => model.detokenize(tokens as Token[], true),
    memoryNeeds: (request) => memoryNeeds(model, request),
    openContext: (request) => openLlamaContext(model, request, reader),
    close: async () => {
      dropSamplers(model);
      await model.dispose();
    },
  };
}
