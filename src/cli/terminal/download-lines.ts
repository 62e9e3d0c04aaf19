import type { DownloadProgress } from '../../hub/hub-access.js';
import { duration } from './duration.js';
import { printable } from './log.js';

/**
 * Says of each download when it begins, now and then how far it is, with rate and time left, and when it is done.
 *
 * @param everyMs pause between two lines of one file
 * @param now milliseconds of a clock
 */
export function downloadLines(
  print: (line: string) => void,
  everyMs: number,
  now: () => number = Date.now,
): (progress: DownloadProgress) => void {
  const files = new Map<string, { began: number; from: number; told: number; done: boolean }>();
  return ({ file, bytes, totalBytes, resumedBytes }) => {
    const name = printable(file);
    const known = files.get(file);
    if (known === undefined) {
      files.set(file, { began: now(), from: resumedBytes, told: now(), done: false });
      const kept = resumedBytes > 0 ? `, of which ${megabytes(resumedBytes)} are here` : '';
      print(`downloading ${name}: ${megabytes(totalBytes)}${kept}`);
      return;
    }
    const seconds = Math.max(0.001, (now() - known.began) / 1000);
    if (bytes >= totalBytes && !known.done) {
      known.done = true;
      print(`downloaded ${name}: ${megabytes(totalBytes)} in ${duration(seconds)}`);
    } else if (bytes < totalBytes && now() - known.told >= everyMs) {
      known.told = now();
      const rate = Math.max(0, bytes - known.from) / seconds;
      const left = rate === 0 ? '?' : duration((totalBytes - bytes) / rate);
      print(`downloading ${name}: ${megabytes(bytes)} of ${megabytes(totalBytes)}, ${megabytes(rate)}/s, ${left} left`);
    }
  };
}

function megabytes(bytes: number): string {
  return bytes < 1e6
    ? `${(bytes / 1e3).toFixed(1)} kB`
    : bytes < 1e9
      ? `${(bytes / 1e6).toFixed(1)} MB`
      : `${(bytes / 1e9).toFixed(2)} GB`;
}
