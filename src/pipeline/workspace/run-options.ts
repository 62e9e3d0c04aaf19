import type { Device, GpuChoice } from '../../contract/device.js';
import type { SourceOverride } from '../../datasets/source/override-source.js';

/** One of `count` pieces of the work of a suite; `index` is 0 to count - 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** One run, as the user asked for it: defaults < models.yaml < flags. Paths as the user wrote them. */
export interface RunOptions {
  /** The arguments of the command line behind the run, without secrets, for the record. */
  readonly command?: readonly string[];
  readonly suite: string;
  readonly models: string;
  readonly datasets: string;
  /** What {quant} stands for in the `file` of a model. */
  readonly quant?: string;
  readonly cache: string;
  /** Output folder; default `reports/<suite>`. */
  readonly out: string;
  readonly datasetIds?: readonly string[];
  readonly targetIds?: readonly string[];
  /** Only these models are scored. */
  readonly modelIds?: readonly string[];
  /** Only this piece of the work is scored. */
  readonly shard?: Shard;
  /** Local files in place of the source of a data set, by its id. */
  readonly sources?: ReadonlyMap<string, SourceOverride>;
  readonly seeds?: readonly number[];
  readonly calibrationFraction?: number;
  /** Modules with methods of one's own; their code runs in this process. */
  readonly methodFiles?: readonly string[];
  /** full: also the diagnostics of the paper that take many fits. */
  readonly diagnostics?: 'basic' | 'full';
  /** Lists DS of every combination of references in diagnostics.json. */
  readonly listCombinations?: boolean;
  readonly bins?: number;
  readonly binEdges?: 'equal-width' | 'equal-mass';
  readonly edgeRule?: 'left-owned' | 'right-owned';
  /** Resamples behind intervals and p-values; 0: none. */
  readonly bootstrap?: number | 'auto';
  /** Threads that calibrate at most; default: as many as pay. */
  readonly threads?: number;
  /** Only the first N examples of each data set, in id order. */
  readonly limit?: number;
  /** Served models are not asked when what they have to score would cost more, by the prices of models.yaml. */
  readonly maxCost?: number;
  /** Bytes of model files that the suite may have fetched from the hub and not removed; absent: no limit. */
  readonly disk?: number;
  /** Suites for which fetched files stay while they have something to score; absent: all of models.yaml. */
  readonly keepFor?: readonly string[];
  /** Paths in YAML files may lead out of the project. */
  readonly allowOutside?: boolean;
  /** Nothing is fetched from the hub: what is not in the cache is a fault. */
  readonly offline?: boolean;
  readonly gpu: GpuChoice;
  /** Numbers of the cards to score on, where the device has several; absent: all. */
  readonly devices?: readonly number[];
  /**
   * Models are scored on other machines, which have this device: no device of this machine is looked for, and no file
   * is fetched.
   */
  readonly elsewhere?: { readonly device: Device };
  /** Score again what the cache already has. */
  readonly refresh: boolean;
}
