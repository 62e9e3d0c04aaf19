import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { arrowFiles, pacedScorer, sharedRun } from '../test/pipeline/score/shared-runs.js';
import { projectOptions, writeProject } from './shared-work-project.js';
import { type Guest, startGuest } from './two-hosts/guest.js';

/**
 * Runs on hosts that share a cache folder over NFS, each host a Linux kernel of its own: a server (the kernel's nfsd on
 * ext4) and two clients, of which the second has a clock that is five minutes ahead. A scorer that sleeps stands in
 * for a model. Needs root, and the packages that bench/two-hosts/make-guest.sh names.
 *
 *   node --import tsx bench/two-hosts.ts FOLDER [rows 240] [milliseconds a batch of 8 rows 500] [what] [NFS 4.2]
 *
 * What happens, by commas, default all. `both`: the hosts divide the suite. `cut`: the first host vanishes after a
 * third of it. `frozen`: it stands still for 50 s, `stopped`: its run does. `lock`: it holds a lock, for which the
 * other waits, for 100 s, and then its process stops. `pipeline`: both run it on the demo's models, as `dist` has it.
 * Ends with 1 when bytes are not those of one process here, or a row was scored twice that no failure cost.
 */
const [work = '', rows = '240', pause = '500', what = 'both,cut,frozen,stopped,lock,pipeline', version = '4.2'] =
  process.argv.slice(2);
const checkout = path.resolve(import.meta.dirname, '..');
const SHARE = '/mnt/shared';
const TOTAL = 4 * Number(rows);
const FROZEN_MS = 50_000;
const LOCKED_S = 100;

/** How a run on a host ended. */
type End = { readonly rows: number } | { readonly fault: string };

async function reference(): Promise<Record<string, string>> {
  const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-two-hosts-'));
  writeProject(folder, Number(rows));
  const cache = path.join(folder, 'cache');
  await sharedRun(projectOptions(folder, cache), pacedScorer({ batch: 8, pause: async () => {} }).scorer);
  const files = arrowFiles(cache);
  rmSync(folder, { recursive: true });
  return files;
}

function makeDisk(): string {
  const content = path.join(work, 'content');
  const disk = path.join(work, 'disk.img');
  rmSync(content, { recursive: true, force: true });
  rmSync(disk, { force: true });
  mkdirSync(content);
  writeProject(content, Number(rows));
  execFileSync('mke2fs', ['-q', '-t', 'ext4', '-d', content, disk, '512M']);
  return disk;
}

/** Starts a run on a host; `end` comes when it has printed its share or a fault. */
function startRun(host: Guest, cache: string): { readonly begun: Promise<void>; readonly end: Promise<End> } {
  let begin: () => void = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const options = JSON.stringify(projectOptions(SHARE, `${SHARE}/${cache}`));
  const child = `node --import tsx bench/shared-work-child.ts '${options}' ${pause}`;
  const end = new Promise<End>((resolve) => {
    const said: string[] = [];
    host.start(`${cache}-${host.name}`, `(echo go | ${child}); echo "ended $?"`, (line) => {
      if (line === 'ready') begin();
      said.push(line);
      if (!line.startsWith('ended ')) return;
      const share = said.find((each) => each.startsWith('{'));
      resolve(share === undefined ? { fault: said.slice(0, -1).join(' | ') } : { rows: JSON.parse(share).rows });
    });
  });
  return { begun, end };
}

const guest = (
  name: string,
  role: 'server' | 'client',
  address: number,
  more: { clock?: number; disk?: string } = {},
) => startGuest({ work: path.resolve(work), checkout, name, role, address, port: 7717, ...more });

async function client(address: number, clock: number): Promise<Guest> {
  const host = await guest(`host${address}`, 'client', address, { clock });
  const options = version === '3' ? 'vers=3,nolock' : `vers=${version}`;
  await host.run(`mount.nfs 10.7.0.1:${version === '3' ? '/mnt/export' : '/'} ${SHARE} -o ${options}`);
  return host;
}

const rowsOf = (end: End) => ('rows' in end ? end.rows : 0);
const told = (end: End) => ('rows' in end ? `${end.rows} rows` : `ended with: ${end.fault}`);

const alone = await reference();
const server = await guest('server', 'server', 1, { disk: makeDisk() });
const hosts: Guest[] = [];
let wrong = 0;

async function check(name: string, seconds: number, ends: readonly End[], lost: number): Promise<void> {
  const listed = await server.run(`cd /mnt/export/cache-${name} && sha256sum *.arrow; ls -A`);
  const files = Object.fromEntries(
    [...listed.matchAll(/^([0-9a-f]{64}) {2}(.+)$/gm)].map(([, hash, file]) => [file, hash]),
  );
  const equal = JSON.stringify(files) === JSON.stringify(alone);
  const left = listed.split('\n').filter((file) => /lock|owner|parts|tmp|\.nfs/.test(file));
  const scored = ends.reduce((sum, end) => sum + rowsOf(end), 0);
  const twice = scored - TOTAL;
  if (!equal || left.length > 0 || twice > lost) wrong++;
  const bytes = equal ? 'bytes of one process' : `OTHER BYTES ${JSON.stringify(files)}`;
  const rest = left.length === 0 ? '' : `; LEFT: ${left.join(' ')}`;
  const more = twice > lost ? `; ${twice} ROWS TWICE` : '';
  process.stdout.write(`${name}: ${seconds.toFixed(0)} s; ${ends.map(told).join('; ')}; ${bytes}${rest}${more}\n`);
}

async function played(name: string): Promise<void> {
  hosts.push(...(await Promise.all([client(2, 0), client(3, 300)])));
  const [first, second] = hosts as [Guest, Guest];
  if (name === 'lock') await playLock(first, second);
  else if (name === 'pipeline') await playPipeline(first, second);
  else await playRuns(name, first, second);
  for (const host of hosts.splice(0)) await host.cut();
}

/**
 * The second host must wait as long as the first one holds the lock, however old its signs of life look there; once the
 * first one was stopped and has lost it, it must know that at its first look, not when its client looks again.
 */
async function playLock(first: Guest, second: Guest): Promise<void> {
  const hold = (host: Guest, seconds: number) => {
    const begun = performance.now();
    const said: [number, string][] = [];
    const waiting = new Map<string, () => void>();
    const command = `node --import tsx bench/two-hosts/hold-lock.ts ${SHARE}/entry ${seconds}`;
    host.start(`lock-${host.name}`, command, (line) => {
      said.push([(performance.now() - begun) / 1000, line]);
      waiting.get(line.split(' ')[0] ?? '')?.();
    });
    const when = (word: string) => new Promise<void>((resolve) => void waiting.set(word, resolve));
    return { when, said };
  };
  const holder = hold(first, 1000);
  await holder.when('taken');
  const waiter = hold(second, 60);
  await waiter.when('waits');
  await sleep(LOCKED_S * 1000);
  const early = waiter.said.some(([, line]) => line === 'taken');
  await first.run('pkill -STOP -f hold-lock');
  const stopped = performance.now();
  await waiter.when('taken');
  const seconds = (performance.now() - stopped) / 1000;
  await sleep(15_000);
  const lost = holder.when('lost');
  await first.run('pkill -CONT -f hold-lock');
  const goesOn = performance.now();
  await lost;
  const late = (performance.now() - goesOn) / 1000;
  if (early || late > 3) wrong++;
  const taken = early ? 'TAKEN WHILE HELD' : `taken over after ${seconds.toFixed(0)} s`;
  process.stdout.write(`lock: ${taken}; the stopped process knew it after ${late.toFixed(1)} s\n`);
}

/** The demo's models score and calibrate on both hosts; scores and results must be those of one process here. */
async function playPipeline(first: Guest, second: Guest): Promise<void> {
  const command = (folder: string, out: string) =>
    `node ${checkout}/dist/main.js pipeline --suite demo --limit 24 --gpu off --quiet --cache ${folder}/demo --out ${out}`;
  const local = mkdtempSync(path.join(tmpdir(), 'supportcal-two-hosts-'));
  execFileSync('sh', ['-c', command(local, `${local}/out`)], { cwd: checkout, stdio: 'inherit' });
  const start = performance.now();
  const both = [first, second].map((host) => host.run(command(SHARE, `${SHARE}/out-${host.name}`)));
  const said = await Promise.all(both.map((end) => end.catch((error: Error) => error.message)));
  const seconds = (performance.now() - start) / 1000;
  const hashes = `cd demo && sha256sum *.arrow; cd ..; for out in out*; do node -e '
    const { runs, summary } = JSON.parse(require("fs").readFileSync(process.argv[1] + "/results.json"));
    console.log(require("crypto").createHash("sha256").update(JSON.stringify({ runs, summary })).digest("hex"))' $out; done`;
  const here = execFileSync('sh', ['-c', `cd ${local}; ${hashes}`], { encoding: 'utf8' })
    .trim()
    .split('\n');
  const there = (await first.run(`cd ${SHARE}; ${hashes}`)).split('\n').map((line) => line.trim());
  const results = there.splice(here.length - 1);
  const equal =
    here.slice(0, -1).every((line, n) => line === there[n]) && results.every((hash) => hash === here.at(-1));
  if (!equal || results.length !== 2) wrong++;
  const outcome = equal ? 'scores and results of one process' : `OTHERS: ${[...there, ...results].join(' ')}`;
  process.stdout.write(`pipeline: ${seconds.toFixed(0)} s; ${outcome}; ${said.join(' ')}\n`);
  rmSync(local, { recursive: true });
}

async function playRuns(name: string, first: Guest, second: Guest): Promise<void> {
  const runs = [startRun(first, `cache-${name}`), startRun(second, `cache-${name}`)] as const;
  await Promise.all(runs.map(({ begun }) => begun));
  const start = performance.now();
  const ends: Promise<End>[] = runs.map(({ end }) => end);
  if (name !== 'both') {
    await sleep((TOTAL / 8 / 2 / 3) * Number(pause));
    if (name === 'cut') {
      await first.cut();
      ends[0] = Promise.resolve({ fault: 'cut' });
    } else {
      await (name === 'frozen' ? first.freeze() : first.run('pkill -STOP -f shared-work-child'));
      await sleep(FROZEN_MS);
      await (name === 'frozen' ? first.thaw() : first.run('pkill -CONT -f shared-work-child'));
    }
  }
  const all = await Promise.all(ends);
  await check(name, (performance.now() - start) / 1000, all, name === 'both' ? 0 : TOTAL);
}

try {
  for (const name of what.split(',')) await played(name);
} finally {
  for (const host of [...hosts, server]) await host.cut();
  rmSync(path.join(work, 'disk.img'), { force: true });
  rmSync(path.join(work, 'content'), { recursive: true, force: true });
}
process.exitCode = wrong === 0 ? 0 : 1;
