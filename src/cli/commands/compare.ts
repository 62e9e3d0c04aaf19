import { Command, InvalidArgumentError, Option } from 'commander';
import { type ComparedStage, compareStage } from '../../pipeline/compare-stage.js';
import { comparisonDocument, headline } from '../../report/compare/comparison-document.js';
import { comparisonMarkdown } from '../../report/compare/comparison-markdown.js';
import { describeComparison } from '../describe/describe-comparison.js';
import { addOutputFlags } from '../flags/options.js';
import { EXIT } from '../terminal/exit-code.js';
import { printable } from '../terminal/log.js';
import type { Act, Session, SessionFlags } from '../terminal/session.js';

interface CompareFlags extends SessionFlags {
  format: 'table' | 'markdown' | 'json';
  all?: boolean;
  failAbove?: number;
}

/** Changed rows before --all is the better way to see them. */
const MOST_ROWS = 40;

/** Rows beyond the limit that are named; --json names all. */
const MOST_BEYOND = 10;

const HELP = `
Says per data set, target and method how the ECE changed, the largest change first, and which recorded inputs differ:
model files, data, prompts, settings, versions, seeds, ECE rule. The column "why" holds the numbers of those inputs that can
have moved the row. A run is an output folder or a results.json in it; manifest.json beside it knows the inputs.

Examples:
  supportcal compare reports/demo reports/new              what changed, and why
  supportcal compare old/results.json reports/demo --json  the same as one JSON document
  supportcal compare main-run this-run --fail-above 0.5    in CI: code 3 when an ECE moved by more than 0.5 pp
  supportcal compare main-run this-run --fail-above 0 --quiet   is every ECE exactly the same?

Exit codes: 0 done, 2 usage, 3 bad input, or with --fail-above a change beyond the limit (up or down; a row that the second
run lacks is one too). Without --fail-above any change is code 0.`;

export function compareCommand(act: Act): Command {
  const command = new Command('compare')
    .description('what changed between two runs, and which inputs differ')
    .argument('<run-a>', 'output folder or results.json of the run to start from')
    .argument('<run-b>', 'the same of the run to compare it with')
    .addOption(
      new Option('--format <format>', 'table for terminals, markdown for a comment, json for a program')
        .choices(['table', 'markdown', 'json'])
        .default('table'),
    )
    .option('--all', 'show every row, also those that did not change')
    .option('--fail-above <pp>', 'exit with code 3 when an ECE moved by more than this many percentage points', limit);
  return addOutputFlags(command, 'only one line: how many rows changed, and by how much at most')
    .addHelpText('after', HELP)
    .action((a: string, b: string, flags: CompareFlags) =>
      act(flags, async (session) => {
        const compared = await compareStage(a, b, flags.failAbove);
        show(session, compared, flags);
        for (const line of beyond(compared.above, flags)) session.log.log('error', line);
        return compared.above.length > 0 ? EXIT.badInput : EXIT.done;
      }),
    );
}

function show(session: Session, { a, b, comparison, above }: ComparedStage, flags: CompareFlags): void {
  const document = comparisonDocument(a, b, comparison, flags.all ? Number.POSITIVE_INFINITY : MOST_ROWS);
  if (session.json || flags.format === 'json') {
    const side = ({ name, results }: ComparedStage['a']) => {
      const { suite, createdAt, status, tool, protocol } = results;
      return { path: name, suite, createdAt, status, tool, protocol };
    };
    const status = above.length > 0 ? 'failed' : 'complete';
    const checked = flags.failAbove === undefined ? null : { limitPp: flags.failAbove, above };
    const { headline: said, notes } = document;
    session.printJson({
      schemaVersion: 1,
      status,
      a: side(a),
      b: side(b),
      headline: said,
      notes,
      ...comparison,
      checked,
    });
  } else if (flags.quiet) {
    const changed = comparison.rows.filter(({ unchanged }) => !unchanged);
    session.print(printable(headline(comparison, changed)));
  } else if (flags.format === 'markdown') session.print(comparisonMarkdown(document));
  else session.print(describeComparison(document, session.width).map(printable).join('\n'));
}

/** What is beyond the limit: the first rows by name and how many more; one line when quiet. */
function beyond(above: readonly string[], { quiet }: CompareFlags): string[] {
  if (above.length === 0) return [];
  if (quiet) return [`beyond the limit: ${above.length} row${above.length === 1 ? '' : 's'}, the first is ${above[0]}`];
  const more = above.length - MOST_BEYOND;
  const rest = more > 0 ? [`beyond the limit: ... and ${more} more (--json names all)`] : [];
  return [...above.slice(0, MOST_BEYOND).map((line) => `beyond the limit: ${line}`), ...rest];
}

function limit(text: string): number {
  if (!/^\d+(\.\d+)?$/.test(text))
    throw new InvalidArgumentError('expected percentage points of 0 or more, such as 0.5.');
  return Number(text);
}
