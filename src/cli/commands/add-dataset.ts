import { Command } from 'commander';
import { FORMATS, namesOf } from '../../formats/format-table.js';
import { type AddDatasetOptions, addDataset } from '../../pipeline/add-dataset.js';
import { addFlags, addOutputFlags } from '../flags/options.js';
import { EXIT } from '../terminal/exit-code.js';
import { printableLines } from '../terminal/log.js';
import type { Act, Session, SessionFlags } from '../terminal/session.js';

const HELP = `
Finds options (a list, lettered text, one column each, a map to truth, a fixed set), label, id and question, and loads every
row with the result. What nearly all rows say is proposed: up to 10 % that do not fit are named, with what is wrong with them,
and validate refuses them. Prints the YAML; --write puts it into the folder of data sets. What is doubtful (one row only, options
that are single letters, a field called answer that is not used, ...) is said, and asked on a terminal; elsewhere the command
ends with exit code 3 unless --accept-doubts is given. supportcal validate warns of the same doubts. Text files come in pairs: name
x_text.txt, and x_labels.txt is found beside it.`;

export function addDatasetCommand(act: Act): Command {
  const command = new Command('add-dataset')
    .description('look at a file of questions and propose its data-set YAML')
    .argument('<file>', `${namesOf(FORMATS.filter(({ name }) => name !== 'text'))}, or the text file of a pair`)
    .option('--write', 'write the YAML instead of printing it; a file that is there is never replaced')
    .option('--id <id>', 'name of the data set (default: the file name without its ending)')
    .option('--accept-doubts', 'take a proposal of which something is doubtful; without it such a one is a question')
    .addHelpText('after', HELP);
  return addOutputFlags(addFlags(command, ['datasets'])).action(
    (file: string, flags: Omit<AddDatasetOptions, 'file'> & SessionFlags) =>
      act(flags, async (session) => {
        const added = await addDataset({ ...flags, file, ...(!session.json && asking(session)) });
        for (const note of [...added.notes, ...added.doubts]) session.log.log('warn', note);
        if (session.json) session.printJson({ schemaVersion: 1, status: 'complete', ...added });
        else session.print(added.written ? `${added.yamlFile}: ${added.rows} rows load` : added.text);
        return EXIT.done;
      }),
  );
}

/** The question that a doubtful proposal is, where somebody can answer it. */
function asking({ io, log }: Session): Pick<AddDatasetOptions, 'confirm'> {
  const { ask } = io;
  if (ask === undefined) return {};
  return {
    confirm: async (proposal, doubts) => {
      io.stderr.write(printableLines(`${proposal}\n`, false));
      for (const doubt of doubts) log.log('warn', `doubtful: ${doubt}`);
      return /^y(es)?$/i.test((await ask('Take this proposal all the same? [y/N] ')).trim());
    },
  };
}
