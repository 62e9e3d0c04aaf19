import { expect, test } from 'vitest';
import { downloadLines } from '../../../src/cli/terminal/download-lines.js';

test('tells the beginning, rate and time left now and then, and the end', () => {
  const lines: string[] = [];
  let clock = 0;
  const tell = downloadLines(
    (line) => lines.push(line),
    10_000,
    () => clock,
  );
  const step = (bytes: number, at: number) => {
    clock = at;
    tell({ file: 'o/r f.gguf', bytes, totalBytes: 100e6, resumedBytes: 20e6 });
  };
  step(20e6, 0);
  step(30e6, 5000);
  step(40e6, 10_000);
  step(41e6, 10_500);
  step(100e6, 40_000);
  expect(lines).toEqual([
    'downloading o/r f.gguf: 100.0 MB, of which 20.0 MB are here',
    'downloading o/r f.gguf: 40.0 MB of 100.0 MB, 2.0 MB/s, 30s left',
    'downloaded o/r f.gguf: 100.0 MB in 40s',
  ]);
});
