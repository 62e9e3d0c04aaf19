import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Command, Option } from 'commander';
import type { LogitUnit } from '../../datasets/logits/from-unit.js';
import type { SourceOverride } from '../../datasets/source/override-source.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { standardInput } from '../../formats/text/byte-stream.js';
import type { CalibrationArtefact } from '../../pipeline/artefact/artefact-schema.js';
import type { QuestionSignals } from '../../pipeline/artefact/question-signals.js';
import { driftText } from '../../pipeline/monitor/drift-text.js';
import { openMonitor } from '../../pipeline/monitor/monitor-state.js';
import {
  type AnswerThreshold,
  answerThreshold,
  type ThresholdChoice,
} from '../../pipeline/predict/answer-threshold.js';
import { predictLogits } from '../../pipeline/predict/predict-logits.js';
import type { PredictedRow, PredictionFormat } from '../../pipeline/predict/prediction-line.js';
import { type PredictOptions, predictQuestions, predictStream, readArtefact } from '../../pipeline/predict-stage.js';
import { type PredictionSink, predictionSink } from '../describe/prediction-sink.js';
import { addFlags, addOutputFlags, collect } from '../flags/options.js';
import { addThresholdFlags } from '../flags/threshold-flags.js';
import { EXIT } from '../terminal/exit-code.js';
import { pipelineEvents } from '../terminal/pipeline-events.js';
import type { Act, Session, SessionFlags } from '../terminal/session.js';

interface PredictFlags extends SessionFlags, ThresholdChoice, Omit<PredictOptions, 'input' | 'artefact' | 'onSignals'> {
  monitor?: string;
  artefact: string;
  input?: string[];
  logits?: string;
  unit: LogitUnit;
  trustUnit?: boolean;
  format?: PredictionFormat;
  out?: string;
}

/** In place of the name of a file. */
const STDIN = '-';

const HELP = `
Writes one line per question: id, prediction (counted from 0), its label and text, calibrated and raw confidence, and the
calibrated probability of every option, as JSON Lines or CSV. A calibrated confidence of 0.7 is meant to be right 7 times in 10;
the prediction is always that of the model. An artefact with an infinite temperature gives every option 1 / K.

--model FILE.gguf needs nothing but that file and the artefact, which says how questions are put: fields, prompt, labels,
chat or not. Lines come in the order of the questions, in constant memory. A question that lacks the id field of the
data set goes by its field "id", else by its number, and a warning says so.
--input takes questions in any format that data sets have, with the fields of the data set; labels are not needed. Paired text
files are named by field: --input text=a.txt --input topic=b.txt. --input - reads them from standard input (JSON Lines, a JSON
array, CSV or TSV) and answers as they come.
Without --model the target is looked up in models.yaml and the prompt in the YAML of the data set, and scores are kept in the
cache, so that an interrupted run goes on where it stopped; lines then come in the order of the ids.
A temperature holds for one model file and one way of asking: others are refused. Another quantisation of the same model is
taken with --allow-other-model; every line then says otherModel.
--max-error 0.05 answers from the confidence on above which at most 5 % of new questions are answered wrongly: by the labelled
rows of the export, with probability 0.95; without any label by the confidences themselves, which is an estimate and said to be
one. A question below it keeps its prediction, with "status": "abstain" for somebody else to answer.
--logits takes scores from anywhere: {"id": "q1", "logits": [1.25, -0.5, 0.75]} per line, or CSV, Parquet, Arrow; - reads
standard input. No model.

Questions of a run that are unlike those of the fit, taken as one window, are told on standard error. --monitor state.json goes on
from run to run: every 200 questions are one window, and supportcal monitor shows them.

Examples:
  supportcal predict --artefact tern.json --model tern.gguf --input questions.jsonl
  cat questions.jsonl | supportcal predict --artefact tern.json --model tern.gguf --input -
  supportcal predict --artefact tern.json --input questions.jsonl        in the project that the artefact is from
  supportcal predict --artefact tern.json --input questions.csv --out answers.csv
  supportcal predict --artefact tern.json --logits scores.jsonl --json
  supportcal predict --artefact tern.json --model tern.gguf --input questions.jsonl --max-error 0.05

Exit codes: 0 done, 3 bad input (also another model or prompt, or no question with usable scores), 4 some questions have no usable scores (their lines say why).`;

export function predictCommand(act: Act): Command {
  const command = new Command('predict')
    .description('apply an exported calibration to new questions, or to logits from elsewhere')
    .requiredOption('--artefact <file>', 'calibration written by supportcal export (required)')
    .option(
      '--input <file>',
      'questions to score and answer; - for standard input, FIELD=FILE for each of several paired text files',
      collect,
    )
    .option(
      '--model <file>',
      'GGUF file of the target, or hf:owner/repo/file.gguf: no models.yaml and no data set is read',
    )
    .option('--logits <file>', 'option scores of questions, in place of --input')
    .addOption(
      new Option('--unit <unit>', 'what the numbers of --logits are')
        .choices(['logits', 'logprobs', 'probabilities'])
        .default('logits'),
    )
    .option('--trust-unit', 'take the numbers of --logits as --unit says, though they look like another unit')
    .option(
      '--dataset <id>',
      'data set whose YAML says the fields and the prompt of the questions (default: the artefact with --model, else its data set)',
    );
  addThresholdFlags(command)
    .option('--allow-other-model', 'use the temperature though the model file is not the one it was fitted to')
    .option('--allow-other-prompt', 'use the temperature though questions are put in another way')
    .addOption(
      new Option('--format <format>', 'lines to write (default: by the ending of --out, else jsonl)').choices([
        'jsonl',
        'csv',
      ]),
    )
    .option('--out <file>', 'where predictions go (default: standard output)')
    .option(
      '--monitor <file>',
      'compare the stream of questions with those of the fit, window by window; FILE remembers',
    );
  addFlags(command, ['models', 'quant', 'datasets', 'cache', 'gpu', 'offline']);
  return addOutputFlags(command, 'no progress, only warnings and errors')
    .addHelpText('after', HELP)
    .action((flags: PredictFlags) => act(flags, (session) => predict(session, flags)));
}

async function predict(session: Session, flags: PredictFlags): Promise<number> {
  if ((flags.input === undefined) === (flags.logits === undefined))
    throw new SupportCalError('usage', 'name one file: --input with questions, or --logits with their scores');
  await refuseOwnInput(flags);
  const artefact = await readArtefact(flags.artefact);
  const threshold = answerThreshold(artefact, flags, flags.artefact);
  if (threshold?.basis === 'confidences') session.log.log('warn', threshold.text);
  const watched = { file: flags.monitor ?? null, artefactFile: flags.artefact };
  const monitor = flags.monitor === undefined ? null : await openMonitor(artefact, watched);
  const rules = {
    ...(threshold !== null && { abstainBelow: threshold.abstainBelow }),
    ...(monitor !== null && { onSignals: (signals: QuestionSignals) => monitor.add(signals) }),
  };
  const inJson = session.json && flags.out === undefined;
  const predictions: PredictedRow[] = [];
  const sink = inJson ? listSink(predictions) : await predictionSink(session, flags.out ?? null, formatOf(flags));
  try {
    if (flags.logits === undefined) await fromQuestions(session, artefact, { ...flags, ...rules }, sink);
    else {
      const onNote = (note: string) => session.log.log('warn', note);
      const { logits, unit, trustUnit = false } = flags;
      const input = logits === STDIN ? standardInput(session.io.stdin) : logits;
      await pour(predictLogits(artefact, input, { unit, trustUnit, ...rules }, onNote), sink);
    }
    await sink.end();
    await monitor?.save();
  } catch (error) {
    await sink.abort();
    throw error;
  }
  session.progress.stop();
  for (const window of monitor?.closed ?? []) {
    const text = driftText(window);
    if (text !== null) session.log.log('warn', `${flags.monitor}: ${text}`);
  }
  report(session, { artefact, threshold, out: flags.out, count: sink.count, predictions: inJson ? predictions : null });
  return exitOf(sink.count);
}

function statusOf({ ok, abstain, failed }: PredictionSink['count']): 'complete' | 'partial' | 'failed' {
  if (failed === 0) return 'complete';
  return ok + abstain === 0 ? 'failed' : 'partial';
}

/** A file none of whose questions has usable scores is bad input. */
function exitOf(count: PredictionSink['count']): number {
  return { complete: EXIT.done, partial: EXIT.partial, failed: EXIT.badInput }[statusOf(count)];
}

/** Predictions in place of what they are made from would destroy it. */
async function refuseOwnInput({ artefact, input, logits, out, monitor }: PredictFlags): Promise<void> {
  const found = out === undefined ? null : await stat(out).catch(() => null);
  if (found === null) return;
  const inputs = (input ?? []).map((each) => ['input', fileOf(each)] as const);
  for (const [flag, file] of [...Object.entries({ artefact, logits, monitor }), ...inputs]) {
    const read = file === undefined ? null : await stat(file).catch(() => null);
    if (read?.ino !== found.ino || read.dev !== found.dev) continue;
    throw new SupportCalError(
      'usage',
      `--out ${out} is the file of --${flag}, which it would replace; take another name`,
    );
  }
}

/** A model file that is named, and rows of standard input, are answered as they come; a file of rows by the cache. */
async function fromQuestions(
  session: Session,
  artefact: CalibrationArtefact,
  flags: PredictFlags & Pick<PredictOptions, 'onSignals'>,
  sink: PredictionSink,
): Promise<void> {
  const { input = [], ...rest } = flags;
  const events = pipelineEvents(session, null);
  const { signal } = session;
  const isPiped = input.length === 1 && input[0] === STDIN;
  if (isPiped || flags.model !== undefined) {
    const rows = isPiped ? standardInput(session.io.stdin) : questionFiles(input);
    return pour(predictStream(artefact, { ...rest, input: rows }, events, signal), sink);
  }
  await sink.add(await predictQuestions(artefact, { ...rest, input: questionFiles(input) }, events, signal));
}

/** Answers go out group by group, until whoever reads them has gone away. */
async function pour(rows: AsyncIterable<readonly PredictedRow[]>, sink: PredictionSink): Promise<void> {
  for await (const group of rows) {
    await sink.add(group);
    await sink.flush();
    if (!sink.open) break;
  }
}

/** One file of rows, or paired text files as `FIELD=FILE`. */
function questionFiles(values: readonly string[]): SourceOverride {
  const [first] = values;
  if (values.length === 1 && first !== undefined && fileOf(first) === first) return first;
  const pairs = values.map((value) => [value.slice(0, value.indexOf('=')), fileOf(value)] as const);
  if (pairs.some(([, file], n) => file === values[n]))
    throw new SupportCalError(
      'usage',
      '--input: expected one FILE, or FIELD=FILE for each of several paired text files',
    );
  return Object.fromEntries(pairs);
}

/** A file may have `=` in its name. */
function fileOf(value: string): string {
  return existsSync(value) ? value : (/^[^=/\\]+=(.+)$/s.exec(value)?.[1] ?? value);
}

interface PredictOutcome {
  readonly artefact: CalibrationArtefact;
  /** null: every question is answered. */
  readonly threshold: AnswerThreshold | null;
  readonly out: string | undefined;
  readonly count: PredictionSink['count'];
  /** Null: they were written as lines. */
  readonly predictions: readonly PredictedRow[] | null;
}

function report(session: Session, { artefact, threshold, out, count, predictions }: PredictOutcome): void {
  const { target, dataset, temperatureKind, temperature } = artefact;
  const failed = count.failed === 0 ? '' : `; ${count.failed} have no usable scores`;
  if (session.json) {
    const status = statusOf(count);
    const of = { target: target.id, dataset: dataset.id, temperatureKind, temperature };
    const rows = predictions === null ? { out } : { predictions };
    const counts = { answered: count.ok, abstained: count.abstain, failed: count.failed };
    session.printJson({ schemaVersion: 1, status, ...of, threshold, ...counts, ...rows });
  } else if (out !== undefined) {
    const abstain = threshold === null ? '' : `; ${count.abstain} abstain (${threshold.text})`;
    session.print(`${count.ok} predictions in ${out}${abstain}${failed}`);
  }
  if (count.failed > 0) session.log.log('warn', `${statusOf(count)}: ${count.ok} questions answered${failed}`);
}

function formatOf({ format, out }: PredictFlags): PredictionFormat {
  return format ?? (/\.csv$/i.test(out ?? '') ? 'csv' : 'jsonl');
}

function listSink(predictions: PredictedRow[]): PredictionSink {
  const count = { ok: 0, abstain: 0, failed: 0 };
  return {
    count,
    open: true,
    async add(rows) {
      for (const row of rows) {
        count[row.status] += 1;
        predictions.push(row);
      }
    },
    flush: async () => undefined,
    end: async () => undefined,
    abort: async () => undefined,
  };
}
