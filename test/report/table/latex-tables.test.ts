import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { latexTables } from '../../../src/report/table/latex-tables.js';
import { latexText } from '../../../src/report/table/latex-text.js';
import type { Results } from '../../../src/results/results-schema.js';
import { exampleResults } from '../example-results.js';

const HOSTILE = [
  '\\input{/etc/passwd}',
  'a_b^c~#1 100% & $x$',
  '[t]*{}--`"\'<>|',
  'é Łódź 中文 ∞ 🦜 \u00a0',
  '\\end{table}',
];
/** Without one of the methods, so that errors stand beside means. */
function fewMethods(results: Results): Results {
  return { ...results, summary: results.summary.filter(({ method }) => method !== 'relative-only') };
}

const hasLatex = spawnSync('pdflatex', ['--version']).status === 0;

test('what cannot be told from the best is bold, the oracle apart and never marked, with a macro row last', () => {
  const [file] = latexTables(fewMethods(exampleResults({ datasets: ['d'], targets: ['t'] })));
  expect(file!.path).toBe('tables/d.tex');
  const lines = file!.data.split('\n');
  const row = lines.find((each) => each.startsWith('t & '))!;
  expect(row.match(/\\textbf/g)).toHaveLength(2);
  expect(row).not.toContain('underline');
  expect(row.split(' & ').at(-1)).not.toMatch(/textbf|underline/);
  expect(row).toMatch(/\d\.\d\d\}?\{\\scriptsize\\,\$\\pm\$\\,\d\.\d\d\}/);
  expect(file!.data).toContain('\\begin{tabular}{@{}l r rrrrr@{\\hskip 14pt}r@{}}');
  const body = lines.filter((each) => each.endsWith('\\\\'));
  expect(body.at(-1)).toMatch(/^\\textit\{Macro average\}/);
  for (const each of body) expect(each.split(' & ')).toHaveLength(8);
});

test('in a table of many methods heads take several lines, and gain and errors stand below', () => {
  const { data } = latexTables(exampleResults({ datasets: ['d'], targets: ['t'] }))[0]!;
  const lines = data.split('\n');
  const at = lines.findIndex((line) => line.startsWith('t & '));
  const row = lines[at]!.split(' & ');
  expect(row).toHaveLength(9);
  expect(lines[at]).toMatch(/\\textbf\{\d+\.\d\d\}/);
  expect(lines[at]).toMatch(/\\\\\[-2\.5pt\]$/);
  expect(lines[at]).not.toContain('pm');
  const below = lines[at + 1]!.split(' & ');
  expect(below).toHaveLength(9);
  expect(below[1]).toMatch(/^\{\\tiny \(\$[+-]?\d+\.\d\$\)\}$/);
  for (const cell of below.slice(2)) expect(cell).toMatch(/\{\\tiny \$\\pm\$\\,\d\.\d\d\}/);
  expect(data).toMatch(/scriptsize Support\}.*\n.*scriptsize Cal \(1\)\}/);
});

test('a missing ECE is n/a, and fits without a temperature are marked and explained', () => {
  const results = exampleResults({ datasets: ['d'], targets: ['t'], seeds: [1] }, (run) =>
    run.method === 'daca'
      ? { ...run, ece: null, temperature: null, temperatureKind: 'none', temperatureReason: 'no-examples' }
      : run.method === 'full-kl'
        ? { ...run, temperature: null, temperatureKind: 'infinite' }
        : run,
  );
  const { data } = latexTables(results)[0]!;
  expect(data).toContain('n/a$^{\\emptyset}$');
  expect(data).toMatch(/\$\^\{\\infty\}\$ no finite temperature/);
  expect(data).not.toMatch(/null|NaN|undefined/);
});

test('every character that LaTeX gives a meaning is printed instead', () => {
  expect(latexText('a_b & 5% $x$ #1 {y} ~ ^ \\cmd')).toBe(
    'a\\_b \\& 5\\% \\$x\\$ \\#1 \\{y\\} \\textasciitilde{} \\textasciicircum{} \\textbackslash{}cmd',
  );
  expect(latexText('中')).toBe('{\\scriptsize U+4E2D}');
  expect(latexText('a\n\u0007b')).toBe('a b');
});

test.skipIf(!hasLatex)(
  'a real LaTeX compiles the tables, hostile names included (skipped where none is installed)',
  () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-tex-'));
    try {
      const hostile = exampleResults({ datasets: HOSTILE, targets: HOSTILE });
      const names = ['Qwen2.5-Math-7B-Instruct', 'Llama-3.1-8B'];
      const long = exampleResults({ datasets: ['many'], targets: names });
      const files = [...latexTables(hostile), ...latexTables(fewMethods(hostile)), ...latexTables(long)];
      for (const [n, { data }] of files.entries()) writeFileSync(path.join(folder, `t${n}.tex`), data);
      const inputs = files.map((_, n) => `\\input{t${n}}`).join('\n');
      const document = `\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{booktabs}\\textwidth=397pt\n\\begin{document}\n${inputs}\n\\end{document}\n`;
      writeFileSync(path.join(folder, 'all.tex'), document);
      execFileSync('pdflatex', ['-interaction=nonstopmode', '-halt-on-error', '-no-shell-escape', 'all.tex'], {
        cwd: folder,
        timeout: 60_000,
      });
      const log = readFileSync(path.join(folder, 'all.log'), 'latin1');
      expect(log).not.toMatch(/^!|root:x:|Missing character/m);
      // The last table, of names that people have, does not stick out of a column of the paper's width.
      expect(log.slice(log.indexOf(`(./t${files.length - 1}.tex`))).not.toContain('Overfull');
      expect(readFileSync(path.join(folder, 'all.pdf')).length).toBeGreaterThan(5000);
    } catch (error) {
      throw new Error(`pdflatex: ${String((error as { stdout?: Buffer }).stdout ?? error).slice(-1500)}`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  90_000,
);
