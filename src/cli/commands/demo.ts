import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import { writeFileAtomic } from '../../files/write-file-atomic.js';
import { exportStage } from '../../pipeline/export-stage.js';
import type { PredictedRow } from '../../pipeline/predict/prediction-line.js';
import { predictionLine } from '../../pipeline/predict/prediction-line.js';
import { predictQuestions } from '../../pipeline/predict-stage.js';
import { runPipeline } from '../../pipeline/run-pipeline.js';
import { writeDemo } from '../../pipeline/starter/write-demo.js';
import { shellWord } from '../../report/text/plain-text.js';
import { printResults } from '../describe/print-results.js';
import { addFlags, addOutputFlags, type CommonFlags } from '../flags/options.js';
import { EXIT } from '../terminal/exit-code.js';
import { pipelineEvents } from '../terminal/pipeline-events.js';
import type { Act, Session } from '../terminal/session.js';
import { textTable } from '../terminal/text-table.js';

const HELP = `
Writes a project into the folder, with tiny models and an invented encyclopedia that come with the package, and goes the whole
way in it: every answer option scored, temperatures fitted without labels, a report, the temperature exported as a file, and
calibrated answers to 20 questions that the fit never saw. About a minute on two CPU cores. Called again, it goes on where
it stopped, and computes nothing twice.`;

/** Answers that are shown. */
const SHOWN = 5;

export function demoCommand(act: Act): Command {
  const command = new Command('demo')
    .description('the whole way on models and questions that come with the package, in about a minute')
    .argument('[folder]', 'where its project and results go', 'supportcal-demo');
  return addOutputFlags(addFlags(command, ['gpu']))
    .addHelpText('after', HELP)
    .action((folder: string, flags: CommonFlags) => act(flags, (session) => demo(session, folder, flags.gpu)));
}

async function demo(session: Session, folder: string, gpu: CommonFlags['gpu']): Promise<number> {
  await writeDemo(folder);
  const at = (name: string) => path.join(folder, name);
  const project = { models: at('models.yaml'), datasets: at('datasets'), cache: at('cache'), gpu };
  const out = at('report');
  const options = { ...project, suite: 'demo', out, refresh: false };
  const events = pipelineEvents(session, out);
  const run = await runPipeline({ ...options, command: session.argv }, events, session.signal);
  const artefactFile = at('calibration.json');
  const exported = await exportStage({ ...options, command: session.argv, format: 'json', file: artefactFile }, events);
  const [artefact] = exported.exported.map((each) => each.artefact);
  if (artefact === undefined) return EXIT.partial;
  const input = at('questions.jsonl');
  const answers = [...(await predictQuestions(artefact, { ...project, input }, events, session.signal))];
  await writeFileAtomic(at('answers.jsonl'), answers.map((row) => predictionLine(row, 'jsonl')).join(''));
  session.progress.stop();
  if (session.json) session.printJson({ schemaVersion: 1, status: run.results.status, folder, artefact, answers });
  else {
    printResults(session, run);
    session.print(await answersText(folder, input, answers));
  }
  return run.results.status === 'partial' ? EXIT.partial : EXIT.done;
}

/** Some answers as a table, and what to do next. */
async function answersText(folder: string, input: string, answers: readonly PredictedRow[]): Promise<string> {
  const lines = (await readFile(input, 'utf8')).split('\n').filter((line) => line !== '');
  const questions = new Map(lines.map((line) => JSON.parse(line)).map(({ id, question }) => [id, question]));
  const rows = answers.flatMap((row) =>
    row.status === 'ok'
      ? [[questions.get(row.id), row.predictionText ?? '', row.rawConfidence.toFixed(2), row.confidence.toFixed(2)]]
      : [],
  );
  return [
    `\nthe first ${SHOWN} of ${answers.length} new questions, as the model is and calibrated without labels:`,
    ...textTable(['question', 'answer', 'confidence', 'calibrated'], rows.slice(0, SHOWN)),
    `\nin ${folder}: report/report.html, calibration.json (the temperature), answers.jsonl (all answers)`,
    `next: cd ${shellWord(folder)} && supportcal ls`,
    'then supportcal init FOLDER begins a project with models and questions of your own',
  ].join('\n');
}
