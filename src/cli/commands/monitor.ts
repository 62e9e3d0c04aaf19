import { Command, InvalidArgumentError, Option } from 'commander';
import { standardInput } from '../../formats/text/byte-stream.js';
import { driftText } from '../../pipeline/monitor/drift-text.js';
import { type DriftReport, LEAST_ROWS } from '../../pipeline/monitor/drift-window.js';
import { openMonitor, WINDOW_ROWS } from '../../pipeline/monitor/monitor-state.js';
import { type LogCount, readLog } from '../../pipeline/monitor/read-log.js';
import { readArtefact } from '../../pipeline/predict-stage.js';
import { addOutputFlags } from '../flags/options.js';
import { EXIT } from '../terminal/exit-code.js';
import { printable } from '../terminal/log.js';
import type { Act, Session, SessionFlags } from '../terminal/session.js';
import { textTable } from '../terminal/text-table.js';

interface MonitorFlags extends SessionFlags {
  artefact: string;
  state?: string;
  window?: number;
  failOnDrift?: boolean;
}

/** In place of the name of a file. */
const STDIN = '-';

const HELP = `
Reads lines that supportcal predict or supportcal serve wrote (JSON Lines or CSV; - for standard input) and compares the
questions, window by window, with those that the temperature was fitted on: raw confidence, margin between the best two options,
option mass, length of the prompt, and agreement with the own base where lines have baseAgreement (true or false). No label is
needed. A window of questions like those of the fit is called drift once in 200, over all signals together.

Without --state every call stands for itself, and questions that fill no window make a last, shorter one. With it the next call
goes on where this one stopped; predict --monitor writes the same file.

What to do about drift: look at the questions. If they are what will come from now on, score them with the target, its own base and
the references and export again: that needs no label. A few hundred labels tell whether the temperature still holds (ECE).

Examples:
  supportcal monitor answers.jsonl --artefact tern.json
  supportcal monitor monday.jsonl --artefact tern.json --state tern-state.json --window 500
  supportcal monitor answers.jsonl --artefact tern.json --fail-on-drift || mail -s drift me

Exit codes: 0 done, 3 bad input, or drift with --fail-on-drift.`;

export function monitorCommand(act: Act): Command {
  const command = new Command('monitor')
    .description('tell whether logged questions are still like those of the fit; loads no model, needs no label')
    .argument('<log>', 'lines of predict or serve; - for standard input')
    .requiredOption('--artefact <file>', 'calibration that answered them (required)')
    .option('--state <file>', 'what is remembered from call to call')
    .addOption(
      new Option(
        '--window <n>',
        `questions that are looked at together (default: of the state, else ${WINDOW_ROWS})`,
      ).argParser(windowRows),
    )
    .option('--fail-on-drift', 'end with code 3 when a window is called drift');
  return addOutputFlags(command)
    .addHelpText('after', HELP)
    .action((log: string, flags: MonitorFlags) => act(flags, (session) => monitor(session, log, flags)));
}

async function monitor(session: Session, log: string, flags: MonitorFlags): Promise<number> {
  const artefact = await readArtefact(flags.artefact);
  const options = { file: flags.state ?? null, windowRows: flags.window, artefactFile: flags.artefact };
  const watched = await openMonitor(artefact, options);
  const count: LogCount = { answers: 0, others: 0 };
  for await (const group of readLog(artefact, log === STDIN ? standardInput(session.io.stdin) : log, count))
    for (const signals of group) watched.add(signals);
  await watched.save();
  const isLast = flags.state === undefined && watched.waiting >= LEAST_ROWS;
  const windows = [...watched.closed, ...(isLast ? [watched.peek()] : [])];
  const drifting = windows.filter(({ drift }) => drift === true);
  if (session.json) {
    const counts = { answers: count.answers, others: count.others, waiting: isLast ? 0 : watched.waiting };
    session.printJson({ schemaVersion: 1, status: 'complete', drift: drifting.length > 0, ...counts, windows });
  } else
    session.print(
      describe(windows, isLast ? 0 : watched.waiting)
        .map(printable)
        .join('\n'),
    );
  if (count.others > 0) session.log.log('warn', `${count.others} rows are no answers and were left out`);
  return drifting.length > 0 && flags.failOnDrift ? EXIT.badInput : EXIT.done;
}

function describe(
  windows: readonly Pick<DriftReport, 'rows' | 'drift' | 'pValue' | 'signals'>[],
  waiting: number,
): string[] {
  const rows = windows.map(({ rows: count, drift, pValue, signals }, n) => {
    const [most] = signals.toSorted((a, b) => a.pValue - b.pValue);
    const p = pValue < 1e-6 ? '< 0.000001' : pValue.toPrecision(2);
    return [
      String(n + 1),
      String(count),
      drift === null ? 'too few' : drift ? 'drift' : 'as the fit',
      p,
      most?.signal ?? '',
    ];
  });
  const texts = windows.flatMap((window, n) => {
    const text = driftText(window);
    return text === null ? [] : [`window ${n + 1}: ${text}`];
  });
  const [first, ...others] = texts;
  return [
    ...(rows.length > 0 ? textTable(['window', 'questions', 'verdict', 'p', 'farthest off'], rows) : []),
    ...(waiting > 0 ? [`${waiting} questions wait for their window to fill`] : []),
    ...(first === undefined ? [] : [first]),
    ...(others.length > 0 ? [`and ${others.length} more windows of drift`] : []),
  ];
}

function windowRows(text: string): number {
  const value = Number(text);
  if (!/^\d{1,9}$/.test(text) || value < LEAST_ROWS)
    throw new InvalidArgumentError(`expected a whole number of ${LEAST_ROWS} or more.`);
  return value;
}
