/**
 * Preloaded (`node --import`) into a run: counts the operations that change files of the cache folder and, at the one
 * asked for, kills the whole process group, in the middle of a write after half of it. Without a number it only counts.
 * KILL_CACHE: the folder; KILL_AT: the number, from 1; KILL_COUNT: file that gets the count when the run ends;
 * KILL_ROWS: file that gets a line `<model> <rows>` for every batch that a worker begins to evaluate.
 */
import childProcess from 'node:child_process';
import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const { KILL_CACHE: cache, KILL_AT: at, KILL_COUNT: countFile, KILL_ROWS: rowsFile } = process.env;
// A worker inherits the environment; it writes nothing there.
if (cache !== undefined && process.send === undefined) install();

function install() {
  let count = 0;
  const step = (path, half) => {
    if (!String(path).startsWith(cache)) return;
    count++;
    if (count !== Number(at)) return;
    half?.();
    process.kill(0, 'SIGKILL');
  };
  const { open, rename, rm, mkdir } = promises;
  promises.rename = (from, to) => {
    step(to);
    return rename(from, to);
  };
  promises.rm = (path, ...rest) => {
    step(path);
    return rm(path, ...rest);
  };
  promises.mkdir = (path, ...rest) => {
    step(path);
    return mkdir(path, ...rest);
  };
  promises.open = async (path, ...rest) => {
    step(path);
    const handle = await open(path, ...rest);
    if (rest[0] !== 'wx') return handle;
    const { writeFile, sync } = handle;
    handle.writeFile = (data) => {
      const bytes = Buffer.from(data);
      step(path, () => fs.writeSync(handle.fd, bytes.subarray(0, bytes.length >> 1)));
      return writeFile.call(handle, data);
    };
    handle.sync = () => {
      step(path);
      return sync.call(handle);
    };
    return handle;
  };
  const { fork } = childProcess;
  childProcess.fork = (...args) => {
    const child = fork(...args);
    const { send } = child;
    let model;
    child.send = (message, ...more) => {
      if (message.kind === 'load') model = message.plan.model;
      return send.call(child, message, ...more);
    };
    child.on('message', (message) => {
      if (message.kind === 'batch' && rowsFile) fs.appendFileSync(rowsFile, `${model} ${message.ids.length}\n`);
    });
    return child;
  };
  syncBuiltinESMExports();
  process.on('exit', () => {
    if (countFile) fs.writeFileSync(countFile, String(count));
  });
}
