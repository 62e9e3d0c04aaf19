import type { RunManifest } from '../../results/manifest-schema.js';
import type { ReportInput } from '../../results/report-input.js';
import type { Results } from '../../results/results-schema.js';
import { formatCount, formatFixed, formatPercent } from '../text/format-number.js';
import { shellWord } from '../text/plain-text.js';
import { chosenRows, fewerMethods } from '../text/what-is-missing.js';
import { type Content, html, type Markup, scrollable } from './page/markup.js';

const MAX_SKIPPED = 200;

/** Everything that a reader needs to get the same numbers again, and what was left out of them. */
export function provenanceSection({ results, manifest }: ReportInput): Markup {
  return html`${facts(results, manifest)}
${manifest && scoringTable(manifest)}
${manifest && modelTable(manifest)}
${manifest && datasetTable(manifest, results)}
${warnings(results)}
${skippedTable(results)}`;
}

function facts({ tool, protocol, createdAt, status }: Results, manifest: RunManifest | null): Markup {
  const { bootstrap } = protocol;
  const rows: [string, Content][] = [
    [
      'Command',
      manifest?.command
        ? html`<code class="copy" data-copy="${commandLine(manifest.command)}">${commandLine(manifest.command)}</code>`
        : 'not recorded',
    ],
    ['Written', `${createdAt} (${status})`],
    ['Versions', versions(tool, manifest)],
    ['Device', devices(tool, manifest)],
    ['Cache', cacheText(manifest)],
    ['Wall time', wallTime(manifest)],
    ['ECE', `${protocol.bins} bins; ${protocol.eceRule}`],
    [
      'Splits',
      html`${formatPercent(protocol.calibrationFraction, 0)} % calibration (rounded down), seeds ${protocol.seeds.join(', ')}, generator ${protocol.splitGenerator}; <code>splits.json</code> lists the ids`,
    ],
    [
      'SE and macro',
      'sample standard deviation over seeds / sqrt(seeds); macro average: mean over targets of the seed means',
    ],
    ['Bootstrap', bootstrap === null ? 'none' : `${bootstrap.rule}; generator ${bootstrap.generator}`],
    [
      'No finite temperature',
      '∞: weighted boundary margin at or below 0, confidence is 1/K. ∅: no fit; the reason stands below the table.',
    ],
    ['Methods', protocol.methods.join(', ')],
    ...fewerMethods(protocol).map(({ dataset, left }): [string, Content] => [
      'Not on all data sets',
      `${dataset}: without ${left.join(', ')}`,
    ]),
    ...protocol.methodFiles.map(({ file, sha256, methods }): [string, Content] => [
      'Methods not built in',
      html`${methods.join(', ')} of ${file}, sha256 <code class="hash">${sha256}</code>`,
    ]),
  ];
  return html`<dl class="facts-list">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function commandLine(command: readonly string[]): string {
  return ['supportcal', ...command.map(shellWord)].join(' ');
}

function versions(tool: Results['tool'], manifest: RunManifest | null): string {
  const own = `supportcal ${tool.version}, node-llama-cpp ${tool.nodeLlamaCpp}, llama.cpp ${tool.llamaCppRelease}`;
  return manifest?.system ? `${own}, Node ${manifest.system.node} on ${manifest.system.platform}` : own;
}

function devices(tool: Results['tool'], manifest: RunManifest | null): string {
  const named = manifest?.models.flatMap(({ scores }) =>
    scores.flatMap(({ facts: each }) => (each?.device ? [each.device] : [])),
  );
  const list = [...new Set(named ?? [])].join(', ');
  const reason = manifest?.backendReason ? ` (${manifest.backendReason})` : '';
  return `${tool.gpu}${list === '' || list === tool.gpu ? '' : `: ${list}`}${reason}`;
}

function cacheText(manifest: RunManifest | null): string {
  if (!manifest?.run) return 'not recorded';
  const { rows } = manifest.run;
  if (rows === null) return 'every score came from the cache (calibrate alone)';
  return `${formatCount(rows.cached)} rows came from the cache, ${formatCount(rows.toScore)} were scored`;
}

function wallTime(manifest: RunManifest | null): string {
  // The report's own time is not known while it is written, and the page must not differ when it is written again.
  const stages = (manifest?.run?.stages ?? []).filter(({ stage }) => stage !== 'report');
  if (stages.length === 0) return 'not recorded';
  const text = stages.map(({ stage, seconds }) => `${stage} ${formatFixed(seconds, 2)} s`).join(', ');
  return `${text}; manifest.json adds the report's own time once it is written`;
}

/**
 * Those of this run, and of models whose scores came from the cache, those of the run that scored them, if it kept any.
 */
function scoringTable({ run, models }: RunManifest): Markup | null {
  const fresh = new Map((run?.models ?? []).map((each) => [each.model, each]));
  const rows = [...new Set([...models.map(({ model }) => model), ...fresh.keys()])].map((model) => {
    const now = fresh.get(model);
    const known = models.find((each) => each.model === model);
    const kept = known?.speed;
    const measured = now ?? kept;
    if (!measured) return [model, known?.sha256 === null ? 'imported scores' : 'not recorded', '', '', ''];
    const { tokens, seconds } = measured;
    return [
      model,
      now ? `this run (${formatCount(now.rows)} rows)` : `when scored on ${kept?.at.slice(0, 10)}`,
      formatCount(tokens),
      formatFixed(seconds, 1),
      seconds > 0 ? formatCount(Math.round(tokens / seconds)) : 'n/a',
    ];
  });
  if (rows.length === 0) return null;
  return grid(
    'Speed of scoring',
    ['Model', 'Measured', 'Tokens', 'Seconds, load included', 'Tokens per second'],
    rows,
    2,
  );
}

function modelTable({ models }: RunManifest): Markup {
  return grid(
    'Model files',
    ['Model', 'File', 'sha256'],
    models.map(({ model, file, sha256, origin }) => [
      model,
      `${file ?? 'imported scores'}${origin ? ` (${origin})` : ''}`,
      sha256 === null ? '' : html`<code class="hash">${sha256}</code>`,
    ]),
    3,
  );
}

function datasetTable({ datasets }: RunManifest, { runs }: Results): Markup {
  const noted = datasets.some(({ rules, origin = [] }) => rules.length + origin.length > 0);
  return grid(
    'Data sets',
    [
      'Data set',
      'File',
      'Rows',
      'Calibration',
      'Evaluation',
      'Labelled',
      'Content hash',
      ...(noted ? ['Rules and origin'] : []),
    ],
    datasets.map(({ dataset, file, rows, contentHash, rules, origin = [] }) => {
      const first = runs.find((run) => run.dataset === dataset);
      return [
        dataset,
        file,
        rows === null ? 'imported' : formatCount(rows),
        ...[first?.calibrationCount, first?.evaluationCount, first?.labelledCount].map((count) =>
          count === undefined ? '' : formatCount(count),
        ),
        contentHash === null ? '' : html`<code class="hash">${contentHash}</code>`,
        ...(noted ? [[...rules, ...origin].join('; ')] : []),
      ];
    }),
    8,
  );
}

function warnings({ warnings: lines }: Results): Markup | null {
  if (lines.length === 0) return null;
  return html`<h3>Warnings</h3><ul class="lines">${lines.map((line) => html`<li>${line}</li>`)}</ul>`;
}

function skippedTable(results: Results): Markup {
  const { skipped } = results;
  const chosen = chosenRows(results);
  const before =
    chosen.length > 0 &&
    html`<p>Rows chosen before scoring:</p><ul>${chosen.map((line) => html`<li>${line}</li>`)}</ul>`;
  if (skipped.length === 0)
    return html`<h3 id="skipped">Skipped</h3><p>Nothing: every example${before && ' chosen'} of every model counts.</p>${before}`;
  const rest = skipped.length - MAX_SKIPPED;
  return html`<h3 id="skipped">Skipped</h3>
<p>An example that one model in use lacks counts for none of them.</p>
${grid(
  'Skipped models and examples',
  ['Data set', 'Model', 'Example', 'Reason'],
  skipped
    .slice(0, MAX_SKIPPED)
    .map(({ dataset, model, example, reason }) => [dataset, model, example ?? 'all', reason]),
  4,
)}${rest > 0 && html`<p>and ${formatCount(rest)} more; results.json lists all.</p>`}${before}`;
}

/** @param textColumns columns from here on hold numbers */
function grid(caption: string, heads: readonly string[], rows: ReadonlyArray<readonly Content[]>, textColumns: number) {
  const kind = (i: number) => (i >= textColumns ? html` class="num"` : '');
  return scrollable(
    caption,
    html`<table class="grid plain small"><caption>${caption}</caption>
<thead><tr>${heads.map((head, i) => html`<th scope="col"${kind(i)}>${head}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((value, i) => (i === 0 ? html`<th scope="row">${value}</th>` : html`<td${kind(i)}>${value}</td>`))}</tr>`)}</tbody></table>`,
  );
}
