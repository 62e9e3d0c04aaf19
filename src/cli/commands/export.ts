import path from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type ExportedTarget, type ExportOptions, exportStage } from '../../pipeline/export-stage.js';
import { thresholdText } from '../../pipeline/predict/answer-threshold.js';
import { addCommonFlags, addMethodFlag, addSplitFlags, type CommonFlags, runOptions } from '../flags/options.js';
import { EXIT } from '../terminal/exit-code.js';
import { printable } from '../terminal/log.js';
import { pipelineEvents } from '../terminal/pipeline-events.js';
import type { Act } from '../terminal/session.js';
import { textTable } from '../terminal/text-table.js';

interface ExportFlags extends CommonFlags {
  method?: string;
  combinationSize?: number;
  allowLabels?: boolean;
  format: 'json' | 'csv';
}

const OUT = 'file to write, or a folder, in whose calibration/ files go (default: reports/<suite>)';

const HELP = `
Writes what a program needs to calibrate the target from now on: the temperature, fitted on EVERY row whose scores are in the
cache (the fit needs no labels, so nothing is held back), what it was fitted against (own base, references, with the hashes
of all files), how the questions were put, and what to expect. Where rows have labels, the ECE that the method reached on the
splits of the suite goes along. Data sets without any label work just the same. Score first: supportcal score.

Use it with supportcal predict, or in any program: probabilities = softmax(option logits / temperature).
temperatureKind "infinite" (temperature null): every option gets 1 / K. It is written, with code 4 and what to use instead.

Two columns of ECE: that of the temperature in the file on all labelled rows (which a label-free fit has not seen the labels
of), and that of the method on the splits of the suite, before and after, where it is measured on rows that it was not fitted on.

Without --method the verdict on each target chooses among the methods of the suite, as supportcal pipeline prints it:
a fixed order that labels have no part in, unless the labels there are rule its choice out; the file says which and why.
--method supportcal is the paper's. With a few labels, --method auto-labels --allow-labels makes the most of them.

Examples:
  supportcal export --target tern-dpo --dataset demo-facts                  reports/demo/calibration/...json
  supportcal export --target tern-dpo --dataset demo-facts --method daca --out tern.json
  supportcal export --suite mine                                            one file per target and data set
  supportcal export --target tern-dpo --dataset demo-facts --format csv --out rows.csv

--format csv writes one line per question instead: its label, prediction, confidence before and after, boundary margin, option
logits and texts. It is safe to open in a spreadsheet, and supportcal import reads it back.

Exit codes: 0 done, 3 bad input or nothing to export, 4 some target has no temperature, or an infinite one (it is named).`;

export function exportCommand(act: Act): Command {
  const command = new Command('export')
    .description('write the calibration of a target for use elsewhere; loads no model, needs no label')
    .option('--method <name>', 'method that fits the temperature (default: that of the verdict on each target)')
    .option('--combination-size <m>', 'M of a method with references (default: the smallest of the suite)', size)
    .option('--allow-labels', 'export oracle-ts or auto-labels too, which read labels')
    .addOption(
      new Option('--format <format>', 'json: the calibration; csv: every row with what it makes of it')
        .choices(['json', 'csv'])
        .default('json'),
    );
  addMethodFlag(addSplitFlags(addCommonFlags(command, ['refresh', 'max-cost', 'disk', 'keep-for'])));
  for (const option of command.options) if (option.long === '--out') option.description = OUT;
  return command.addHelpText('after', HELP).action((flags: ExportFlags) =>
    act(flags, async (session) => {
      const options = exportOptions(flags, session.argv);
      const { exported, failed } = await exportStage(options, pipelineEvents(session, options.out));
      for (const { dataset, target, reason } of failed) session.log.log('warn', `${target} on ${dataset}: ${reason}`);
      for (const each of exported) for (const line of infinite(each)) session.log.log('warn', line);
      const isPartial = failed.length > 0 || exported.some(({ instead }) => instead !== undefined);
      const status = isPartial ? 'partial' : 'complete';
      if (session.json) session.printJson({ schemaVersion: 1, status, exported, failed });
      else {
        const lines = [...describe(exported), ...verdicts(exported), ...exported.flatMap(alone)];
        session.print(lines.map(printable).join('\n'));
      }
      return isPartial ? EXIT.partial : EXIT.done;
    }),
  );
}

/** `--out` names a folder, or a file by its ending. */
function exportOptions(flags: ExportFlags, argv: readonly string[]): ExportOptions {
  const { method, combinationSize, allowLabels, format, out, ...common } = flags;
  const named = out !== undefined && /\.(json|csv)$/i.test(out);
  return {
    ...runOptions({ ...common, ...(out !== undefined && !named && { out }) } as CommonFlags),
    command: argv,
    format,
    ...(method !== undefined && { method }),
    ...(combinationSize !== undefined && { combinationSize }),
    ...(allowLabels && { allowLabels }),
    ...(named && { file: out }),
  };
}

function describe(exported: readonly ExportedTarget[]): string[] {
  const pp = (value: number | null | undefined) => (value == null ? 'n/a' : value.toFixed(2));
  const rows = exported.map(({ file, artefact: { target, dataset, method, temperature, fit, ece } }) => [
    target.id,
    dataset.id,
    method.name,
    temperature === null ? 'infinite' : temperature.toPrecision(4),
    String(fit.rows),
    pp(ece?.exported?.pp),
    ece === null ? 'no labels' : `${pp(ece.vanilla.meanPp)} → ${pp(ece.method.meanPp)} ± ${pp(ece.method.sePp)}`,
    path.relative('', file) || file,
  ]);
  return textTable(
    ['target', 'data set', 'method', 'temperature', 'rows', 'its ECE in pp', 'ECE on the splits in pp', 'file'],
    rows,
  );
}

/** What the splits say of each exported temperature, and why theirs is another one. */
function verdicts(exported: readonly ExportedTarget[]): string[] {
  const said = exported.flatMap(({ artefact: { target, dataset, verdict } }) =>
    verdict === null ? [] : [`verdict: ${target.id} on ${dataset.id}: ${verdict.sentence}`],
  );
  const isNamed = exported.some(
    ({ artefact: { verdict } }) => verdict !== null && !['already-calibrated', 'none'].includes(verdict.kind),
  );
  return isNamed ? [...said, TWO_TEMPERATURES] : said;
}

const TWO_TEMPERATURES =
  'use the temperature in the file, fitted on all rows; a verdict names the mean over the splits, each fitted on a part';

/** From which confidence on it may answer alone, for the rate of errors that most people ask for, before and after. */
function alone({ artefact: { target, dataset, thresholds } }: ExportedTarget): string[] {
  const at = ({ points, labelled }: NonNullable<typeof thresholds>) => {
    const point = points.find(({ maxError }) => maxError === SHOWN_ERROR);
    return (
      (point && thresholdText(point, labelled)) ??
      `no confidence is shown to have at most ${100 * SHOWN_ERROR} % errors`
    );
  };
  if (thresholds === null) return [];
  const before = thresholds.vanilla.find(({ maxError }) => maxError === SHOWN_ERROR)?.guaranteed;
  const raw =
    before == null
      ? ''
      : `; before calibration that confidence reads ${before.threshold > 0.99999 ? 'above 0.99999' : before.threshold.toFixed(5)}`;
  return [`${target.id} on ${dataset.id}: ${at(thresholds)}${raw}`];
}

const SHOWN_ERROR = 0.05;

/** What to do about an infinite temperature. */
function infinite({ artefact: { target, dataset, method }, instead }: ExportedTarget): string[] {
  if (instead === undefined) return [];
  const where = `${target.id} on ${dataset.id}`;
  const own = method.combinationSize === null ? method.name : `${method.name} with M = ${method.combinationSize}`;
  const others = instead.map(({ method: name, combinationSize, temperature }) => {
    const size = combinationSize === null ? '' : ` --combination-size ${combinationSize}`;
    return `--method ${name}${size} (${temperature.toPrecision(4)})`;
  });
  const use =
    others.length > 0
      ? `take a method whose temperature is finite on the same rows: ${others.join(', ')}`
      : 'no label-free method has a finite one; with labels, take --method oracle-ts --allow-labels';
  return [
    `${where}: the temperature of ${own} is infinite, so that every option gets 1 / K and no answer is surer; ${use}`,
  ];
}

function size(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('expected a whole number of 1 or more.');
  return Number(text);
}
