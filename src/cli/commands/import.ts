import { Command, InvalidArgumentError, Option } from 'commander';
import { unitOf } from '../../datasets/logits/harness/counted-scores.js';
import { HARNESS_NAMES, type HarnessName } from '../../datasets/logits/harness/harness-table.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import {
  checkSameDocuments,
  type ImportOptions,
  type ImportSummary,
  importLogits,
} from '../../pipeline/import-logits.js';
import { addLogFlags, type LogFlags } from '../flags/log-flags.js';
import { addFlags, addOutputFlags } from '../flags/options.js';
import { sourceOverrides } from '../flags/source-overrides.js';
import { EXIT } from '../terminal/exit-code.js';
import type { Act, Session, SessionFlags } from '../terminal/session.js';

type ImportFlags = Omit<ImportOptions, 'file' | 'sources' | 'model' | 'unit' | 'log' | 'together'> &
  SessionFlags &
  LogFlags & {
    model?: string;
    unit?: ImportOptions['unit'];
    format?: HarnessName;
    map?: FileOfModel[];
    source?: string[];
  };

interface FileOfModel {
  readonly file: string;
  readonly model: string;
}

const HELP = `
The file has one row per example, as JSON Lines:
  {"id": "q1", "logits": [1.25, -0.5, 0.75, 3], "label": 2}
label is optional and counts from 0. CSV (columns id, logit_0, logit_1, ..., label), JSON, Parquet and Arrow work too.

With --rotations a row has the scores under all K orders of its K options, for CAPE:
  {"id": "q1", "rotations": [[1.25, -0.5, 0.75], [1, 0, 0.5], [2, -1, 0]]}
The first list is of the order of the data set, list r of the options moved on by r places; every list gives the scores
in the order of the data set. They are imported beside the plain ones (import the file of those without --rotations).

With --format the file is a log of samples of another harness (lm-eval: samples_TASK_TIME.jsonl, from --log_samples;
inspect: TIME_TASK_ID.eval or .json, with log-probabilities; helm: scenario_state.json; lighteval:
details_TASK_TIME.parquet, from --save-details; opencompass: predictions/MODEL/DATASET.json):
  supportcal import --format lm-eval --dataset arc --map base/samples_arc.jsonl=my-base --map it/samples_arc.jsonl=my-it
Logs must be of the same documents as those of other models, at once or imported before. \`supportcal calibrate-logs\` needs no models.yaml.`;

export function importCommand(act: Act): Command {
  const command = new Command('import')
    .description('take option logits that were computed elsewhere into the cache')
    .argument('[file]', 'rows of id, logits and optional label')
    .option('--model <id>', 'model of models.yaml that the logits come from (required with a file)')
    .option('--map <file=model>', 'a file and its model, in place of both (repeatable)', fileOfModel)
    .requiredOption('--dataset <id>', 'data set that the rows belong to (required)')
    .addOption(
      new Option('--unit <unit>', 'what the numbers are (required without --format)').choices([
        'logits',
        'logprobs',
        'probabilities',
      ]),
    )
    .addOption(new Option('--format <harness>', 'the file is a log of this harness').choices(HARNESS_NAMES))
    .option('--trust-unit', 'take the numbers as --unit says, though they look like another unit')
    .option('--allow-missing', 'take the file though more than 5 % of the examples have no usable row in it')
    .option('--rotations', 'the rows are scores under every cyclic order of the options, for CAPE')
    .addHelpText('after', HELP);
  return addOutputFlags(
    addFlags(addLogFlags(command), ['models', 'datasets', 'cache', 'source', 'allow-outside', 'offline']),
  ).action((file: string | undefined, flags: ImportFlags) =>
    act(flags, (session) => importFiles(file, flags, session)),
  );
}

async function importFiles(file: string | undefined, flags: ImportFlags, session: Session): Promise<number> {
  const files = filesOf(file, flags);
  const what = scoresOf(flags);
  if (what.log !== undefined && files.length > 1) {
    const notes = await checkSameDocuments(
      files.map((each) => each.file),
      what.log,
    );
    for (const note of notes) session.log.log('warn', note);
  }
  const shared = { sources: sourceOverrides(flags.source ?? []), together: files.map(({ model }) => model) };
  const summaries: (FileOfModel & ImportSummary)[] = [];
  for (const each of files) {
    const summary = await importLogits({ ...flags, ...what, ...each, ...shared });
    summaries.push({ ...each, ...summary });
    if (!session.json && !flags.quiet) session.print(described(summary, each.model, flags));
  }
  const [only] = summaries;
  if (session.json && flags.map === undefined && only !== undefined) {
    const { file: _, model: __, ...summary } = only;
    session.printJson({ schemaVersion: 1, status: 'complete', ...summary });
  } else if (session.json) session.printJson({ schemaVersion: 1, status: 'complete', imports: summaries });
  return EXIT.done;
}

function filesOf(file: string | undefined, { model, map }: ImportFlags): FileOfModel[] {
  if (map !== undefined && (file !== undefined || model !== undefined))
    throw new SupportCalError('usage', '--map names file and model; leave out the file and --model, or --map');
  if (map !== undefined) return map;
  if (file !== undefined && model !== undefined) return [{ file, model }];
  throw new SupportCalError('usage', 'name a file and its model: supportcal import FILE --model ID, or --map FILE=ID');
}

function scoresOf(flags: ImportFlags): Pick<ImportOptions, 'unit' | 'log'> {
  const { format, unit, normalize = 'sum', filter, labelAs } = flags;
  if (format === undefined) {
    const lost = (['normalize', 'filter', 'labelAs'] as const).filter((name) => flags[name] !== undefined);
    if (lost.length > 0)
      throw new SupportCalError('usage', '--normalize, --filter and --label-as are of logs; name their --format');
    if (unit === undefined)
      throw new SupportCalError('usage', 'say what the numbers are: --unit logits, logprobs or probabilities');
    return { unit };
  }
  if (unit !== undefined || flags.rotations)
    throw new SupportCalError(
      'usage',
      'a log says its own unit and has no rotations; leave out --unit and --rotations',
    );
  return { unit: unitOf(normalize), log: { format, normalize, filter, labelAs } };
}

function fileOfModel(text: string, all: FileOfModel[] = []): FileOfModel[] {
  const at = text.lastIndexOf('=');
  if (at < 1 || at === text.length - 1) throw new InvalidArgumentError('expected FILE=MODEL.');
  return [...all, { file: text.slice(0, at), model: text.slice(at + 1) }];
}

function described(summary: ImportSummary, model: string, { rotations, dataset }: ImportFlags): string {
  const { rows, failed, certain, labelled, missing, leftOut, notes } = summary;
  const orders = rotations ? ' of every order of the options' : '';
  const labels = labelled === 0 ? 'no label in the file' : `${labelled} with a label`;
  return [
    `imported ${rows} rows${orders} for ${model} on ${dataset} (${labels})`,
    ...(failed > 0 ? [`${failed} rows have no usable logits`] : []),
    ...(certain > 0 ? [`${certain} rows have an option of probability 0 and count in metrics, not in fits`] : []),
    ...(leftOut > 0 ? [`${leftOut} rows not taken, which the data set leaves out`] : []),
    ...(missing > 0 ? [`${missing} examples of the data set are missing from the file`] : []),
    ...notes,
  ].join('; ');
}
