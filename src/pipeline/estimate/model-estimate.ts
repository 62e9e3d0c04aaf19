import type { Device } from '../../contract/device.js';

/** The device that scoring would use, and the others that work. Free memory in bytes. */
export interface EstimateDevice {
  readonly device: Device;
  readonly cores: number;
  readonly free: number;
  readonly others?: ReadonlyArray<{ readonly device: Device; readonly free: number }>;
}

export interface ModelEstimate {
  readonly model: string;
  /** As it is written, the quantisation filled in; null: scores are imported. */
  readonly file: string | null;
  /** File and line that name it: models.yaml, or models.local.yaml. */
  readonly namedIn: string | null;
  /**
   * missing: of the hub, not downloaded; absent: no such file on this machine; served: behind a server; imported: no
   * file is needed.
   */
  readonly state: 'here' | 'missing' | 'absent' | 'served' | 'imported';
  /** Size of the file; null: unknown. */
  readonly bytes: number | null;
  /** listed: the hub said so; estimated: from weights x bits. */
  readonly bytesFrom: 'file' | 'listed' | 'estimated' | null;
  readonly memory: number | null;
  readonly memoryFrom: 'file' | 'estimated' | null;
  /** Whether it fits on the device that is used; null: unknown. */
  readonly fits: boolean | null;
  /** Whether it fits on each device that works. */
  readonly fitsOn: Readonly<Partial<Record<Device, boolean>>>;
  /** Prompt tokens to evaluate when nothing is cached; null when some data set has no known size. */
  readonly tokens: number | null;
  /** counted: with the vocabulary of the file. */
  readonly tokensFrom: 'counted' | 'estimated' | null;
  /** Tokens of the longest prompt, with room for its reply; counted or estimated as `tokens` are. */
  readonly longestTokens: number | null;
  /** Tokens of replies to write. */
  readonly generatedTokens: number | null;
  readonly tokensPerSecond: number | null;
  /** probed: just now; measured: by an earlier run; counted: from the weights of the file and their types. */
  readonly speedFrom: 'probed' | 'measured' | 'counted' | 'assumed' | null;
  /** Seconds before its first rows, in `hours` too; 0 where an earlier run was timed as a whole; null: not known. */
  readonly startSeconds: number | null;
  readonly hours: number | null;
  /** What the tokens cost by the price in models.yaml; null: no price, or no known number of tokens. */
  readonly cost: number | null;
}
