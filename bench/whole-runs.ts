/**
 * How long whole runs of `supportcal score` take beside what was said of them: by `doctor` before, where neither
 * scores nor hashes are kept, and by the overview of the run itself.
 *
 *   npx tsx bench/whole-runs.ts MODEL.gguf[,MODEL.gguf ...] [questions=48,500] [demo questions in one=1] [rounds=1]
 *     [probe]
 *   npx tsx bench/whole-runs.ts tokens DATA.jsonl MODEL_OR_VOCABULARY.gguf ...
 *
 * Each model is scored on each number of questions, in a project and a cache of its own, as base and target of a
 * suite (one file under two ids is scored once). With `probe` it is `doctor --probe` that says how long. On a quiet
 * machine the clock counts. On a busy one keep the command to one core (`taskset -c 0 npx tsx ...`): estimates are
 * then those of one core, and CPU seconds stand for the clock. Build first (`node scripts/build.mjs`), or the
 * TypeScript compiler is timed too.
 *
 * The second form compares the tokens of questions that are estimated without a vocabulary with those of some.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { backend } from '../src/engine/llama/llama-backend.js';
import { tokenDensity } from '../src/pipeline/estimate/token-density.js';
import { demoPrompts } from './demo-prompts.js';
import { cpuSecondsOfAll, write } from './measure.js';
import { questionProject } from './question-project.js';

const [first = '', ...given] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'whole-runs-'));
if (first === 'tokens') await compareTokens(given[0] ?? '', given.slice(1));
else wholeRuns(first.split(','), given);
rmSync(folder, { recursive: true });

function wholeRuns(
  models: readonly string[],
  [counts = '48,500', perPrompt = '1', rounds = '1', probe]: string[],
): void {
  const probing = probe === 'probe' ? ['--probe'] : [];
  const doctor = ['doctor', ...probing].join(' ');
  write(`${availableParallelism()} core(s); seconds: said by ${doctor}, by the run, taken by the clock, of processors`);
  for (const count of counts.split(','))
    for (const model of models)
      for (let round = 0; round < Number(rounds); round++) {
        const place = mkdtempSync(join(folder, 'project-'));
        // Rows of one text would be one row.
        const questions = demoPrompts(Number(count), Number(perPrompt)).map(({ id, text }, n) => ({
          id,
          text: `${n} ${text}`,
        }));
        const flags = questionProject(place, questions, { base: resolve(model), target: resolve(model) });
        const said =
          3600 * (JSON.parse(supportcal(flags, 'doctor', '--json', ...probing).stdout) as Doctor).estimate.hours;
        const [began, cpu] = [performance.now(), cpuSecondsOfAll([])];
        const { stderr } = supportcal(flags, 'score');
        const [clock, taken] = [(performance.now() - began) / 1000, cpuSecondsOfAll([]) - cpu];
        const overview = /: about (.*) by the weights/.exec(stderr)?.[1] ?? '?';
        const ratio = (of: number) => (said / of).toFixed(2);
        write(
          `${basename(model, '.gguf').padEnd(12)} ${count.padStart(5)} questions | ${said.toFixed(1)}, ${overview}, ` +
            `${clock.toFixed(1)}, ${taken.toFixed(1)} | said / clock ${ratio(clock)}, said / processors ${ratio(taken)}`,
        );
        rmSync(place, { recursive: true });
      }
}

interface Doctor {
  readonly estimate: { readonly hours: number };
}

function supportcal(flags: readonly string[], ...command: readonly string[]) {
  const args = [resolve('scripts/supportcal.mjs'), ...command, ...flags];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`supportcal ${command.join(' ')} ended with ${status}: ${stderr}${stdout}`);
  return { stdout, stderr };
}

async function compareTokens(file: string, models: readonly string[]): Promise<void> {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const texts = lines.map((line) =>
    Object.values(JSON.parse(line) as object)
      .flat()
      .join('\n'),
  );
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  for (const modelPath of models) {
    const request = {
      modelPath: resolve(modelPath),
      device: 'cpu',
      threads: 1,
      vocabOnly: true,
      onLog: () => {},
    } as const;
    const { tokenize, close, info } = await backend.load(request);
    const tokens = texts.reduce((sum, text) => sum + tokenize(text).length, 0);
    await close();
    const ratio = (vocabulary: number) => ((tokenDensity(texts, vocabulary) * characters) / tokens).toFixed(2);
    write(
      `${basename(modelPath)} (${info.preTokenizer}) | ${tokens} tokens | estimated ${ratio(100_000)}, as of less than 100k ${ratio(50_000)}`,
    );
  }
}
