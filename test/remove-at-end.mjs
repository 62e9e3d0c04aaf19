/**
 * `node remove-at-end.mjs FOLDER...`: removes folders when its input ends, as it does with the process that started it,
 * in whatever way that one ended. Its workers may write for some seconds longer, which makes folders anew, and leave a
 * file system mounted: it is done several times.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';

const folders = process.argv.slice(2);

process.stdin.resume().on('end', () => {
  for (const seconds of [0, 1, 3, 10]) setTimeout(removeAll, seconds * 1000);
});

function removeAll() {
  for (const folder of folders) {
    try {
      unmountIn(folder);
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // Tried again.
    }
  }
}

function unmountIn(folder) {
  if (process.platform !== 'linux') return;
  for (const line of readFileSync('/proc/self/mounts', 'utf8').split('\n')) {
    const place = line.split(' ')[1]?.replaceAll('\\040', ' ');
    if (place?.startsWith(`${folder}/`)) execFileSync('umount', ['-l', place], { stdio: 'ignore' });
  }
}
