import { type Command, InvalidArgumentError, Option } from 'commander';
import { METHOD_NAMES } from '../../calibration/methods.js';
import { BIN_EDGES, EDGE_RULES } from '../../config/models-schema.js';
import type { GpuChoice } from '../../contract/device.js';
import type { RunOptions, Shard } from '../../pipeline/workspace/run-options.js';
import { PAPER_COLUMNS } from '../../report/table/chosen-columns.js';
import { wrapWords } from '../../report/text/plain-text.js';
import { LOG_LEVELS, type LogLevel } from '../terminal/log.js';
import { reportFolder } from './report-folder.js';
import { sourceOverrides } from './source-overrides.js';

/** What commander hands to an action after the common flags were added. */
export interface CommonFlags {
  readonly wide?: boolean;
  readonly columns?: readonly string[];
  suite: string;
  models: string;
  datasets: string;
  quant?: string;
  methodFile?: string[];
  cache: string;
  out?: string;
  dataset?: string[];
  target?: string[];
  model?: string[];
  shard?: Shard;
  seeds?: number[];
  calibrationFraction?: number;
  diagnostics?: 'basic' | 'full';
  listCombinations?: boolean;
  bins?: number;
  binEdges?: 'equal-width' | 'equal-mass';
  edgeRule?: 'left-owned' | 'right-owned';
  source?: string[];
  bootstrap?: number | 'auto';
  threads?: number;
  limit?: number;
  gpu: GpuChoice;
  devices?: number[];
  allowOutside?: boolean;
  offline?: boolean;
  refresh?: boolean;
  maxCost?: number;
  disk?: number;
  keepFor?: string[];
  json?: boolean;
  quiet?: boolean;
  logLevel: LogLevel;
}

/** Gathers the values of a repeatable flag. */
export const collect = (value: string, all: string[] | undefined) => [...(all ?? []), value];

/** Flags that commands share, by name; made anew for every command, since an option belongs to one. */
const SHARED = {
  suite: () =>
    new Option('--suite <name>', 'suite of models.yaml, where it has several; `supportcal ls` lists them').default(
      'demo',
    ),
  models: () => new Option('--models <file>', 'models and suites').default('models.yaml'),
  quant: () =>
    new Option(
      '--quant <name>',
      'quantisation of models whose file has {quant}, such as Q4_K_M or BF16 (default: Q8_0)',
    ).argParser(quantName),
  datasets: () => new Option('--datasets <dir>', 'folder of data-set YAML files').default('datasets'),
  cache: () => new Option('--cache <dir>', 'option logits of earlier runs').default('cache'),
  out: () =>
    new Option(
      '--out <dir>',
      'where results and reports go; a run replaces the one that is there, also a run with --dataset, --target or --limit (default: reports/<suite>)',
    ),
  dataset: () => new Option('--dataset <id>', 'only this data set of the suite (repeatable)').argParser(collect),
  target: () =>
    new Option('--target <id>', 'only this post-trained model of the suite (repeatable)').argParser(collect),
  source: () =>
    new Option(
      '--source <id=file>',
      'local rows in place of the source of a data set: ID=FILE, or for paired text files ID:FIELD=FILE once per field (repeatable)',
    ).argParser(collect),
  limit: () =>
    new Option('--limit <n>', 'only the first N examples of each data set, in id order').argParser(positiveInteger),
  gpu: () =>
    new Option('--gpu <backend>', 'device to score on')
      .choices(['auto', 'cuda', 'vulkan', 'metal', 'off'])
      .default('auto'),
  devices: () =>
    new Option(
      '--devices <list>',
      'cards to score on, such as 0,2; `supportcal doctor` lists them (default: all that can be seen)',
    ).argParser(cardList),
  'allow-outside': () =>
    new Option(
      '--allow-outside',
      'paths in YAML files may lead out of the project (their folder, the one above datasets, the working directory)',
    ),
  offline: () => new Option('--offline', 'never touch the network: data and models of the hub must be in the cache'),
  refresh: () => new Option('--refresh', 'score again what the cache already has'),
  'max-cost': () =>
    new Option(
      '--max-cost <n>',
      'ask served models nothing when their rows would cost more, by the prices in models.yaml',
    ).argParser(positiveNumber),
  disk: () =>
    new Option(
      '--disk <size>',
      'budget for model files fetched from the hub, such as 100GB: the next one is fetched while a model is scored, and scored ones are removed for it (default: none is removed)',
    ).argParser(diskSize),
  'keep-for': () =>
    new Option(
      '--keep-for <suites>',
      'suites, such as a,b or none, for which fetched files stay as long as they have something to score with them (default: all of models.yaml)',
    ).argParser(suiteList),
} as const;

export type SharedFlag = keyof typeof SHARED;

/**
 * The flags of a run. Every command takes all of them, so that one list of flags serves a whole run; the help of a
 * command lists those that it uses.
 *
 * @param unused flags without an effect on this command
 */
export function addCommonFlags(command: Command, unused: readonly SharedFlag[] = []): Command {
  for (const [name, make] of Object.entries(SHARED)) {
    command.addOption(make().hideHelp(unused.includes(name as SharedFlag)));
  }
  return addOutputFlags(command, 'no progress, only warnings and errors');
}

/** Some of those flags alone, in the order of the list. */
export function addFlags(command: Command, names: readonly SharedFlag[]): Command {
  for (const name of names) command.addOption(SHARED[name]());
  return command;
}

/** What every command has: how it speaks. */
export function addOutputFlags(command: Command, quiet = 'only warnings and errors'): Command {
  return command
    .option('--json', 'print one JSON document on stdout and nothing else')
    .option('--quiet', quiet)
    .addOption(new Option('--log-level <level>', 'lines shown on stderr').choices([...LOG_LEVELS]).default('warn'));
}

const BUILT_IN = `
Methods that a suite's \`methods\` may name (docs/methods.md says what each is):
  ${wrapWords(METHOD_NAMES.join(', '), 78).join('\n  ')}
and those of --method-file.`;

/** For commands that read the methods of a suite. */
export function addMethodFlag(command: Command): Command {
  return command
    .option(
      '--method-file <file.mjs>',
      'module with a method of your own, which then runs beside those of the suite; its code runs here (repeatable)',
      collect,
    )
    .addHelpText('after', BUILT_IN);
}

/** How splits are drawn and ECE is measured. */
export function addSplitFlags(command: Command): Command {
  return command
    .option('--seeds <list>', 'seeds of the calibration splits, such as 1,2,3 (default: of the suite)', seedList)
    .option(
      '--calibration-fraction <f>',
      'share of the examples that the temperature is fitted on (default: of the suite)',
      fraction,
    )
    .option('--bins <n>', 'confidence bins of the ECE (default: 10)', positiveInteger)
    .addOption(
      new Option(
        '--bin-edges <kind>',
        'bins of equal width, or with equally many examples (default: equal-width)',
      ).choices(BIN_EDGES),
    )
    .addOption(
      new Option(
        '--edge-rule <rule>',
        'the equal-width bin that owns a confidence on an edge: left-owned as netcal, right-owned as Guo et al. (default: left-owned)',
      ).choices(EDGE_RULES),
    )
    .option(
      '--bootstrap <n>',
      'resamples behind intervals and p-values of the ECE, 0 for none (default: auto, 500 but fewer or none on large data sets)',
      resamples,
    );
}

/** Tables of a terminal show means alone unless this flag is given. */
export function addWideFlag(command: Command): Command {
  return command
    .option('--wide', 'tables with standard errors and differences between methods')
    .option(
      '--columns <list>',
      'methods that printed tables show, in this order, such as vanilla,daca,supportcal; `paper`: those of the paper',
      columnList,
    );
}

export function addCalibrationFlags(command: Command): Command {
  return addSplitFlags(command)
    .addOption(
      new Option(
        '--diagnostics <level>',
        'figures beyond the tables: basic has all that is cheap: the loss, reintroduction, sample-size and M curves and the ' +
          'weights by margin of small data sets (of middling ones for the first seed); full has them for every data set, ' +
          'seed, M and method (default: basic)',
      ).choices(['basic', 'full']),
    )
    .option('--list-combinations', 'list the DS of every combination of references in diagnostics.json')
    .option(
      '--threads <n>',
      'threads that calibrate at most; results are the same to the bit (default: more than one from 100,000 examples or so)',
      positiveInteger,
    );
}

/** Which part of a suite's work is done here. */
export function addPartFlags(command: Command): Command {
  return command
    .option('--model <id>', 'score only this model of the suite (repeatable)', collect)
    .addOption(
      new Option(
        '--shard <i/n>',
        'score only piece i of n equal ones, i from 0 to n - 1; every process must see the same models and data',
      )
        .argParser(shardOf)
        .conflicts('refresh'),
    );
}

/** What `addSplitFlags` adds. */
export type SplitFlags = Pick<
  CommonFlags,
  'seeds' | 'calibrationFraction' | 'bins' | 'binEdges' | 'edgeRule' | 'bootstrap'
>;

export function splitOptions(flags: SplitFlags): Partial<RunOptions> {
  const { seeds, calibrationFraction, bins, binEdges, edgeRule, bootstrap } = flags;
  return {
    ...(seeds && { seeds }),
    ...(calibrationFraction !== undefined && { calibrationFraction }),
    ...(bins !== undefined && { bins }),
    ...(binEdges && { binEdges }),
    ...(edgeRule && { edgeRule }),
    ...(bootstrap !== undefined && { bootstrap }),
  };
}

export function runOptions(flags: CommonFlags): RunOptions {
  return {
    suite: flags.suite,
    models: flags.models,
    datasets: flags.datasets,
    cache: flags.cache,
    out: flags.out ?? reportFolder(flags.suite),
    ...(flags.quant !== undefined && { quant: flags.quant }),
    ...(flags.methodFile && { methodFiles: flags.methodFile }),
    ...(flags.dataset && { datasetIds: flags.dataset }),
    ...(flags.target && { targetIds: flags.target }),
    ...(flags.model && { modelIds: flags.model }),
    ...(flags.shard && { shard: flags.shard }),
    ...splitOptions(flags),
    ...(flags.diagnostics && { diagnostics: flags.diagnostics }),
    ...(flags.listCombinations && { listCombinations: true }),
    ...(flags.allowOutside && { allowOutside: true }),
    ...(flags.offline && { offline: true }),
    ...(flags.source && { sources: sourceOverrides(flags.source) }),
    ...(flags.threads !== undefined && { threads: flags.threads }),
    ...(flags.limit !== undefined && { limit: flags.limit }),
    ...(flags.maxCost !== undefined && { maxCost: flags.maxCost }),
    ...(flags.disk !== undefined && { disk: flags.disk }),
    ...(flags.keepFor && { keepFor: flags.keepFor }),
    gpu: flags.gpu,
    ...(flags.devices && { devices: flags.devices }),
    refresh: flags.refresh ?? false,
  };
}

function quantName(text: string): string {
  if (!/^[\w.-]+$/.test(text)) throw new InvalidArgumentError('expected the name of a quantisation, such as Q8_0.');
  return text;
}

function positiveNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new InvalidArgumentError('expected a number of 0 or more.');
  return value;
}

function suiteList(text: string): string[] {
  return text === 'none' ? [] : text.split(',').map((name) => name.trim());
}

const BYTES: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KIB: 2 ** 10,
  MIB: 2 ** 20,
  GIB: 2 ** 30,
  TIB: 2 ** 40,
};

function diskSize(text: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?) ?([kmgt]?i?b)$/i.exec(text.trim()) ?? [];
  const bytes = Math.floor(Number(number) * (BYTES[unit.toUpperCase()] ?? Number.NaN));
  if (number === '' || !Number.isSafeInteger(bytes))
    throw new InvalidArgumentError('expected a size with its unit, such as 100GB, 1.5TB or 80GiB.');
  return bytes;
}

function positiveInteger(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || !Number.isSafeInteger(value)) {
    throw new InvalidArgumentError('expected a whole number of 1 or more.');
  }
  return value;
}

function shardOf(text: string): Shard {
  const [, index, count] = /^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? [];
  const shard = { index: Number(index), count: Number(count) };
  if (!(shard.index < shard.count))
    throw new InvalidArgumentError('expected i/n with i from 0 to n - 1, such as 0/8 for the first of eight.');
  return shard;
}

function resamples(text: string): number | 'auto' {
  if (text === 'auto') return 'auto';
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('expected a whole number of 0 or more, or auto.');
  return Number(text);
}

function seedList(text: string): number[] {
  const seeds = text.split(',').map((part) => part.trim());
  if (seeds.some((seed) => !/^\d+$/.test(seed) || Number(seed) > 0xffffffff)) {
    throw new InvalidArgumentError('expected whole numbers from 0 to 4294967295 with commas between, such as 1,2,3.');
  }
  const numbers = seeds.map(Number);
  if (new Set(numbers).size !== numbers.length) throw new InvalidArgumentError('a seed stands twice in the list.');
  return numbers;
}

function cardList(text: string): number[] {
  const cards = text.split(',').map((part) => part.trim());
  if (cards.some((card) => !/^\d{1,3}$/.test(card))) {
    throw new InvalidArgumentError('expected numbers of cards with commas between, such as 0,2.');
  }
  if (new Set(cards.map(Number)).size !== cards.length)
    throw new InvalidArgumentError('a card stands twice in the list.');
  return cards.map(Number);
}

function fraction(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value > 0 && value < 1)) {
    throw new InvalidArgumentError('expected a number between 0 and 1, such as 0.3.');
  }
  return value;
}

function columnList(text: string): readonly string[] {
  if (text === 'paper') return PAPER_COLUMNS;
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => name === '');
  if (unknown !== undefined) throw new InvalidArgumentError('expected names of methods, such as vanilla,daca.');
  return names;
}
