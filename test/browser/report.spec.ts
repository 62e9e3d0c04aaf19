import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { renderReport } from '../../src/report/render-report.js';
import type { ReportInput } from '../../src/results/report-input.js';
import { exampleInput, hostileAnswers } from '../report/example-report.js';
import { startChromium } from './chromium.js';

const HOSTILE = '</script><img src=x onerror="window.hit=1"><b onclick=alert(1)>"\' onmouseover="window.hit=2';
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-page-'));
let browser: Browser;
let context: BrowserContext | undefined;
beforeAll(async () => {
  browser = await startChromium();
  write('report', exampleInput());
  write('small', exampleInput({ datasets: ['facts'], targets: ['tern', 'heron'] }));
  write('gap', withoutEce(exampleInput(), 'llama-demo-chat', 'daca'));
  write('hostile', hostileInput());
});
afterEach(() => context?.close());
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

function write(name: string, input: ReportInput): void {
  const page = renderReport(input).find((file) => file.path === 'report.html')!;
  writeFileSync(path.join(folder, `${name}.html`), page.data);
}

/** The input with no ECE of one method on one target. */
function withoutEce(input: ReportInput, target: string, method: string): ReportInput {
  const summary = input.results.summary.map((row) =>
    row.target === target && row.method === method ? { ...row, eceMeanPp: null, eceSePp: null, seeds: 0 } : row,
  );
  return { ...input, results: { ...input.results, summary } };
}

function hostileInput(): ReportInput {
  const input = exampleInput({ datasets: [HOSTILE], targets: [HOSTILE, 'tern'] });
  const examples = input.examples!.examples.map((each) => ({
    ...each,
    id: HOSTILE,
    options: [HOSTILE, '<b>A</b>'],
    text: [{ field: HOSTILE, value: HOSTILE }],
  }));
  return {
    results: { ...input.results, suite: HOSTILE, warnings: [HOSTILE] },
    diagnostics: input.diagnostics,
    examples: { ...input.examples!, examples },
    answers: hostileAnswers(input, HOSTILE),
    manifest: { ...input.manifest!, command: [HOSTILE] },
  };
}

interface Opened {
  readonly page: Page;
  /** Console errors, page errors and requests beyond the page itself. */
  readonly faults: string[];
}

async function open(name: string, width: number, options: { dark?: boolean; script?: boolean } = {}): Promise<Opened> {
  context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: options.dark ? 'dark' : 'light',
    javaScriptEnabled: options.script ?? true,
  });
  const page = await context.newPage();
  const faults: string[] = [];
  const url = pathToFileURL(path.join(folder, `${name}.html`)).href;
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => {
    if (request.url() !== url && !request.url().startsWith('data:')) faults.push(`request of ${request.url()}`);
  });
  await page.goto(url);
  return { page, faults };
}

/** Opens every part of the appendix, but not what is folded inside one. */
async function openAppendix(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const part of document.querySelectorAll<HTMLDetailsElement>('details.part')) part.open = true;
  });
  await page.waitForFunction(
    () => document.querySelector('.metric-tables table') !== null && document.querySelector('.browsed table') !== null,
  );
}

const eceTable = (page: Page) => page.locator('.ece table').first();
const targetsOf = (page: Page) => eceTable(page).locator('tbody th').allTextContents();

test.each([
  ['report', 375],
  ['report', 1440],
  ['hostile', 375],
  ['hostile', 1440],
])('%s.html at %i px: no error, no request, no overflow of the page, every figure drawn', async (name, width) => {
  const { page, faults } = await open(name, width);
  expect(faults).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  await openAppendix(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  const figures = page.locator('figure svg');
  expect(await figures.count()).toBeGreaterThan(0);
  for (const figure of await figures.all()) {
    const box = await figure.boundingBox();
    expect(box!.width).toBeGreaterThan(width === 375 ? 300 : 350);
    expect(box!.height).toBeGreaterThan(150);
    expect(await figure.getAttribute('role')).toBe('img');
  }
});

/** What a page may be at most, as it opens and with every part of its appendix open. */
const MOST = { screens: 12, nodes: 15_000, printed: 10 } as const;

test('the first screen holds the question, the claim, both diagrams, the verdict and the head of the table', async () => {
  const { page } = await open('report', 1440);
  const parts = [
    'h1',
    '.status',
    '.claim',
    '.answer figure svg',
    '.verdict-card',
    '.answer code.copy',
    '.verdicts thead',
  ];
  const tops: number[] = [];
  for (const part of parts) {
    const box = await page.locator(part).first().boundingBox();
    tops.push(box!.y);
    expect(box!.y + Math.min(box!.height, 400), part).toBeLessThan(900);
  }
  expect(tops[2]).toBeLessThan(tops[3]!);
  expect(tops[3]).toBeLessThan(tops[6]!);
});

test('the page is few screens, few elements and few sheets of paper, none of which has a heading without content', async () => {
  const { page } = await open('report', 1440);
  const size = () =>
    page.evaluate(() => ({
      screens: document.documentElement.scrollHeight / 900,
      nodes: document.querySelectorAll('*').length,
    }));
  const opened = await size();
  expect(opened.screens).toBeLessThan(MOST.screens);
  expect(opened.nodes).toBeLessThan(MOST.nodes);
  await page.emulateMedia({ media: 'print' });
  const pdf = (await page.pdf({ format: 'A4' })).toString('latin1');
  expect(pdf.match(/\/Type\s*\/Page[^s]/g)!.length).toBeLessThan(MOST.printed);
  const bare = await page.locator('h2:visible, h3:visible').evaluateAll(
    (heads) =>
      heads.filter((head) => {
        const whole = head.closest('details, section, article, div')!.getBoundingClientRect();
        return whole.height - head.getBoundingClientRect().height < 8;
      }).length,
  );
  expect(bare).toBe(0);
  await page.emulateMedia({ media: 'screen' });
  await openAppendix(page);
  expect((await size()).nodes).toBeLessThan(MOST.nodes);
});

test('a head sorts its table up, then down, by number; missing values stay last; the target sorts by name', async () => {
  const { page } = await open('gap', 1440);
  const button = eceTable(page).getByRole('button', { name: 'DACA', exact: true });
  const head = eceTable(page).locator('thead th[data-method=daca]');
  const values = async () => {
    const texts = await eceTable(page).locator('tbody td[data-method=daca]').allTextContents();
    return texts.map((text) => Number.parseFloat(text));
  };
  const before = (await values()).filter((value) => !Number.isNaN(value));
  expect(before).toHaveLength(4);
  await button.click();
  expect(await values()).toEqual([...before.toSorted((a, b) => a - b), Number.NaN]);
  expect(await head.getAttribute('aria-sort')).toBe('ascending');
  await button.click();
  expect(await values()).toEqual([...before.toSorted((a, b) => b - a), Number.NaN]);
  expect(await head.getAttribute('aria-sort')).toBe('descending');
  await eceTable(page).getByRole('button', { name: 'Target' }).click();
  expect(await targetsOf(page)).toEqual((await targetsOf(page)).toSorted());
  expect(await eceTable(page).locator('tfoot').textContent()).toContain('Macro average');
});

test('filters narrow tables, figures and examples to a data set, a target and some methods; reset brings all back', async () => {
  const { page } = await open('report', 1440);
  await openAppendix(page);
  const shown = (selector: string) =>
    page
      .locator(selector)
      .evaluateAll((all) => all.filter((each) => (each as HTMLElement).offsetParent !== null).length);
  const all = [await shown('figure'), await shown('.dataset')];
  await page.locator('select[name=dataset]').selectOption({ label: 'demo-sentiment' });
  await page.locator('select[name=target]').selectOption({ label: 'qwen2-demo-chat' });
  // ECE and temperatures are about all targets, the reliability diagram about this one.
  expect([await shown('figure'), await shown('.dataset')]).toEqual([3, 1]);
  expect(await page.locator('.browse select[name=set]').inputValue()).toBe('demo-sentiment');
  expect(await page.locator('.browse select[name=model]').inputValue()).toBe('qwen2-demo-chat');
  expect(await page.locator('.dataset:not(.off) .ece tbody tr:not(.off) th').allTextContents()).toEqual([
    'qwen2-demo-chat',
  ]);
  await page.locator('.methods summary').click();
  await page.getByRole('checkbox', { name: 'Full KL' }).uncheck();
  expect(await shown('.ece [data-method=full-kl]')).toBe(0);
  expect(await page.locator('.shown').textContent()).toBe(
    'Showing: demo-sentiment, qwen2-demo-chat, 1 method(s) hidden',
  );
  await page.getByRole('button', { name: 'Reset' }).click();
  await page.waitForFunction(() => document.querySelector('.shown')!.textContent === '');
  expect([await shown('figure'), await shown('.dataset')]).toEqual(all);
});

test('the metric that is chosen has its table, which sorts and filters as the others do', async () => {
  const { page } = await open('report', 1440);
  await openAppendix(page);
  const table = page.locator('.metric-tables table').first();
  await page.locator('select[name=metric]').selectOption('nll');
  expect(await table.locator('caption').textContent()).toContain('NLL in nats');
  expect(await table.locator('tbody td').first().textContent()).toBe('1.900 ± 0.000');
  await table.getByRole('button', { name: 'Target' }).click();
  const names = await table.locator('tbody th').allTextContents();
  expect(names).toEqual(names.toSorted());
  await page.locator('select[name=target]').selectOption({ label: 'qwen2-demo-chat' });
  expect(await table.locator('tbody tr:not(.off) th').allTextContents()).toEqual(['qwen2-demo-chat']);
});

test('the numbers of a figure become a table when they are asked for', async () => {
  const { page } = await open('report', 1440);
  const numbers = page.locator('#methods details.numbers').first();
  expect(await numbers.locator('table').count()).toBe(0);
  await numbers.locator('summary').click();
  await numbers.locator('table').waitFor();
  expect(await numbers.locator('tbody tr').first().locator('td').allTextContents()).toEqual(
    expect.arrayContaining(['Vanilla', 'mean over targets']),
  );
});

test('an address that names a part of the appendix opens it', async () => {
  const { page } = await open('report', 1440);
  const part = page.locator('#provenance');
  expect(await part.evaluate((element) => (element as HTMLDetailsElement).open)).toBe(false);
  await page.evaluate(() => (location.hash = '#skipped'));
  await page.waitForFunction(() => (document.querySelector('#provenance') as HTMLDetailsElement).open);
});

const questions = (page: Page) => page.locator('.answers > tbody > tr:not(.details)');
const stateOf = (page: Page) => page.evaluate(() => decodeURIComponent(location.hash));

test('examples are searched, sorted, filtered and opened; the address follows and brings the same view back', async () => {
  const { page, faults } = await open('report', 1440);
  await page.locator('#examples > summary').click();
  await page.locator('.browsed table').waitFor();
  expect(await questions(page).count()).toBe(40);
  expect(await page.locator('.browsed caption').textContent()).toBe('Questions 1 to 40 of 60');
  await page.getByRole('button', { name: 'On', exact: true }).click();
  expect(await questions(page).count()).toBe(20);
  await page.locator('.browse select[name=show]').selectOption('wrong');
  expect(await questions(page).count()).toBe(30);
  expect(await page.locator('.answers td.state').allTextContents()).toEqual(Array(30).fill('wrong'));
  await page.locator('.answers').getByRole('button', { name: 'Claimed %' }).click();
  const claimed = (await page.locator('.answers tbody td:nth-child(4)').allTextContents()).map(Number);
  expect(claimed).toEqual(claimed.toSorted((a, b) => b - a));
  await page.locator('.browse input[name=q]').fill('dives 17');
  expect(await questions(page).allTextContents()).toEqual([expect.stringContaining('Which bird dives 17 metres?')]);
  await page.getByRole('button', { name: 'Which bird dives 17 metres?' }).click();
  // Its logits are 1.7 apart.
  const [before] = await page.locator('.opened tbody tr').first().locator('td').allTextContents();
  expect(before).toBe((100 / (1 + Math.exp(-1.7))).toFixed(1));
  expect(await page.locator('.opened tr.label th').textContent()).toContain('heron right answer');
  const hash = await stateOf(page);
  expect(hash).toMatch(/^#examples\?set=demo-facts&model=.*show=wrong.*q=dives\+17.*sort=-claimed.*open=q-17$/);
  await page.reload();
  await page.locator('.opened').waitFor();
  expect(await questions(page).count()).toBe(1);
  expect(await page.locator('.browse input[name=q]').inputValue()).toBe('dives 17');
  expect(faults).toEqual([]);
});

test('an example of the weights says what own base and references think of it', async () => {
  const { page } = await open('report', 1440);
  await page.evaluate(() => (location.hash = '#examples?show=largest-weight&open=q-largest-weight'));
  await page.locator('.opened').waitFor();
  expect(await page.locator('.opened').textContent()).toContain('weight 0.25, relative support of the own base 0.020');
  expect(await page.locator('.opened thead th').allTextContents()).toEqual([
    'Option',
    'as it is',
    'SupportCal (1), τ 2.50',
  ]);
});

test('the copy button puts the unrounded temperature on the clipboard', async () => {
  const { page } = await open('report', 1440);
  await context!.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.locator('button.copier').first().click();
  await page.getByText('copied').first().waitFor();
  const wanted = await page.locator('code.copy').first().getAttribute('data-copy');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(wanted);
});

test('the keyboard reaches links, filters, sorting, metrics and examples, and works them', async () => {
  const { page } = await open('report', 1440);
  const visited = new Set<string>();
  await openAppendix(page);
  for (let presses = 0; presses < 200; presses++) {
    await page.keyboard.press('Tab');
    visited.add(
      await page.evaluate(() => {
        const { tagName, className, name } = document.activeElement as HTMLInputElement;
        return `${tagName}${className ? `.${className}` : ''}${name ? `[${name}]` : ''}`;
      }),
    );
  }
  for (const stop of [
    'A.skip',
    'A',
    'BUTTON.copier',
    'SUMMARY',
    'SELECT[dataset]',
    'SELECT[target]',
    'DIV.scroll',
    'BUTTON',
  ]) {
    expect([...visited], stop).toContain(stop);
  }
  const daca = eceTable(page).getByRole('button', { name: 'DACA', exact: true });
  await daca.focus();
  await page.keyboard.press('Enter');
  expect(await daca.locator('..').getAttribute('aria-sort')).toBe('ascending');
  const question = page.locator('button.question').first();
  await question.focus();
  await page.keyboard.press('Enter');
  expect(await page.locator('button.question').first().getAttribute('aria-expanded')).toBe('true');
  expect(await page.evaluate(() => document.activeElement!.className)).toBe('question');
});

test.each([
  [1440, false],
  [375, true],
])('axe finds no serious fault at %i px (dark: %s), everything opened', async (width, dark) => {
  const { page } = await open('small', width, { dark });
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
  });
  // The policy of the page allows no other script; a debugger's evaluation is not bound by it.
  await page.evaluate((await import('node:fs')).readFileSync(AXE, 'utf8'));
  const found = await page.evaluate(() => (window as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run());
  const serious = found.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(serious.map(({ id, nodes }) => `${id}: ${nodes[0]!.html.slice(0, 160)} ${nodes[0]!.failureSummary}`)).toEqual(
    [],
  );
});

test('hostile names and texts stay text: nothing ran, no element came of them', async () => {
  const { page, faults } = await open('hostile', 1440);
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true;
  });
  await page.locator('h1').hover();
  expect(faults).toEqual([]);
  expect(await page.evaluate(() => (window as { hit?: number }).hit)).toBe(undefined);
  expect(await page.locator('img, [onclick], [onmouseover], b[onclick]').count()).toBe(0);
  expect(await page.locator('h1').textContent()).toBe(HOSTILE);
  await page.locator('select[name=target]').selectOption({ index: 2 });
  expect(await page.locator('.ece tbody tr:not(.off)').count()).toBe(1);
  await page.locator('select[name=target]').selectOption({ index: 1 });
  expect(await page.locator('.ece tbody tr:not(.off) th').first().textContent()).toBe(HOSTILE);
});

test('every definition that a figure of the page refers to is there once, and drawn though its figure is filtered away', async () => {
  const { page } = await open('report', 1440);
  const found = await page.evaluate(() => {
    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
    const used = [...document.querySelectorAll('figure svg *')].flatMap((element) =>
      [...element.attributes].flatMap(({ value }) => /^(?:url\()?#([^)]+)\)?$/.exec(value)?.[1] ?? []),
    );
    return { repeated: ids.filter((id, i) => ids.indexOf(id) !== i), used: [...new Set(used)], ids };
  });
  expect(found.repeated).toEqual([]);
  expect(found.used.length).toBeGreaterThan(4);
  for (const id of found.used) expect(found.ids).toContain(id);
  await page.locator('select[name=dataset]').selectOption({ label: 'demo-sentiment' });
  const bar = page.locator('figure:not(.off) path[fill="url(#gap-over)"]').first();
  expect((await bar.boundingBox())!.width).toBeGreaterThan(3);
  expect(await page.locator('#gap-over').evaluate((pattern) => pattern.closest('.off'))).toBeNull();
});

test('twice as large it still fits its width, and nothing on it moves by itself', async () => {
  const { page, faults } = await open('report', 640);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(640);
  for (const part of ['.status', '.verdict-card', 'form.filters', '.ece table >> nth=0'])
    expect(await page.locator(part).isVisible(), part).toBe(true);
  const moving = await page.evaluate(
    () =>
      [...document.querySelectorAll('*')].filter((element) => {
        const { animationName, transitionDuration, scrollBehavior } = getComputedStyle(element);
        return animationName !== 'none' || transitionDuration !== '0s' || scrollBehavior !== 'auto';
      }).length,
  );
  expect(moving).toBe(0);
  expect(faults).toEqual([]);
});

test('what has the keyboard shows it by an outline', async () => {
  const { page } = await open('small', 1440);
  const seen = new Set<string>();
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab');
    const [name, outline] = await page.evaluate(() => {
      const element = document.activeElement!;
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      return [element.tagName, outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1] as const;
    });
    expect(outline, name).toBe(true);
    seen.add(name);
  }
  expect([...seen]).toEqual(expect.arrayContaining(['A', 'BUTTON', 'SUMMARY', 'SELECT']));
});

test('every figure is an SVG document of its own: XML without a fault, with title, description, fonts and colours', async () => {
  const { page } = await open('small', 1440);
  const svgs = [exampleInput(), hostileInput()].flatMap((input) =>
    renderReport(input).filter((file) => file.path.endsWith('.svg')),
  );
  expect(svgs.length).toBeGreaterThan(10);
  const found = await page.evaluate(
    (texts) =>
      texts.map((text) => {
        const document = new DOMParser().parseFromString(text, 'image/svg+xml');
        const root = document.documentElement;
        const of = (name: string) => root.querySelector(`:scope > ${name}`)?.textContent?.length ?? 0;
        const fault = document.querySelector('parsererror')?.textContent ?? null;
        const foreign = root.querySelectorAll('script,image,foreignObject,a,[href]:not([href^="#"]),[onload]').length;
        const named = root
          .getAttribute('aria-labelledby')!
          .split(' ')
          .every((id) => document.getElementById(id) !== null);
        return {
          fault,
          foreign,
          named,
          title: of('title') > 0,
          desc: of('desc') > 20,
          font: root.hasAttribute('font-family'),
        };
      }),
    svgs.map(({ data }) => String(data)),
  );
  for (const [n, each] of found.entries())
    expect(each, svgs[n]!.path).toEqual({ fault: null, foreign: 0, named: true, title: true, desc: true, font: true });
});

test('on paper there is no control and nothing is cut off at the side', async () => {
  const { page } = await open('report', 794);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  for (const part of ['nav', 'form.filters', '.copier', '#appendix', 'summary'])
    expect(await page.locator(`${part}:visible`).count(), part).toBe(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(794);
  expect(await page.locator('figure svg:visible').count()).toBeGreaterThan(3);
  const ink = page.locator('.f-paper').first();
  expect(await ink.evaluate((element) => getComputedStyle(element).fill)).toBe('rgb(255, 255, 255)');
  expect((await page.pdf({ format: 'A4' })).subarray(0, 5).toString()).toBe('%PDF-');
});

test('without JavaScript the tables are there and no control pretends to work', async () => {
  const { page } = await open('report', 1440, { script: false });
  expect(await page.locator('.ece table').first().isVisible()).toBe(true);
  expect(await page.locator('form.filters').isVisible()).toBe(false);
  expect(await page.locator('button:visible').count()).toBe(0);
});
