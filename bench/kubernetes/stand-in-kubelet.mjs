/*
 * Runs the pods of a cluster that has an API server and a job controller but no nodes: every pod is bound to a node
 * that does not exist, and its one container becomes a process of this machine, in the folder that stands for its
 * volume. What a kubelet would tell the API server is told by `kubectl`: running, and how it ended. A pod that is
 * deleted gets SIGTERM first.
 *
 *   node bench/kubernetes/stand-in-kubelet.mjs FOLDER_OF_THE_VOLUME FOLDER_OF_LOGS    until it is ended by SIGTERM
 */
import { execFileSync, spawn } from 'node:child_process';
import { openSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const [volume, logs] = process.argv.slice(2);
/** The process of each pod by its name; null when it is over. */
const processes = new Map();

const kubectl = (args, input) =>
  execFileSync('kubectl', args, { encoding: 'utf8', input, stdio: ['pipe', 'pipe', 'inherit'] });
const setStatus = (name, status) =>
  kubectl(['patch', 'pod', name, '--subresource=status', '--type=merge', '-p', JSON.stringify({ status })]);

for (;;) {
  const { items } = JSON.parse(kubectl(['get', 'pods', '-o', 'json']));
  for (const pod of items) look(pod);
  await new Promise((resolve) => setTimeout(resolve, 1000));
}

function look({ metadata, spec, status }) {
  const { name, namespace, deletionTimestamp } = metadata;
  if (deletionTimestamp !== undefined) return remove(name);
  if (processes.has(name) || status.phase !== 'Pending') return;
  const binding = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name },
    target: { kind: 'Node', name: 'this-machine' },
  };
  kubectl(
    ['create', '--raw', `/api/v1/namespaces/${namespace}/pods/${name}/binding`, '-f', '-'],
    JSON.stringify(binding),
  );
  start(metadata, spec.containers[0]);
}

function start(metadata, container) {
  const { name } = metadata;
  const { command = [], args = [], env = [], workingDir = '/', volumeMounts = [] } = container;
  const mount = volumeMounts.find(({ mountPath }) => `${workingDir}/`.startsWith(`${mountPath}/`));
  const cwd = mount === undefined ? volume : path.join(volume, path.relative(mount.mountPath, workingDir));
  const given = env.map(({ name: variable, value, valueFrom }) => [variable, value ?? fieldOf(metadata, valueFrom)]);
  const log = openSync(path.join(logs, `${name}.log`), 'a');
  const child = spawn(command[0], [...command.slice(1), ...args], {
    cwd,
    detached: true,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...Object.fromEntries(given) },
    stdio: ['ignore', log, log],
  });
  processes.set(name, child);
  writeFileSync(path.join(logs, `${name}.pid`), String(child.pid));
  setStatus(name, { phase: 'Running', startTime: new Date().toISOString() });
  child.once('exit', (code, signal) => {
    processes.set(name, null);
    const exitCode = code ?? 128 + (signal === 'SIGKILL' ? 9 : 15);
    const terminated = { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' };
    const ended = { name: container.name, image: container.image, imageID: '', ready: false, restartCount: 0 };
    try {
      setStatus(name, {
        phase: exitCode === 0 ? 'Succeeded' : 'Failed',
        containerStatuses: [{ ...ended, state: { terminated } }],
      });
    } catch {
      // It was deleted meanwhile.
    }
  });
}

/** A label or an annotation, as a variable of the job controller's names them. */
function fieldOf(metadata, valueFrom) {
  const field = valueFrom?.fieldRef?.fieldPath ?? '';
  const [, kind, key] = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(field) ?? [];
  const value = metadata[kind]?.[key];
  if (value === undefined) throw new Error(`a variable from ${JSON.stringify(valueFrom)}`);
  return value;
}

/** All processes of a pod are told to end; once they have, the pod is gone. */
function remove(name) {
  const child = processes.get(name);
  if (child?.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
  else kubectl(['delete', 'pod', name, '--grace-period=0', '--force', '--ignore-not-found', '--wait=false']);
}
