import { Command } from 'commander';
import { listWorkspace } from '../../pipeline/list-workspace.js';
import { addCommonFlags, type CommonFlags, runOptions } from '../flags/options.js';
import { EXIT } from '../terminal/exit-code.js';
import { printable } from '../terminal/log.js';
import type { Act } from '../terminal/session.js';
import { alignedRows, textTable } from '../terminal/text-table.js';

/** It lists everything there is. */
const UNUSED = [
  'suite',
  'out',
  'dataset',
  'target',
  'source',
  'limit',
  'gpu',
  'offline',
  'refresh',
  'max-cost',
  'disk',
  'keep-for',
] as const;

export function lsCommand(act: Act): Command {
  const command = new Command('ls').description('suites, models, data sets and what the cache holds');
  return addCommonFlags(command, UNUSED).action((flags: CommonFlags) =>
    act(flags, async (session) => {
      const listing = await listWorkspace(runOptions(flags));
      if (session.json) {
        session.printJson({ schemaVersion: 1, status: 'complete', ...listing });
        return EXIT.done;
      }
      const posts = listing.models.filter(({ role }) => role === 'post-trained').length;
      const lines = [
        'suites',
        ...textTable(
          ['  suite', 'what', 'targets', 'data sets'],
          listing.suites.map(({ name, title, targets, datasets }) => {
            const count = targets === 'all' ? `all ${posts}` : String(targets.length);
            return [`  ${name}`, title ?? '', count, datasets.join(', ')];
          }),
        ),
        '  what one takes: supportcal doctor --suite NAME; to run it: supportcal pipeline --suite NAME',
        'models',
        ...alignedRows(
          listing.models.map(({ id, role, base, file, namedIn }) => {
            const local = namedIn?.includes('.local.') ? `(${namedIn})` : '';
            return [id, `${role}${base ? ` of ${base}` : ''}`, file ?? 'imported', local];
          }),
        ),
        'data sets',
        ...alignedRows(listing.datasets.map((dataset) => [dataset.id, dataset.source ?? 'imported'])),
        'cache',
        ...(listing.cache.length === 0 ? ['  empty'] : []),
        ...alignedRows(
          listing.cache.map(({ key, name, state, rows, bytes }) => {
            const size = `${(bytes / 1024).toFixed(0)} KiB`;
            return [key?.model ?? name, key?.dataset ?? '?', state, `${rows} rows`, size];
          }),
        ),
      ];
      session.print(lines.map(printable).join('\n'));
      return EXIT.done;
    }),
  );
}
