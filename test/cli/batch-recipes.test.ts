import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder } from '../files/temporary-folder.js';
import { run } from './fake-io.js';

const docs = path.resolve(import.meta.dirname, '../../docs/batch');
const recipe = (name: string) => parse(readFileSync(path.join(docs, name), 'utf8'));

/** Runs a command of a recipe as its node would, and returns the arguments that `supportcal` got. */
function argumentsOf(command: readonly string[], env: Record<string, string>): string[] {
  const bin = path.join(temporaryFolder(), 'bin');
  mkdirSync(bin);
  writeFileSync(path.join(bin, 'supportcal'), '#!/bin/bash\nprintf "%s\\n" "$@"\n');
  chmodSync(path.join(bin, 'supportcal'), 0o755);
  const [file = '', ...rest] = command;
  const all = { PATH: `${bin}:${process.env.PATH}`, ...env };
  return execFileSync(file, rest, { env: all, encoding: 'utf8' }).trim().split('\n');
}

/** The command line must know every flag: it fails for want of a project, not of a flag. */
async function expectKnownFlags(words: readonly string[]): Promise<void> {
  const end = await run([...words, '--models', path.join(temporaryFolder(), 'none.yaml'), '--json']);
  expect([end.code, JSON.parse(end.stdout).error.code]).toEqual([3, 'missing-file']);
}

it('the indexed job of Kubernetes scores the shard of each index, all of them once', async () => {
  const { apiVersion, kind, spec } = recipe('kubernetes-job.yaml');
  expect([apiVersion, kind, spec.completionMode]).toEqual(['batch/v1', 'Job', 'Indexed']);
  const [container] = spec.template.spec.containers;
  const volumes = spec.template.spec.volumes.map(({ name }: { name: string }) => name);
  for (const { name } of container.volumeMounts) expect(volumes).toContain(name);
  const env = Object.fromEntries(container.env.map(({ name, value }: Record<string, string>) => [name, value]));
  const words = Array.from({ length: spec.completions }, (_, index) =>
    argumentsOf([...container.command, ...container.args], { ...env, JOB_COMPLETION_INDEX: String(index) }),
  );
  expect(words.map((each) => each[each.indexOf('--shard') + 1])).toEqual(
    Array.from({ length: spec.completions }, (_, index) => `${index}/${spec.completions}`),
  );
  await expectKnownFlags(words[0] ?? []);
});

it('the nodes of SkyPilot score the shard of their rank', async () => {
  const { num_nodes: nodes, envs, run: script } = recipe('skypilot.yaml');
  const words = Array.from({ length: nodes }, (_, rank) =>
    argumentsOf(['bash', '-c', script], {
      ...envs,
      SKYPILOT_NODE_RANK: String(rank),
      SKYPILOT_NUM_NODES: String(nodes),
    }),
  );
  expect(words.map((each) => each[each.indexOf('--shard') + 1])).toEqual(
    Array.from({ length: nodes }, (_, rank) => `${rank}/${nodes}`),
  );
  await expectKnownFlags(words[0] ?? []);
});
