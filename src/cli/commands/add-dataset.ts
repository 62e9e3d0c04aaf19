import { Command } from 'commander';
import { FORMATS, namesOf } from '../../formats/format-table.js';
import { type AddDatasetOptions, addDataset } from '../../pipeline/add-dataset.js';
import { addFlags, addOutputFlags } from '../flags/options.js';
import { EXIT } from '../terminal/exit-code.js';
import type { Act, SessionFlags } from '../terminal/session.js';

const HELP = `
Finds options (a list, lettered text, one column each, a map to truth, a fixed set), label, id and question, and loads every
row with the result. Prints the YAML; --write puts it into the folder of data sets. Text files come in pairs: name
x_text.txt, and x_labels.txt is found beside it.`;

export function addDatasetCommand(act: Act): Command {
  const command = new Command('add-dataset')
    .description('look at a file of questions and propose its data-set YAML')
    .argument('<file>', `${namesOf(FORMATS.filter(({ name }) => name !== 'text'))}, or the text file of a pair`)
    .option('--write', 'write the YAML instead of printing it; a file that is there is never replaced')
    .option('--id <id>', 'name of the data set (default: the file name without its ending)')
    .addHelpText('after', HELP);
  return addOutputFlags(addFlags(command, ['datasets'])).action(
    (file: string, flags: Omit<AddDatasetOptions, 'file'> & SessionFlags) =>
      act(flags, async (session) => {
        const added = await addDataset({ ...flags, file });
        for (const note of added.notes) session.log.log('warn', note);
        if (session.json) session.printJson({ schemaVersion: 1, status: 'complete', ...added });
        else session.print(added.written ? `${added.yamlFile}: ${added.rows} rows load` : added.text);
        return EXIT.done;
      }),
  );
}
