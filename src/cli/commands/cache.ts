import { Command } from 'commander';
import { listEntries } from '../../cache/list-entries.js';
import { pruneCache } from '../../pipeline/prune-cache.js';
import { type CacheVerification, verifyCache } from '../../pipeline/verify-cache.js';
import { describeEntries, entryJson, sizeText } from '../describe/describe-entries.js';
import { addFlags, addOutputFlags, type SharedFlag } from '../flags/options.js';
import { EXIT } from '../terminal/exit-code.js';
import { printable } from '../terminal/log.js';
import type { Act, Session, SessionFlags } from '../terminal/session.js';

interface CacheFlags extends SessionFlags {
  cache: string;
}

interface PruneFlags extends CacheFlags {
  models: string;
  datasets: string;
  yes?: boolean;
}

export function cacheCommand(act: Act): Command {
  return new Command('cache')
    .description('list, verify or prune the option logits of earlier runs')
    .addCommand(lsCommand(act))
    .addCommand(verifyCommand(act))
    .addCommand(pruneCommand(act));
}

function lsCommand(act: Act): Command {
  return flagged('ls', 'what the cache holds: model, data set, rows, size, age').action((flags: CacheFlags) =>
    act(flags, async (session) => {
      const entries = await listEntries(flags.cache);
      if (session.json) {
        const listed = entries.map((entry) => entryJson(entry, Date.now()));
        session.printJson({ schemaVersion: 1, status: 'complete', cache: flags.cache, entries: listed });
      } else printLines(session, describeEntries(entries, flags.cache, Date.now()));
      return EXIT.done;
    }),
  );
}

function verifyCommand(act: Act): Command {
  const command = flagged('verify', 'read every byte of the cache and name what is damaged; changes nothing');
  const help = '\nExit codes: 0 all sound, 3 something is damaged (named, with what to do).';
  return command.addHelpText('after', help).action((flags: CacheFlags) =>
    act(flags, async (session) => {
      const { entries, damaged, leftOvers, downloads } = await verifyCache(flags.cache);
      const sound = entries.filter((entry) => entry.state !== 'damaged').length;
      const isSound = damaged.length === 0 && downloads.damaged.length === 0;
      const status = isSound ? 'complete' : 'failed';
      if (session.json) {
        session.printJson({
          schemaVersion: 1,
          status,
          cache: flags.cache,
          entries: entries.length,
          sound,
          damaged,
          leftOvers,
          downloads,
        });
      } else {
        printLines(session, [
          ...downloads.damaged.map(({ file, reason }) => `${file}: ${reason}; the next run fetches it again`),
          ...damaged.map(({ file, reason, advice }) => `${file}: ${reason}; ${advice}`),
          ...leftOvers.map(
            (file) => `${file}: left by a run that was killed; harmless, supportcal cache prune removes it`,
          ),
          `${sound} of ${entries.length} entries in ${flags.cache} are sound`,
          ...(downloads.files === 0 ? [] : [soundDownloads(downloads)]),
        ]);
      }
      return isSound ? EXIT.done : EXIT.badInput;
    }),
  );
}

function soundDownloads({ files, damaged }: CacheVerification['downloads']): string {
  return `${files - damaged.length} of ${files} downloads of the hub are sound`;
}

function pruneCommand(act: Act): Command {
  const what = 'remove what no suite of models.yaml refers to; without --yes only show it';
  return flagged('prune', what, ['models', 'datasets'])
    .option('--yes', 'really remove it')
    .addHelpText('after', PRUNE_HELP)
    .action((flags: PruneFlags) =>
      act(flags, async (session) => {
        const remove = flags.yes ?? false;
        const { entries, leftOvers, kept } = await pruneCache({ ...flags, remove });
        if (session.json) {
          session.printJson({
            schemaVersion: 1,
            status: 'complete',
            cache: flags.cache,
            dryRun: !remove,
            entries: entries.map(({ entry, ...rest }) => ({ ...entryJson(entry, Date.now()), ...rest })),
            leftOvers,
            kept,
          });
          return EXIT.done;
        }
        const bytes = entries.reduce((sum, { entry, inUse }) => sum + (inUse ? 0 : entry.bytes), 0);
        const inUse = entries.filter((each) => each.inUse).length;
        const count = `${entries.length - inUse} entries (${sizeText(bytes)}) and ${leftOvers.length} left-over files`;
        printLines(session, [
          ...entries.map(
            ({ entry, reason, inUse }) => `${entry.name}: ${reason}${inUse ? ' (in use by a run: kept)' : ''}`,
          ),
          ...leftOvers.map(({ file, reason }) => `${file}: ${reason}`),
          remove ? `removed ${count}; ${kept + inUse} entries stay` : `would remove ${count}; ${kept} entries stay`,
          ...(remove || entries.length + leftOvers.length === 0 ? [] : ['nothing was removed; add --yes to do it']),
        ]);
        return EXIT.done;
      }),
    );
}

const PRUNE_HELP = `
A suite refers to the scores of its models on its data sets as all files are now, whatever the backend. Not referred
to: scores of files, prompts or settings that have changed since, of another llama.cpp release, or of a run with
--limit. Imported scores stay as long as a suite names their model and data set. Entries that a run holds stay.`;

function flagged(name: string, description: string, more: readonly SharedFlag[] = []): Command {
  return addOutputFlags(addFlags(new Command(name).description(description), ['cache', ...more]));
}

function printLines(session: Session, lines: readonly string[]): void {
  session.print(lines.map(printable).join('\n'));
}
