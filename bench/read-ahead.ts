/**
 * What reading the next model's file ahead saves: seconds to read a file of that size from the disk, and again once it
 * stands in the page cache, which is where `readAhead` puts it while the last rows of the current model are scored.
 *
 *   npx tsx bench/read-ahead.ts [MiB=1024] [folder]
 *
 * The page cache is emptied of the file with dd (GNU coreutils). On a disk that is itself cached by its host the first
 * number is too good.
 */
import { execFileSync } from 'node:child_process';
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFile } from '../src/scoring/memory/read-ahead.js';
import { median, write } from './measure.js';

const [size = '1024', place = tmpdir()] = process.argv.slice(2);
const folder = mkdtempSync(join(place, 'read-ahead-'));
const path = join(folder, 'model');
try {
  fill(Number(size));
  const cold: number[] = [];
  const warm: number[] = [];
  for (let round = 0; round < 3; round++) {
    execFileSync('dd', [`of=${path}`, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0'], { stdio: 'ignore' });
    cold.push(await seconds());
    warm.push(await seconds());
  }
  write(`${size} MiB: first reading ${median(cold).toFixed(2)} s, read ahead ${median(warm).toFixed(2)} s`);
} finally {
  rmSync(folder, { recursive: true });
}

function fill(mebibytes: number): void {
  const file = openSync(path, 'w');
  const block = Buffer.alloc(2 ** 20, 'model');
  for (let n = 0; n < mebibytes; n++) writeSync(file, block);
  fsyncSync(file);
  closeSync(file);
}

async function seconds(): Promise<number> {
  const started = performance.now();
  await readFile(path);
  return (performance.now() - started) / 1000;
}
