import { Command, Option } from 'commander';
import { type ImportOptions, importLogits } from '../../pipeline/import-logits.js';
import { addFlags, addOutputFlags } from '../flags/options.js';
import { sourceOverrides } from '../flags/source-overrides.js';
import { EXIT } from '../terminal/exit-code.js';
import type { Act, SessionFlags } from '../terminal/session.js';

type ImportFlags = Omit<ImportOptions, 'file' | 'sources'> & SessionFlags & { source?: string[] };

const HELP = `
The file has one row per example, as JSON Lines:
  {"id": "q1", "logits": [1.25, -0.5, 0.75, 3], "label": 2}
label is optional and counts from 0. CSV (columns id, logit_0, logit_1, ..., label), JSON, Parquet and Arrow work too.

With --rotations a row has the scores under all K orders of its K options, for CAPE:
  {"id": "q1", "rotations": [[1.25, -0.5, 0.75], [1, 0, 0.5], [2, -1, 0]]}
The first list is of the order of the data set, list r of the options moved on by r places; every list gives the scores
in the order of the data set. They are imported beside the plain ones (import the file of those without --rotations).`;

export function importCommand(act: Act): Command {
  const command = new Command('import')
    .description('take option logits that were computed elsewhere into the cache')
    .argument('<file>', 'rows of id, logits and optional label')
    .requiredOption('--model <id>', 'model of models.yaml that the logits come from (required)')
    .requiredOption('--dataset <id>', 'data set that the rows belong to (required)')
    .addOption(
      new Option('--unit <unit>', 'what the numbers are (required)')
        .choices(['logits', 'logprobs', 'probabilities'])
        .makeOptionMandatory(),
    )
    .option('--trust-unit', 'take the numbers as --unit says, though they look like another unit')
    .option('--allow-missing', 'take the file though more than 5 % of the examples have no usable row in it')
    .option('--rotations', 'the rows are scores under every cyclic order of the options, for CAPE')
    .addHelpText('after', HELP);
  return addOutputFlags(
    addFlags(command, ['models', 'datasets', 'cache', 'source', 'allow-outside', 'offline']),
  ).action((file: string, flags: ImportFlags) =>
    act(flags, async (session) => {
      const summary = await importLogits({ ...flags, file, sources: sourceOverrides(flags.source ?? []) });
      if (session.json) session.printJson({ schemaVersion: 1, status: 'complete', ...summary });
      else if (!flags.quiet) {
        session.print(
          `imported ${summary.rows} rows${flags.rotations ? ' of every order of the options' : ''} for ${flags.model} on ${flags.dataset} (${summary.labelled === 0 ? 'no label in the file' : `${summary.labelled} with a label`})` +
            (summary.failed > 0 ? `; ${summary.failed} rows have no usable logits` : '') +
            (summary.certain > 0
              ? `; ${summary.certain} rows have an option of probability 0 and count in metrics, not in fits`
              : '') +
            (summary.leftOut > 0 ? `; ${summary.leftOut} rows not taken, which the data set leaves out` : '') +
            (summary.missing > 0 ? `; ${summary.missing} examples of the data set are missing from the file` : ''),
        );
      }
      return EXIT.done;
    }),
  );
}
