/**
 * Scoring files of real size on a CPU beside a plain loop of one forward pass per question, on the same library and
 * with the same number of threads.
 *
 *   npx tsx bench/real-files.ts PLAIN_LOOP MODEL.gguf[,MODEL.gguf ...] [rows=32] [rounds=2] [questions=1]
 *     [shared words=0] [threads=1] [LLAMA_BENCH]
 *   npx tsx bench/real-files.ts PLAIN_LOOP BASE.gguf,TARGET.gguf score [rows=100] [rounds=2] [questions=1]
 *   npx tsx bench/real-files.ts PLAIN_LOOP FOLDER table [LLAMA_BENCH] [minutes=11]
 *
 * PLAIN_LOOP is the program of `plain-loop.cpp`. Both take turns, as processes of their own. Other load on a machine
 * moves the clock and hardly the processor time, so that with one thread the ratios are those of CPU seconds; the
 * clock's stand beside them. A ratio under 1 says that scoring is faster; it is the median over rounds, with quartiles
 * from four on: three rounds are off by up to 2 %, twelve by half a percent. `questions` puts that many questions into
 * one prompt, `shared words` so many words before each, the same in all. Scoring takes the build of `supportcal
 * setup-cpu` where there is one: link PLAIN_LOOP and take LLAMA_BENCH of that build too, or say
 * SUPPORTCAL_BUILD=prebuilt.
 *
 * The first form times evaluation alone: `scoreModels` from its first rows on, and the loop after its load. The second
 * one times `supportcal score` of two models, from the start of the command to its end, against one loop after the
 * other, with a thread a core. The third one is for a quiet machine: it goes through files of FOLDER (135m, 270m and
 * 0.5b in several types), lengths, a shared beginning, and one and two threads, prints a line for each, and stops in
 * time, the most telling lines first.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { ExamplePrompt } from '../src/contract/prompt.js';
import type { ModelRow } from '../src/contract/scored-row.js';
import { backend } from '../src/engine/llama/llama-backend.js';
import { scoreModels } from '../src/scoring/score-models.js';
import { demoPrompts } from './demo-prompts.js';
import { cpuSecondsOfAll, median, write } from './measure.js';
import { questionProject } from './question-project.js';

/** Seconds by the clock and of the processors, and the tokens they were for. */
interface Times {
  readonly wall: number;
  readonly cpu: number;
  readonly tokens: number;
}

/** What is evaluated beside a loop. */
interface Cell {
  readonly modelPath: string;
  readonly prompts: readonly ExamplePrompt[];
  readonly threads: number;
  readonly rounds: number;
  readonly llamaBench?: string | undefined;
}

const [plainLoop = '', models = '', ...given] = process.argv.slice(2);
const table = given[0] === 'table';
const whole = given[0] === 'score';
const [rowCount = whole ? '100' : '32', roundCount = '2', questions = '1', words = '0', threadCount = '1', llamaBench] =
  whole ? given.slice(1) : given;
const threads = whole ? availableParallelism() : Number(threadCount);
const prompts = table ? [] : promptsOf(Number(rowCount), Number(questions), Number(words));
const paths = models.split(',').map((each) => resolve(each));
const folder = mkdtempSync(join(tmpdir(), 'real-files-'));
const rounds = Number(roundCount);
if (table) await allCells(resolve(models), given[1], Number(given[2] ?? 11));
else if (whole) await commandBesideLoops();
else for (const modelPath of paths) await evaluationBesideLoop({ modelPath, prompts, threads, rounds, llamaBench });
rmSync(folder, { recursive: true });

function promptsOf(rows: number, perPrompt: number, sharedWords: number): ExamplePrompt[] {
  const shared = Array.from({ length: sharedWords }, (_, n) => `word${n % 7}`).join(' ');
  return demoPrompts(rows, perPrompt).map((prompt): ExamplePrompt => {
    return shared === '' ? prompt : { ...prompt, text: `${shared}\n${prompt.text}` };
  });
}

/** Every combination that a claim rests on; rows are as many as a loop of some six seconds has. */
async function allCells(from: string, bench: string | undefined, minutes: number): Promise<void> {
  const ends = performance.now() + minutes * 60_000;
  const rowsOf = (name: string, tokens: number) =>
    Math.max(6, Math.round((name.startsWith('0.5b') ? 500 : name.endsWith('F16') ? 900 : 1600) / tokens));
  const cells: { name: string; questions: number; tokens: number; words: number; threads: number }[] = [];
  const add = (names: readonly string[], lengths: readonly number[], threads: number) => {
    for (const count of lengths)
      for (const name of names) cells.push({ name, questions: count, tokens: 36 * count, words: 0, threads });
  };
  const main = ['135m-Q4_K_M', '270m-Q4_K_M', '0.5b-Q4_K_M'];
  add(main, [1, 3], 1);
  add(main, [1, 3], 2);
  add(['135m-Q8_0', '270m-Q8_0', '0.5b-Q8_0', '135m-F16', '270m-F16', '135m-Q4_1'], [3], 1);
  for (const threads of [1, 2])
    for (const name of main) cells.push({ name, questions: 1, tokens: 236, words: 200, threads });
  add(main, [14], 1);
  add(main, [14], 2);
  for (const { name, questions: count, tokens, words: before, threads } of cells) {
    if (performance.now() > ends) return write(`stopped after ${minutes} minutes`);
    const rows = threads * rowsOf(name, tokens);
    await evaluationBesideLoop({
      modelPath: join(from, `${name}.gguf`),
      prompts: promptsOf(rows, count, before),
      threads,
      rounds: 1,
      llamaBench: before === 0 && count === 3 ? bench : undefined,
    });
  }
}

async function evaluationBesideLoop({ modelPath, prompts, threads, rounds, llamaBench }: Cell): Promise<void> {
  const ids = await tokenIds(modelPath, prompts);
  const lengths = ids.map((each) => each.length);
  const benched = (flash: boolean) =>
    llamaBench === undefined ? [] : [async () => byLlamaBench(llamaBench, modelPath, { lengths, threads, flash })];
  const [loops = [], scorings = [], plain, flash] = await inTurns(rounds, [
    async () => loop(modelPath, ids, threads).evaluation,
    () => scoring(modelPath, prompts, threads),
    ...benched(false),
    ...benched(true),
  ]);
  const length = Math.round(lengths.reduce((sum, each) => sum + each, 0) / ids.length);
  const rate = (all: readonly Times[]) => median(all.map(({ tokens, cpu }) => tokens / cpu)).toFixed(0);
  const line = [
    basename(modelPath, '.gguf').padEnd(12),
    `${ids.length} x ${length} tokens, ${threads} thread(s)`,
    `plain loop ${rate(loops)}, scoring ${rate(scorings)} tokens a CPU second`,
    `scoring / plain ${ratios(scorings, loops)}`,
    ...(plain === undefined || flash === undefined
      ? []
      : [
          `by the clock of llama-bench's time: scoring ${ratio('wall', scorings, flash)}`,
          `without flash attention: scoring ${ratio('wall', scorings, plain)}`,
          `plain loop ${ratio('wall', loops, plain)}`,
        ]),
  ];
  write(line.join(' | '));
}

async function commandBesideLoops(): Promise<void> {
  const ids = await Promise.all(paths.map((each) => tokenIds(each, prompts)));
  const both = async () => {
    const each = paths.map((modelPath, n) => loop(modelPath, ids[n]!, threads).whole);
    const sum = (key: keyof Times) => each.reduce((total, times) => total + times[key], 0);
    return { wall: sum('wall'), cpu: sum('cpu'), tokens: sum('tokens') };
  };
  const tokens = ids.flat(2).length;
  const [loops = [], scores = []] = await inTurns(rounds, [both, async () => ({ ...command(), tokens })]);
  const seconds = (all: readonly Times[]) =>
    `${median(all.map(({ cpu }) => cpu)).toFixed(1)} CPU s, ${median(all.map(({ wall }) => wall)).toFixed(1)} s`;
  write(`${paths.map((each) => basename(each, '.gguf')).join(' + ')} | ${prompts.length} rows, ${threads} thread(s)`);
  write(`plain loops ${seconds(loops)} | score ${seconds(scores)} | score / plain ${ratios(scores, loops)}`);
}

/** All of them as often as there are rounds, in the other order in every other round. */
async function inTurns(count: number, ways: readonly (() => Promise<Times>)[]): Promise<Times[][]> {
  const times = ways.map((): Times[] => []);
  for (let round = 0; round < count; round++) {
    const turns = ways.map((way, n) => async () => times[n]!.push(await way()));
    for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn();
  }
  return times;
}

function ratios(scorings: readonly Times[], loops: readonly Times[]): string {
  return `${ratio('cpu', scorings, loops)} CPU, ${ratio('wall', scorings, loops)} clock`;
}

/**
 * Time of `some` over that of `others`, per token: the median over rounds, each of which stands beside its own, with
 * the quartiles behind it.
 */
function ratio(seconds: 'cpu' | 'wall', some: readonly Times[], others: readonly Times[]): string {
  const each = (times: Times) => times[seconds] / times.tokens;
  const all = some.map((times, n) => each(times) / each(others[n]!)).sort((a, b) => a - b);
  const at = (part: number) => all[Math.round(part * (all.length - 1))]!.toFixed(3);
  return median(all).toFixed(3) + (all.length < 4 ? '' : ` (${at(0.25)} to ${at(0.75)})`);
}

async function tokenIds(modelPath: string, prompts: readonly ExamplePrompt[]): Promise<number[][]> {
  const vocabulary = { modelPath, device: 'cpu', threads: 1, vocabOnly: true, onLog: () => {} } as const;
  const { info, tokenize, close } = await backend.load(vocabulary);
  const start = info.bos !== null && (info.addBosKey ?? info.addBosDefault) ? [info.bos.id] : [];
  const all = prompts.map(({ text }) => [...start, ...tokenize(text)]);
  await close();
  return all;
}

function loop(
  modelPath: string,
  ids: readonly (readonly number[])[],
  threads: number,
): { whole: Times; evaluation: Times } {
  const file = join(folder, 'prompts.txt');
  writeFileSync(file, ids.map((each) => `${each.join(' ')}\n`).join(''));
  const tokens = ids.reduce((sum, each) => sum + each.length, 0);
  const done = timed(() => run(plainLoop, [modelPath, file, String(threads)]));
  const { seconds, cpu } = JSON.parse(done.stdout) as { seconds: number; cpu: number };
  return { whole: { ...done, tokens }, evaluation: { wall: seconds, cpu, tokens } };
}

async function scoring(modelPath: string, prompts: readonly ExamplePrompt[], threads: number): Promise<Times> {
  const [started, before] = [performance.now(), cpuSecondsOfAll([])];
  const marks: Times[] = [];
  let tokens = 0;
  let pids: readonly number[] = [];
  const all = prompts.length;
  let rows = 0;
  const onRows = (_model: string, _dataset: string, count: number, of: number) => {
    tokens += of;
    rows += count;
    // To look through all processes takes milliseconds, which would count as scoring.
    if (marks.length > 0 && rows < all) return;
    if (marks.length === 0) pids = children();
    marks.push({ wall: (performance.now() - started) / 1000, cpu: cpuSecondsOfAll(pids) - before, tokens });
  };
  const model = { id: 'model', role: 'base', bucket: 'bench', prompt: 'raw' } as const;
  const place = { kind: 'gguf', path: modelPath, bytes: statSync(modelPath).size } as const;
  const refuseFailed = async (scored: readonly ModelRow[]) => {
    for (const row of scored) if (row.status === 'failed') throw new Error(`${row.id}: ${row.reason}`);
  };
  const jobs = [{ dataset: 'bench', prompts, onRows: refuseFailed }];
  const outcomes = await scoreModels([{ model, place, jobs }], { device: 'cpu', cores: threads }, { onRows });
  for (const outcome of outcomes) if (outcome.kind === 'failed') throw new Error(outcome.reason);
  const [first, last] = [marks[0]!, marks.at(-1)!];
  const of = (key: keyof Times) => last[key] - first[key];
  return { wall: of('wall'), cpu: of('cpu'), tokens: of('tokens') };
}

/** `supportcal score` of both models on the prompts, in an empty folder. */
function command(): Omit<Times, 'tokens'> {
  const place = mkdtempSync(join(folder, 'score-'));
  const [base = '', target = ''] = paths;
  const flags = questionProject(place, prompts, { base, target });
  const program = resolve('scripts/supportcal.mjs');
  const done = timed(() => run(process.execPath, [program, 'score', ...flags]));
  return done;
}

function run(program: string, args: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync(resolve(program), args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
  return stdout;
}

function timed(work: () => string): { wall: number; cpu: number; stdout: string } {
  const [started, before] = [performance.now(), cpuSecondsOfAll([])];
  const stdout = work();
  return { wall: (performance.now() - started) / 1000, cpu: cpuSecondsOfAll([]) - before, stdout };
}

/** Processes that this one has started and that live (Linux). */
function children(): number[] {
  return readdirSync('/proc').flatMap((pid) =>
    /^\d+$/.test(pid) && parentOf(pid) === process.pid ? [Number(pid)] : [],
  );
}

function parentOf(pid: string): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
}

/**
 * Prompts of these lengths by llama-bench, whose own clock counts passes alone. It takes each length for itself, since
 * 111 tokens and 112 have other kernels for their last rows.
 */
function byLlamaBench(
  program: string,
  modelPath: string,
  {
    lengths,
    threads,
    flash,
  }: { readonly lengths: readonly number[]; readonly threads: number; readonly flash: boolean },
): Times {
  const sizes = [...new Set(lengths)];
  const flags = {
    '-m': modelPath,
    '-p': sizes.join(),
    '-n': 0,
    '-t': threads,
    '-r': 3,
    '-o': 'json',
    '-fa': Number(flash),
  };
  const done = timed(() =>
    run(
      program,
      Object.entries(flags).flatMap(([name, value]) => [name, String(value)]),
    ),
  );
  const tests = JSON.parse(done.stdout) as { n_prompt: number; samples_ns: number[] }[];
  const of = (size: number) => median(tests.find(({ n_prompt }) => n_prompt === size)!.samples_ns) / 1e9;
  const sum = (all: readonly number[]) => all.reduce((total, each) => total + each, 0);
  return { wall: sum(lengths.map(of)), cpu: Number.NaN, tokens: sum(lengths) };
}
