import path from 'node:path';
import { Command } from 'commander';
import { initWorkspace } from '../../pipeline/starter/init-workspace.js';
import { shellWord } from '../../report/text/plain-text.js';
import { addOutputFlags } from '../flags/options.js';
import { EXIT } from '../terminal/exit-code.js';
import type { Act, SessionFlags } from '../terminal/session.js';

export function initCommand(act: Act): Command {
  const command = new Command('init')
    .description(
      'write a commented models.yaml and data set to start from, and the schemas that editors check them with',
    )
    .argument('[folder]', 'where to write; files that are there are never replaced', '.');
  return addOutputFlags(command).action((folder: string, flags: SessionFlags) =>
    act(flags, async (session) => {
      const files = await initWorkspace(folder);
      if (session.json) session.printJson({ schemaVersion: 1, status: 'complete', files });
      else {
        const where =
          folder === '.'
            ? ''
            : ` --models ${shellWord(path.join(folder, 'models.yaml'))} --datasets ${shellWord(path.join(folder, 'datasets'))}`;
        session.print(
          [
            ...files,
            `next: supportcal validate${where}`,
            `then doctor in place of validate: what a run takes; pipeline runs it; ls says what there is${where && ` (in ${folder} they need no --models and --datasets)`}`,
          ].join('\n'),
        );
      }
      return EXIT.done;
    }),
  );
}
