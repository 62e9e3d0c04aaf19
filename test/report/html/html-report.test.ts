import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { figures } from '../../../src/report/figure/figures.js';
import { renderHtmlReport } from '../../../src/report/html/html-report.js';
import { PAGE_METRICS } from '../../../src/report/html/tables/page-metrics.js';
import { renderReport } from '../../../src/report/render-report.js';
import type { ReportInput } from '../../../src/results/report-input.js';
import { verdictsOf } from '../../../src/results/verdict/verdicts-of.js';
import { exampleInput, hostileAnswers } from '../example-report.js';

const small = { datasets: ['facts'], targets: ['t', 'u'] };
const render = (input: ReportInput) => {
  const verdicts = verdictsOf(input.results);
  return renderHtmlReport(input, verdicts, figures(input.results, input.diagnostics, verdicts));
};
/** The page as a reader sees it: no style, no script, no tags. */
const textOf = (page: string) =>
  page
    .replace(/<(style|script)[^>]*>[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, ' ');

const exampleData = (page: string) => JSON.parse(/id="example-data">(.*?)<\/script>/.exec(page)![1]!);

test('the first screen says what was asked, what the model claims, what to do with it, and that nothing is missing', () => {
  const input = exampleInput(small);
  const page = render({ ...input, results: { ...input.results, title: 'Two birds on facts' } });
  const first = textOf(page.slice(page.indexOf('<main>'), page.indexOf('class="filters"')));
  expect(page).toContain('<h1>Two birds on facts</h1>');
  const order = [
    'demo · 2 post-trained models · facts · 5 splits · 2026-01-02',
    'Complete. Every example of every model counts.',
    't claims 90 % and is right in 55 %; calibrated it claims 90 %.',
    'The widest gap between claim and truth of 2 pairs',
    'After: SupportCal, τ 3.05',
    'Divide its option logits by 3.05',
    'Use 3.05 (SupportCal): chosen without labels',
    'What every model claims, before and after',
  ].map((part) => first.indexOf(part));
  expect(Math.min(...order)).toBeGreaterThan(-1);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
});

test('the temperature to copy is the unrounded one of the verdict', () => {
  const input = exampleInput(small);
  const copies = [...render(input).matchAll(/data-copy="([\d.]+)"/g)].map((match) => Number(match[1]));
  const [t, u] = verdictsOf(input.results).map(({ use }) => use!.temperature);
  expect(copies).toEqual([t, t, u]);
});

test('without a finite temperature the page says so instead of a number', () => {
  const input = exampleInput(small);
  const runs = input.results.runs
    .filter(({ method }) => ['vanilla', 'supportcal'].includes(method))
    .map((run) =>
      run.method === 'supportcal' ? { ...run, temperature: null, temperatureKind: 'infinite' as const } : run,
    );
  const text = textOf(render({ ...input, results: { ...input.results, runs } }));
  expect(text).toContain('none finite SupportCal');
  expect(text).not.toMatch(/NaN|Infinity|undefined|\[object/);
});

test('one target on one data set has no choice among targets, no mean over targets and its whole diagram', () => {
  const page = render(exampleInput({ datasets: ['facts'], targets: ['t'] }));
  const text = textOf(page);
  expect(text).toContain('t claims 90 % and is right in');
  expect(text).not.toMatch(/Macro average|widest gap|mean over 1 target/);
  expect(page.match(/<label hidden>/g)).toHaveLength(2);
  expect(text).toContain('Reliability of t on facts, all seeds pooled');
});

test('a partial run says so on the first screen and lists what is missing', () => {
  const input = exampleInput(small);
  const skipped = [
    { dataset: 'facts', model: 'gone', example: null, reason: 'no file' },
    { dataset: 'facts', model: 't', example: 'q7', reason: 'prompt too long' },
  ];
  const text = textOf(render({ ...input, results: { ...input.results, status: 'partial', skipped } }));
  expect(text).toContain('Partial run. 1 model failed (gone); 1 example score missing.');
  expect(text).toContain('facts t q7 prompt too long');
});

test('the table has mean ± SE, what cannot be told from the best bold, a macro row, and the oracle apart', () => {
  const page = render(exampleInput(small));
  const table = page.slice(page.indexOf('<div class="ece">'), page.indexOf('How to read this'));
  expect(table.match(/<b>\d+\.\d\d<\/b><small> ± \d+\.\d\d<\/small>/g)).toHaveLength(4);
  expect(table).not.toContain('<u>');
  expect(table).toMatch(/<tfoot>.*Macro average/s);
  expect(table).toMatch(/class="num apart"[^>]*data-method="oracle-ts"/);
});

test('what each method differs from DACA by stands below its macro average, with interval and p-value', () => {
  const input = exampleInput(small);
  const comparison = {
    dataset: 'facts',
    target: null,
    methodA: 'daca',
    combinationSizeA: null,
    methodB: 'supportcal',
    combinationSizeB: 1,
    differencePp: 0.25,
    lowPp: -0.5,
    highPp: 1,
    pValue: 0.5,
    targets: 2,
    resamples: 99,
    pValueHolm: 0.75,
    signedDifferencePp: 0.25,
    standardErrorPp: 0.4,
  };
  const page = render({ ...input, results: { ...input.results, comparisons: [comparison] } });
  const row = /<tr class="less">.*?<\/tr>/s.exec(page)![0];
  expect(row.match(/<span>/g)).toHaveLength(3);
  expect(row).toContain(
    'data-method="supportcal-1"><span>-0.25</span><span>[-1.00, 0.50]</span><span>p = 0.500, adjusted 0.750</span>',
  );
  expect(textOf(page)).toContain('99 resamples, temperatures refitted');
  expect(render(input)).not.toContain('<tr class="less">');
});

test('every other metric of a run is in the page as data of every method and target, with its meaning', () => {
  const page = render(exampleInput(small));
  const data = [...page.matchAll(/<script type="application\/json">(\{"field".*?)<\/script>/g)].map(([, text]) =>
    JSON.parse(text!),
  );
  expect(data.map(({ field }) => field)).toEqual(PAGE_METRICS.map(({ field }) => field));
  for (const { name, note, tables } of data) {
    expect(page).toContain(`>${name}</option>`);
    expect(note).toContain(`${name}: `);
    expect(tables).toEqual([[expect.any(Array), expect.any(Array)]]);
    for (const row of tables[0]) expect(row).toHaveLength(7);
  }
  const nll = data.find(({ field }) => field === 'nll');
  expect(nll.tables[0][0][0]).toEqual([1.9, 0]);
});

test('every question is in the page as data, with what each target says of every option and what calibrates it', () => {
  const input = exampleInput(small);
  const data = exampleData(render(input));
  const [set] = data.sets;
  expect(set.rows).toHaveLength(60);
  expect(set.rows[3]).toEqual(['q-3', ['Which bird dives 3 metres?'], ['tern', 'heron'], 1]);
  expect(set.targets.map(({ target }: { target: string }) => target)).toEqual(['t', 'u']);
  expect(set.targets[1]).toMatchObject({ label: 'SupportCal', tau: verdictsOf(input.results)[1]!.use!.temperature });
  expect(set.targets[1].scores[3]).toEqual([0, 300]);
  expect(data.picks).toHaveLength(8);
  expect(data.picks[0]).toMatchObject({ kind: 'largest-weight', texts: ['Which bird dives?'], label: 1 });
});

test('the speed of a model whose scores came from the cache is that of the run that scored it, with its date', () => {
  const input = exampleInput(small);
  const speed = { tokens: 90000, seconds: 4.5, at: '2025-12-31T10:00:00.000Z' };
  const manifest = {
    ...input.manifest!,
    run: {
      ...input.manifest!.run!,
      models: [],
      stages: [
        { stage: 'report', seconds: 9 },
        { stage: 'load', seconds: 1 },
      ],
    },
    models: input.manifest!.models.map((model) => ({ ...model, speed })),
  };
  const text = textOf(render({ ...input, manifest }));
  expect(text).toContain('llama-demo when scored on 2025-12-31 90,000 4.5 20,000');
  // The page is the same whether the report's own time is known already or not.
  expect(text).toContain('load 1.00 s; manifest.json adds');
  expect(text).not.toContain('report 9.00 s');
});

test('a model that an earlier version scored has no speed, which the page says', () => {
  const input = exampleInput(small);
  const { run, models } = input.manifest!;
  const manifest = { ...input.manifest!, run: { ...run!, models: [] }, models: models.slice(0, 2) };
  const [first, second = first!] = manifest.models;
  const imported = { ...second, model: 'elsewhere', file: null, sha256: null, speed: null };
  const text = textOf(render({ ...input, manifest: { ...manifest, models: [{ ...first!, speed: null }, imported] } }));
  expect(text).toContain(`${first!.model} not recorded`);
  expect(text).toContain('elsewhere imported scores');
});

test('provenance has the command, versions, device, cache, times, speeds, hashes and rules', () => {
  const text = textOf(render(exampleInput(small)));
  for (const part of [
    `supportcal pipeline --suite 'my suite'`,
    'node-llama-cpp 3.22.1, llama.cpp b9999, Node v20.0.0 on linux x64',
    'Some CPU (this machine has no GPU device)',
    '34 rows came from the cache, 1,200 were scored',
    'load 0.25 s, score 12.50 s',
    'llama-demo this run (1,200 rows) 240,000 12.0 20,000',
    'ef'.repeat(32),
    '10 bins; equal width, left edge owned, last bin owns 1',
    'seeds 1, 2, 3, 4, 5',
  ]) {
    expect(text.includes(part), part).toBe(true);
  }
});

test('a run of an earlier version, without examples and manifest, still has a page', () => {
  const text = textOf(render({ ...exampleInput(small), examples: null, answers: null, manifest: null }));
  expect(text).toContain('Command not recorded');
  expect(text).not.toContain('words of the question');
});

test('the policy allows the style and the script of the page by hash and nothing else, and nothing is fetched', () => {
  const page = render(exampleInput(small));
  const policy = page.match(/Content-Security-Policy" content="([^"]*)"/)![1]!;
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const [style] = page.match(/(?<=<style>)[\s\S]*?(?=<\/style>)/)!;
  const [script] = page.match(/(?<=<script>)[\s\S]*?(?=<\/script>)/)!;
  expect(policy).toContain(`style-src ${hash(style)}`);
  expect(policy).toContain(`script-src ${hash(script)};`);
  expect(policy).toMatch(/^default-src 'none'/);
  const markup = page.replace(script, '').replace(style, '');
  expect(markup.match(/\son\w+=|\sstyle=|<iframe|<object|<link rel="stylesheet"/)).toBe(null);
  expect([...markup.matchAll(/\s(?:src|href)="([^"]*)"/g)].map((match) => match[1]!.slice(0, 1))).toEqual(
    expect.not.arrayContaining(['h', '/']),
  );
});

test('hostile names and texts stay text', () => {
  const hostile = '</script><img src=x onerror=alert(1)>" onmouseover="alert(2)';
  const input = exampleInput({ datasets: [hostile], targets: [hostile] });
  const examples = input.examples!.examples.map((each) => ({
    ...each,
    id: hostile,
    text: [{ field: hostile, value: hostile }],
    options: [hostile, '<b>A</b>'],
  }));
  const page = render({
    results: { ...input.results, suite: hostile, warnings: [hostile] },
    diagnostics: input.diagnostics,
    examples: { ...input.examples!, examples },
    answers: hostileAnswers(input, hostile),
    manifest: { ...input.manifest!, command: [hostile] },
  });
  expect(page.match(/<img|<b>A|"\s*onmouseover=/)).toBe(null);
  const scripts = page.match(/<script[^>]*>/g)!;
  expect(scripts.filter((tag) => !tag.startsWith('<script type="application/json"'))).toEqual(['<script>']);
  expect(page.match(/<\/script>/g)).toHaveLength(scripts.length);
  expect(textOf(page).includes(hostile)).toBe(true);
});

test('equal inputs give equal pages', () => {
  const [first, second] = [1, 2].map(() => render(exampleInput(small)));
  expect(first === second).toBe(true);
});

test('a page of very many targets is bounded: what is beyond lies in files beside it, which the page names', () => {
  const targets = Array.from({ length: 200 }, (_, n) => `family-chat-${n}`);
  const input = exampleInput({ datasets: ['d'], targets, seeds: [1, 2, 3] });
  const files = new Map(renderReport(input).map((file) => [file.path, file.data]));
  const text = files.get('report.html')!;
  expect(Buffer.byteLength(text)).toBeLessThan(4_000_000);
  // Every target is in the table; every figure but those of single targets is in it or linked.
  for (const target of targets) expect(text).toContain(`<th scope="row">${target}`);
  const links = [...text.matchAll(/ href="(figures\/[^"]+)"/g)].map(([, link]) => decodeURI(link!));
  const figures = [...files.keys()].filter((path) => path.endsWith('.svg'));
  expect(links.filter((link) => !files.has(link))).toEqual([]);
  const ofOne = figures.filter((path) => /reliability--d--/.test(path));
  expect(ofOne).toHaveLength(200);
  expect(links.length + text.split('<figure').length - 1).toBe(figures.length - ofOne.length);
  expect(links).toEqual(['figures/card.svg']);
  const [set] = exampleData(text).sets;
  expect(set.targets).toHaveLength(200);
  for (const kind of ['ece', 'reliability', 'temperature'])
    expect(text).toMatch(new RegExp(`<div class="plots of-${kind}">\\s*<figure`));
  expect(text).toContain('The 24 of 200 targets with the largest ECE.');
});

test('a page of few targets has everything in it', () => {
  const text = renderReport(exampleInput())
    .filter(({ path }) => path === 'report.html')
    .map(({ data }) => data)
    .join('');
  expect(text).not.toContain('beside this page');
});
