import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { whyUnreadable } from '../../files/why-unreadable.js';
import { writeFileAtomic } from '../../files/write-file-atomic.js';
import type { CalibrationArtefact } from '../artefact/artefact-schema.js';
import { SIGNALS } from '../artefact/drift-schema.js';
import type { QuestionSignals } from '../artefact/question-signals.js';
import { type DriftReport, DriftWindow, FALSE_ALARM_RATE } from './drift-window.js';

/** Questions of one window where nobody says how many. */
export const WINDOW_ROWS = 200;

/** Windows that are kept; the earliest ones go. */
const MOST_WINDOWS = 1000;

const windowSchema = z.object({
  endedAt: z.string(),
  rows: z.int().nonnegative(),
  drift: z.boolean().nullable(),
  pValue: z.number(),
  signals: z.array(
    z.object({
      signal: z.enum(SIGNALS),
      rows: z.int().nonnegative(),
      distance: z.number(),
      pValue: z.number(),
      median: z.number(),
      fitMedian: z.number(),
    }),
  ),
});

/** What is remembered of a stream of questions from one call to the next. */
const stateSchema = z.object({
  schemaVersion: z.literal(1),
  kind: z.literal('supportcal-monitor'),
  /** The calibration that the questions are compared with. */
  artefact: z.object({ target: z.string(), dataset: z.string(), createdAt: z.string() }),
  /** A window of questions like those of the fit is called drift this often. */
  falseAlarmRate: z.number(),
  windowRows: z.int().positive(),
  /** All questions so far. */
  rows: z.int().nonnegative(),
  /** The window that is not full yet. */
  current: z.object({
    rows: z.int().nonnegative(),
    counts: z.partialRecord(z.enum(SIGNALS), z.array(z.int().nonnegative())),
  }),
  windows: z.array(windowSchema),
});

type MonitorState = z.infer<typeof stateSchema>;
export type MonitoredWindow = z.infer<typeof windowSchema>;

/** A stream of questions, looked at window by window. */
export interface Monitor {
  add(signals: QuestionSignals): void;
  /** Windows that were filled since it was opened. */
  readonly closed: readonly MonitoredWindow[];
  /** All questions, and those of the window that is not full yet. */
  readonly rows: number;
  readonly waiting: number;
  /** What the window that is not full yet shows. To look at it again and again is to raise more false alarms. */
  peek(): DriftReport;
  /** Writes the state down, whole or not at all. */
  save(): Promise<void>;
}

export interface MonitorOptions {
  /** Where the state is kept; null: nowhere. */
  readonly file: string | null;
  /** Default: as the state says, else 200. */
  readonly windowRows?: number | undefined;
  /** The artefact as the user named it, for messages. */
  readonly artefactFile: string;
  /** The time of a window; for tests. */
  readonly now?: () => Date;
}

/**
 * Opens a monitor, which goes on where an earlier one with the same file stopped.
 *
 * @throws SupportCalError bad-input: the artefact does not know what its questions look like, or the state is of
 *   another artefact
 */
export async function openMonitor(artefact: CalibrationArtefact, options: MonitorOptions): Promise<Monitor> {
  const { drift } = artefact;
  if (drift === null) {
    const message = 'an earlier version wrote it, without what the questions of the fit look like; export it again';
    throw new SupportCalError('bad-input', { file: options.artefactFile, field: 'drift', message });
  }
  const { file, windowRows, now = () => new Date() } = options;
  const earlier = file === null ? null : await readState(file, artefact);
  if (earlier !== null && windowRows !== undefined && earlier.windowRows !== windowRows) {
    const message = `has windows of ${earlier.windowRows} questions, not of ${windowRows}; take another file`;
    throw new SupportCalError('usage', { file: file ?? undefined, field: 'windowRows', message });
  }
  const state = earlier ?? newState(artefact, windowRows ?? WINDOW_ROWS);
  let window = new DriftWindow(drift, state.current);
  let { rows } = state;
  const closed: MonitoredWindow[] = [];
  return {
    closed,
    get rows() {
      return rows;
    },
    get waiting() {
      return window.rows;
    },
    add(signals) {
      rows += 1;
      window.add(signals);
      if (window.rows < state.windowRows) return;
      const { signals: tests, ...report } = window.report();
      closed.push({ endedAt: now().toISOString(), ...report, signals: [...tests] });
      window = new DriftWindow(drift);
    },
    peek: () => window.report(),
    async save() {
      if (file === null) return;
      const windows = [...state.windows, ...closed].slice(-MOST_WINDOWS);
      const current = { rows: window.rows, counts: window.counts };
      await writeFileAtomic(file, `${JSON.stringify({ ...state, rows, current, windows })}\n`);
    },
  };
}

function newState({ target, dataset, createdAt }: CalibrationArtefact, windowRows: number): MonitorState {
  return {
    schemaVersion: 1,
    kind: 'supportcal-monitor',
    artefact: { target: target.id, dataset: dataset.id, createdAt },
    falseAlarmRate: FALSE_ALARM_RATE,
    windowRows,
    rows: 0,
    current: { rows: 0, counts: {} },
    windows: [],
  };
}

/** The state in a file; null: there is none yet. */
async function readState(file: string, artefact: CalibrationArtefact): Promise<MonitorState | null> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return null;
    throw new SupportCalError('missing-file', { file, message: whyUnreadable(cause) }, { cause });
  });
  if (text === null) return null;
  const fail = (message: string, field?: string) => new SupportCalError('bad-input', { file, field, message });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw fail(`is no state of a monitor: ${(error as Error).message}; name another file`);
  }
  const { success, error, data } = stateSchema.safeParse(value);
  if (!success) {
    const [issue] = error.issues;
    throw fail(`is no state of a monitor (${issue?.message}); name another file`, issue?.path.map(String).join('.'));
  }
  const { target, dataset, createdAt } = data.artefact;
  if (target === artefact.target.id && dataset === artefact.dataset.id && createdAt === artefact.createdAt) return data;
  throw fail(
    `is of another artefact (${target} on ${dataset}, ${createdAt}); name another file, or remove this one`,
    'artefact',
  );
}
