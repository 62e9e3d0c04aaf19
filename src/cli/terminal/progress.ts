import cliProgress from 'cli-progress';
import type { OtherRun } from '../../cache/runs-at-work.js';
import type { ModelOutcome, ScoringEvents } from '../../contract/scorer.js';
import { redactSecrets } from '../../errors/redact-secrets.js';
import type { DownloadProgress } from '../../hub/hub-access.js';
import type { RunOverview, ScoringPlan } from '../../pipeline/workspace/pipeline-events.js';
import { paintedHead } from '../../report/text/painted-head.js';
import { downloadLines } from './download-lines.js';
import { duration } from './duration.js';
import { type CliIo, isFancy } from './io.js';
import { printable } from './log.js';
import { otherRunsLine } from './other-runs.js';
import { overviewLines } from './overview-lines.js';
import { RowRate } from './row-rate.js';
import { TimeLeft } from './time-left.js';

/** What a run tells while it scores and fetches. */
export type ProgressEvents = Required<Pick<ScoringEvents, 'onModelStart' | 'onRows' | 'onModelEnd'>> & {
  onCost(model: string, cost: number): void;
  onDownload(progress: DownloadProgress): void;
  onOtherRuns(runs: readonly OtherRun[], models: number): void;
};

/** Plain lines come this often, in seconds: enough to see life in a log file, few enough to read it. */
const PLAIN_SECONDS = 10;
/** A terminal shows downloads as lines too, which may come more often there. */
const FANCY_SECONDS = 2;

const BAR_OPTIONS = {
  format: '{name} {bar} {value}/{total}  {rate} rows/s  {left} left',
  hideCursor: true,
  clearOnComplete: true,
  linewrap: false,
  barsize: 30,
  gracefulExit: false,
};

/** Bars with rate and time left on a terminal, a plain line now and then elsewhere, nothing when quiet. */
export class Progress {
  readonly events: ProgressEvents;
  readonly #stderr: CliIo['stderr'];
  readonly #looks: 'quiet' | 'plain' | 'fancy';
  readonly #models = new Map<string, { readonly rate: RowRate; readonly bar: cliProgress.SingleBar | undefined }>();
  #costs: ReadonlyMap<string, number> = new Map();
  #bars: cliProgress.MultiBar | undefined;
  #totalBar: cliProgress.SingleBar | undefined;
  readonly #colours: boolean;
  readonly #began = performance.now();
  #rows = new RowRate(0);
  #overview: RunOverview | undefined;
  #left: TimeLeft | undefined;
  #cached = 0;
  #lastPlain = Date.now();
  #lastOthers = Number.NEGATIVE_INFINITY;

  constructor(io: CliIo, quiet: boolean) {
    this.#stderr = io.stderr;
    this.#colours = isFancy(io.stderr, io.env);
    this.#looks = quiet ? 'quiet' : isFancy(io.stderr, io.env) ? 'fancy' : 'plain';
    const pause = this.#looks === 'fancy' ? FANCY_SECONDS : PLAIN_SECONDS;
    this.events = {
      onDownload: quiet ? () => undefined : downloadLines((line) => this.print(line), pause * 1000),
      onModelStart: (model, rows) => this.#modelStarts(model, rows),
      onRows: (model, _dataset, rows) => this.#rowsCame(model, rows),
      onCost: (model, cost) => {
        this.#rows.spend(cost);
        this.#models.get(model)?.rate.spend(cost);
      },
      onModelEnd: (outcome) => this.#modelEnds(outcome),
      onOtherRuns: (runs, models) => this.#othersWork(otherRunsLine(runs, models)),
    };
  }

  /** Tells what is about to be done. */
  announce(overview: RunOverview): void {
    this.#overview = overview;
    if (this.#looks !== 'quiet') for (const line of overviewLines(overview)) this.print(line);
  }

  /** Tells how many rows are left to score in all. */
  start({ toScore: totalRows, cached: alreadyScored, costs }: ScoringPlan): void {
    this.#costs = costs;
    this.#cached = alreadyScored;
    if (totalRows === 0) return;
    this.#rows = new RowRate(
      totalRows,
      [...costs.values()].reduce((sum, cost) => sum + cost, 0),
    );
    const { expected, hours } = this.#overview ?? {};
    this.#left = expected && hours ? new TimeLeft(expected, 3600 * hours) : undefined;
    const cached = alreadyScored > 0 ? ` (${alreadyScored} more are in the cache)` : '';
    this.#printPlain(`scoring ${totalRows} rows${cached}`);
    if (this.#looks !== 'fancy') return;
    const options = { ...BAR_OPTIONS, stream: this.#stderr as NodeJS.WriteStream };
    this.#bars = new cliProgress.MultiBar(options, cliProgress.Presets.shades_classic);
    this.#totalBar = this.#bars.create(totalRows, 0, this.#barText('all models', this.#rows));
  }

  /** Prints a whole line without tearing a bar. It is handed on as a function, to the log for one. */
  readonly print = (line: string, head = ''): void => {
    const shown = this.#painted(printable(redactSecrets(line)), head);
    if (this.#bars) this.#bars.log(`${shown}\n`);
    else this.#stderr.write(`${shown}\n`);
  };

  /** Tells at the end of a run how long it took, and which rows it did not have to score. */
  sumUp(): void {
    if (this.#looks === 'quiet') return;
    const time = duration((performance.now() - this.#began) / 1000);
    this.print(`done in ${time}: ${this.#rows.done} rows scored, ${this.#cached} from the cache`);
  }

  stop(): void {
    this.#bars?.stop();
    this.#bars = undefined;
  }

  #modelStarts(model: string, rows: number): void {
    const rate = new RowRate(rows, this.#costs.get(model));
    const bar = this.#bars?.create(rows, 0, this.#barText(printable(model), rate));
    this.#models.set(model, { rate, bar });
    if (bar === undefined) this.#printPlain(`${model}: ${rows} rows`);
  }

  #rowsCame(model: string, rows: number): void {
    this.#rows.add(rows);
    const own = this.#models.get(model);
    own?.rate.add(rows);
    if (own !== undefined) this.#left?.note(model, own.rate.share());
    const shown = this.#rows.shown(this.#left?.seconds());
    this.#totalBar?.increment(rows, shown);
    own?.bar?.increment(rows, own.rate.shown());
    if (Date.now() - this.#lastPlain <= PLAIN_SECONDS * 1000) return;
    this.#lastPlain = Date.now();
    const rate = shown.rate === '?' ? '' : `, ${shown.rate} rows/s`;
    const pace = shown.left === '?' ? '' : `${rate}, ${shown.left} left`;
    this.#printPlain(`scored ${this.#rows.done} of ${this.#rows.total} rows${pace}`);
  }

  /** At most as often as the lines of a log file, on a terminal too. */
  #othersWork(line: string): void {
    if (this.#looks === 'quiet' || line === '' || performance.now() - this.#lastOthers < PLAIN_SECONDS * 1000) return;
    this.#lastOthers = performance.now();
    this.print(line);
  }

  #modelEnds(outcome: ModelOutcome): void {
    const { model } = outcome;
    const bar = this.#models.get(model)?.bar;
    if (bar) this.#bars?.remove(bar);
    this.#models.delete(model);
    this.#left?.note(model, 1);
    if (outcome.kind === 'failed') this.print(`${model}: failed: ${outcome.reason}`);
    else {
      const tokensPerSecond = outcome.tokens / Math.max(0.001, outcome.seconds);
      this.#printPlain(`${model}: done in ${duration(outcome.seconds)}, ${tokensPerSecond.toFixed(0)} tokens/s`);
    }
  }

  /** The head of a line in red or yellow, on a terminal that shows colours. */
  #painted(line: string, head: string): string {
    if (head === '' || !this.#colours || !line.startsWith(head)) return line;
    return paintedHead(line, head.length, head.startsWith('error') ? 'red' : 'yellow');
  }

  #printPlain(line: string): void {
    if (this.#looks === 'plain') this.print(line);
  }

  #barText(name: string, rate: RowRate) {
    return { name: name.slice(0, 20).padEnd(20), ...rate.shown() };
  }
}
