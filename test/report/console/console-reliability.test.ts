import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { reliabilityBars } from '../../../src/report/console/console-reliability.js';
import { exampleDiagnostics } from '../example-results.js';

const { reliability } = exampleDiagnostics({ datasets: ['facts', 'other'], targets: ['tern', 'heron-chat'] });
const plain = { color: false, width: 100 };

test('a line per target with own base, vanilla and SupportCal of the smallest M: one block per bin, then the ECE', () => {
  const lines = reliabilityBars(reliability, 'facts', plain).split('\n');
  expect(lines).toHaveLength(5);
  expect(lines[1]).toMatch(/^ +Own base +Vanilla +SupportCal \(1\)$/);
  expect(lines[2]).toMatch(
    /^ tern {9}[·▁▂▃▄▅▆▇█]{10} +\d+\.\d\d {3}[·▁▂▃▄▅▆▇█]{10} +\d+\.\d\d {3}[·▁▂▃▄▅▆▇█]{10} +\d+\.\d\d$/,
  );
});

test('no line is wider than the terminal, the title with its meaning of colours included', () => {
  const lines = reliabilityBars(reliability, 'facts', { color: true, width: 80 }).split('\n');
  expect(lines.length).toBeGreaterThan(5);
  for (const line of lines) expect(stripVTControlCharacters(line).length).toBeLessThanOrEqual(80);
});

test('the height of a block is the accuracy of its bin, and an empty bin has none', () => {
  const accuracies = [null, 0, 0.12, 0.13, 0.5, 0.87, 0.88, 1];
  const bins = accuracies.map((accuracy, i) => ({
    lower: i / 8,
    upper: (i + 1) / 8,
    count: accuracy === null ? 0 : 5,
    accuracy,
    confidence: accuracy,
    overconfidence: accuracy === null ? null : 0,
  }));
  const row = { dataset: 'd', target: 't', method: 'vanilla', combinationSize: null, ece: 0.1, bins };
  expect(reliabilityBars([row], 'd', plain)).toContain('·▁▁▂▅▇██');
});

test('nothing is drawn where it would not fit or where nothing was measured', () => {
  expect(reliabilityBars(reliability, 'facts', { color: false, width: 60 })).toBe('');
  expect(reliabilityBars(reliability, 'unknown', plain)).toBe('');
});

test('control characters of a target do not reach the terminal', () => {
  const hostile = reliability.map((row) => ({ ...row, target: '\u001b[31mred\u0007' }));
  expect(reliabilityBars(hostile, 'facts', plain)).not.toMatch(/(?!\n)\p{Cc}/u);
});
