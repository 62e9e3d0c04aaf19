import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { wordProblems } from '../pipeline/demo-workspace.js';
import { quizWorkspace } from '../pipeline/quiz-workspace.js';

const root = path.resolve(import.meta.dirname, '../..');

/**
 * A stand-in for `sbatch`: reads the #SBATCH lines of a script as Slurm does, runs every element of its array here, one
 * after the other, the last one first, and a job with a dependency only when the job that it names has run.
 */
const SBATCH = `#!/bin/bash
set -u
dependency=""; script=""
for word in "$@"; do case "$word" in
  --parsable) ;;
  --dependency=afterany:*) dependency="\${word#--dependency=afterany:}" ;;
  -*) echo "sbatch: unknown option $word" >&2; exit 1 ;;
  *) script="$word" ;;
esac; done
id=$(( $(ls "$JOBS" | wc -l) + 100 ))
if [ -n "$dependency" ] && [ ! -e "$JOBS/$dependency" ]; then echo "sbatch: job $dependency has not run" >&2; exit 1; fi
array=$(sed -n 's/^#SBATCH --array=0-\\([0-9]*\\)$/\\1/p' "$script")
failed=0
if [ -n "$array" ]; then
  for (( n = array; n >= 0; n-- )); do
    SLURM_ARRAY_TASK_ID=$n bash "$script" > "$JOBS.$id.$n.log" 2>&1 || failed=1
  done
else
  bash "$script" > "$JOBS.$id.log" 2>&1 || failed=1
fi
echo "$failed" > "$JOBS/$id"
echo "$id;cluster"
`;

describe('supportcal slurm', () => {
  it('writes an array whose elements score the suite between them, and a last job that reports', async () => {
    const project = quizWorkspace(wordProblems(70));
    const bin = project.file('bin');
    const jobs = project.file('jobs');
    for (const folder of [bin, jobs]) mkdirSync(folder);
    writeFileSync(path.join(bin, 'sbatch'), SBATCH);
    chmodSync(path.join(bin, 'sbatch'), 0o755);
    const program = `${process.execPath} ${path.join(root, 'scripts/supportcal.mjs')}`;
    const line = '--partition=long';
    const written = await project.run('slurm', '--shards', '2', '--program', program, '--sbatch', line, '--json');
    expect(written.code).toBe(0);
    const { submit } = JSON.parse(written.stdout);
    const score = readFileSync(path.join(path.dirname(submit), 'score.sbatch'), 'utf8');
    expect(score).toMatch(/^#SBATCH --array=0-1$/m);
    expect(score).toMatch(/^#SBATCH --gres=gpu:1$/m);
    expect(score).toMatch(/^#SBATCH --partition=long$/m);
    const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, JOBS: jobs };
    const said = execFileSync('bash', [submit], { env, encoding: 'utf8' });
    expect(said).toBe('scoring: job 100, calibration and report after it: job 101\n');
    expect(['100', '101'].map((id) => readFileSync(path.join(jobs, id), 'utf8').trim())).toEqual(['0', '0']);
    const names = readdirSync(project.options.cache);
    expect(names.filter((name) => name.endsWith('.arrow'))).toHaveLength(3);
    expect(names.filter((name) => /\.parts$|\.lock$/.test(name))).toEqual([]);
    const results = JSON.parse(readFileSync(path.join(project.options.out, 'results.json'), 'utf8'));
    expect(results.status).toBe('complete');
    expect(readdirSync(project.options.out)).toContain('report.html');
  });

  it('quotes what a shell would read otherwise, and refuses an unknown suite and numbers that make no array', async () => {
    const project = quizWorkspace(wordProblems(3));
    const run = await project.run('slurm', '--shards', '2', '--dataset', "quiz'; rm -rf x", '--json');
    const score = readFileSync(path.join(path.dirname(JSON.parse(run.stdout).submit), 'score.sbatch'), 'utf8');
    expect(score).toContain(`--dataset 'quiz'\\''; rm -rf x'`);
    for (const shards of ['0', '-1', '2.5', 'many'])
      expect((await project.run('slurm', '--shards', shards)).code).toBe(2);
    const unknown = await project.run('slurm', '--shards', '2', '--suite', 'quizz', '--out', project.file('nowhere'));
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringMatching(/no suite "quizz"; known: s/)]);
    expect(existsSync(project.file('nowhere'))).toBe(false);
    expect((await project.run('score', '--shard', '2/2')).stderr).toContain('i from 0 to n - 1');
  });
});
