import cliProgress from 'cli-progress';
import type { ScoringEvents } from '../../contract/scorer.js';
import { redactSecrets, secretsOf } from '../../errors/redact-secrets.js';
import type { DownloadProgress } from '../../hub/hub-access.js';
import { downloadLines } from './download-lines.js';
import { duration } from './duration.js';
import { type CliIo, isFancy } from './io.js';
import { printable } from './log.js';

export interface Progress {
  readonly events: Required<Pick<ScoringEvents, 'onModelStart' | 'onRows' | 'onModelEnd'>> & {
    onDownload(progress: DownloadProgress): void;
  };
  /** Tells how many rows are left to score in all. */
  start(totalRows: number, alreadyScored: number): void;
  /** Prints a whole line without tearing a bar. */
  print(line: string): void;
  stop(): void;
}

/** Plain lines come this often, in seconds: enough to see life in a log file, few enough to read it. */
const PLAIN_SECONDS = 10;

/** Bars with rate and time left on a terminal, a plain line now and then elsewhere, nothing when quiet. */
export function createProgress(io: CliIo, quiet: boolean): Progress {
  const fancy = !quiet && isFancy(io.stderr, io.env);
  let total = 0;
  let done = 0;
  let lastPlain = Date.now();
  let bars: cliProgress.MultiBar | undefined;
  let totalBar: cliProgress.SingleBar | undefined;
  const modelBars = new Map<string, cliProgress.SingleBar>();
  const secrets = secretsOf(io.env);
  /** When the first rows came, and how many: what went before, loading above all, says nothing of the rate. */
  let first: { readonly at: number; readonly rows: number } | undefined;
  const rate = () => {
    if (first === undefined || done === first.rows || Date.now() === first.at) return null;
    return (done - first.rows) / ((Date.now() - first.at) / 1000);
  };
  const status = () => {
    const perSecond = rate();
    if (perSecond === null) return { rate: '?', left: '?' };
    return { rate: perSecond.toFixed(0), left: duration((total - done) / perSecond) };
  };

  const print = (line: string) => {
    const shown = redactSecrets(printable(line), secrets);
    if (bars) bars.log(`${shown}\n`);
    else io.stderr.write(`${shown}\n`);
  };
  const plain = (line: string) => {
    if (!quiet && !fancy) print(line);
  };
  return {
    print,
    start(totalRows, alreadyScored) {
      total = totalRows;
      plain(`scoring ${totalRows} rows${alreadyScored > 0 ? ` (${alreadyScored} more are in the cache)` : ''}`);
      if (!fancy || totalRows === 0) return;
      bars = new cliProgress.MultiBar(
        {
          stream: io.stderr as NodeJS.WriteStream,
          format: '{name} {bar} {value}/{total}  {rate} rows/s  {left} left',
          hideCursor: true,
          clearOnComplete: true,
          linewrap: false,
          barsize: 30,
          gracefulExit: false,
        },
        cliProgress.Presets.shades_classic,
      );
      totalBar = bars.create(totalRows, 0, { name: 'all models'.padEnd(20), ...status() });
    },
    events: {
      onDownload: quiet ? () => undefined : downloadLines(print, (fancy ? 2 : PLAIN_SECONDS) * 1000),
      onModelStart(model, rows) {
        if (bars)
          modelBars.set(model, bars.create(rows, 0, { name: printable(model).slice(0, 20).padEnd(20), ...status() }));
        else plain(`${model}: ${rows} rows`);
      },
      onRows(model, _dataset, rows) {
        done += rows;
        first ??= { at: Date.now(), rows };
        totalBar?.increment(rows, status());
        modelBars.get(model)?.increment(rows, status());
        if (Date.now() - lastPlain > PLAIN_SECONDS * 1000) {
          lastPlain = Date.now();
          const { rate, left } = status();
          plain(`scored ${done} of ${total} rows${left === '?' ? '' : `, ${rate} rows/s, ${left} left`}`);
        }
      },
      onModelEnd(outcome) {
        const bar = modelBars.get(outcome.model);
        if (bar) bars?.remove(bar);
        modelBars.delete(outcome.model);
        const name = outcome.model;
        if (outcome.kind === 'failed') print(`${name}: failed: ${outcome.reason}`);
        else
          plain(
            `${name}: done in ${duration(outcome.seconds)}, ${(outcome.tokens / Math.max(0.001, outcome.seconds)).toFixed(0)} tokens/s`,
          );
      },
    },
    stop() {
      bars?.stop();
      bars = undefined;
    },
  };
}
