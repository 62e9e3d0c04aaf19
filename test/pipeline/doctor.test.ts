import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { describeDoctor } from '../../src/cli/describe/describe-doctor.js';
import type { Device } from '../../src/contract/device.js';
import type { InspectedModel } from '../../src/contract/inspection.js';
import { doctor } from '../../src/pipeline/doctor.js';
import { examine } from '../../src/pipeline/estimate/doctor-model.js';
import { probeModel } from '../../src/pipeline/score/probe-model.js';
import type { RunOptions } from '../../src/pipeline/workspace/run-options.js';
import type { probeDevice } from '../../src/scoring/device/probe-device.js';
import { startedModule } from '../built-modules.js';
import { wordProblems } from './demo-workspace.js';
import { quizWorkspace } from './quiz-workspace.js';

const STUB = startedModule('engine/stub-backend').href;

let workspace: ReturnType<typeof quizWorkspace>;
beforeEach(() => {
  workspace = quizWorkspace(wordProblems(4));
});

const options = (gpu: RunOptions['gpu'] = 'off'): RunOptions => ({ ...workspace.options, gpu });
const works: typeof probeDevice = async (backend) => ({ ok: true, device: `a ${backend} device` });

describe('supportcal doctor', () => {
  it('decodes with a demo model on the CPU and names what every model would take, as JSON or as tables', async () => {
    const { code, stdout } = await workspace.run('doctor', '--json');
    const report = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(report).toMatchObject({
      status: 'complete',
      problems: [],
      backend: { asked: 'off', chosen: 'cpu', tried: [{ backend: 'cpu', result: { ok: true } }] },
    });
    expect(report.versions.llamaCppRelease).toMatch(/\d/);
    for (const { facts, memory, bytes } of report.models) {
      expect(memory.total).toBe(memory.weights + memory.kvCache + memory.compute);
      expect(memory.weights).toBeGreaterThanOrEqual(bytes);
      expect(memory).toMatchObject({ fits: true });
      expect(facts.bos).toMatchObject({ add: true, reason: expect.stringContaining('add_bos_token') });
      expect(facts.spacing.used.piece).toBe(' A');
      expect(facts.spacing.withoutSpace.piece).toBe('A');
    }
    const text = describeDoctor(report).join('\n');
    expect(text).toMatch(/^backend: cpu \(--gpu off; asked for with --gpu off\)\n {2}cpu {2}works: cpu$/m);
    expect(text).toMatch(/^target +2\.\d +2\.\d .*yes +\d+ +16$/m);
    expect(text).toMatch(/^target +bpe gpt-2 +yes: .*in the file, asked raw +\d+ +\d+ " A" +\d+ " A" +\d+ "A"$/m);
  });

  it('lists each card with its memory and where each model will run, and --devices takes some of them', async () => {
    const free: Record<string, number> = { '0': 70e9, '1': 20e9, '2': 70e9 };
    const probe: typeof probeDevice = async (_, __, { CUDA_VISIBLE_DEVICES: only } = {}) => {
      const seen = only === undefined ? ['0', '1', '2'] : [only];
      const devices = seen.map((card) => (card === '1' ? 'L4' : 'H100'));
      const bytes = seen.reduce((sum, card) => sum + (free[card] ?? 0), 0);
      return { ok: true, device: devices.join(', '), devices, memory: { total: 80e9 * seen.length, free: bytes } };
    };
    const report = await doctor(options('cuda'), { backendModule: STUB, probe });
    expect(report.cards.map(({ index, name, memory }) => [index, name, memory?.free])).toEqual([
      [0, 'H100', 70e9],
      [1, 'L4', 20e9],
      [2, 'H100', 70e9],
    ]);
    expect(report.memory.gpu).toEqual({ total: 240e9, free: 160e9 });
    expect(report.places).toContainEqual({ model: 'target', cards: 1, of: [[0, 2], [1]] });
    const text = describeDoctor(report).join('\n');
    expect(text).toMatch(/^1 +L4 +19073\.5 +76293\.9$/m);
    expect(text).toMatch(/^target +1 +0, 2 or 1$/m);
    const one = await doctor({ ...options('cuda'), devices: [1] }, { backendModule: STUB, probe });
    expect([one.memory.gpu?.free, one.places]).toEqual([20e9, []]);
    const none = await doctor({ ...options('cuda'), devices: [7] }, { backendModule: STUB, probe });
    expect(none.problems).toContainEqual(
      expect.stringMatching(/^--devices 7: there is no card 7; cuda has 0 \(H100\), /),
    );
  });

  it('--tune keeps the fastest shape for the card, for all models of one size, and has nothing to tune on a CPU', async () => {
    const probe: typeof probeDevice = async () => ({ ok: true, device: 'H100', memory: { total: 80e9, free: 70e9 } });
    const asked = { backendModule: STUB, probe, tune: true, leastTrialMs: 0 };
    const tried: string[] = [];
    const report = await doctor(options('cuda'), { ...asked, onTrial: (model) => void tried.push(model) });
    expect(report.tuned).toEqual([
      {
        models: expect.arrayContaining(['base', 'reference', 'target']),
        given: { contexts: 2, sequences: 64, batchSize: 2048 },
        found: expect.objectContaining({ trials: tried.length }),
        reason: null,
        notKept: null,
      },
    ]);
    const [kept, ...more] = JSON.parse(readFileSync(workspace.file('cache/tuned.json'), 'utf8'));
    expect([kept.device, kept.card, more]).toEqual(['cuda', 'H100', []]);
    expect(JSON.parse(readFileSync(workspace.file('cache/backends.json'), 'utf8')).cuda.card).toBe('H100');
    expect(describeDoctor(report).join('\n')).toMatch(
      /^base, reference, target +\d+ +\d+ +\d+ +[\d.]+ +[\d.]+ .*trials/m,
    );
    const onCpu = await doctor(options(), { ...asked, probe: works });
    expect(onCpu.tuned).toEqual([]);
    expect(describeDoctor(onCpu).join('\n')).toMatch(/nothing to tune: no model .* runs on a card/);
  });

  it('--tune measures nothing on a card by whose name no run would look for what it finds', async () => {
    const probe: typeof probeDevice = async (_, __, { CUDA_VISIBLE_DEVICES: only } = {}) => {
      const devices = only === undefined ? ['H100', 'L4'] : [only === '0' ? 'H100' : 'L4'];
      return { ok: true, device: devices.join(', '), devices, memory: { total: 80e9, free: 70e9 } };
    };
    const tried: string[] = [];
    const tuning = { backendModule: STUB, probe, tune: true, leastTrialMs: 0, onModel: (id: string) => tried.push(id) };
    const other = await doctor({ ...options('cuda'), devices: [1] }, tuning);
    expect(other.tuned).toEqual([
      expect.objectContaining({
        found: null,
        reason: 'runs take what was found for H100, the first card here, and this is L4: say its shape in models.yaml',
      }),
    ]);
    expect(tried).toEqual([]);
    expect((await doctor({ ...options('cuda'), devices: [0] }, tuning)).tuned?.[0]?.reason).toBeNull();
  });

  it('--tune says that it looked at one card of several where a model does not fit', async () => {
    const reasonOn = async (cards: readonly string[]) => {
      const probe: typeof probeDevice = async (_, __, { CUDA_VISIBLE_DEVICES: only } = {}) => {
        const devices = only === undefined ? [...cards] : ['H100'];
        return { ok: true, device: devices.join(', '), devices, memory: { total: 1000, free: 500 } };
      };
      const report = await doctor(options('cuda'), { backendModule: STUB, probe, tune: true, leastTrialMs: 0 });
      return report.tuned?.[0]?.reason;
    };
    expect(await reasonOn(['H100', 'H100'])).toMatch(/^on one card of 2: .*does not fit into memory/);
    expect(await reasonOn(['H100'])).toMatch(/^model \w+ .*does not fit into memory/);
  });

  it('--tune measures of the models of one size the one of which models.yaml says least', async () => {
    const probe: typeof probeDevice = async () => ({ ok: true, device: 'H100', memory: { total: 80e9, free: 70e9 } });
    const yaml = readFileSync(workspace.file('models.yaml'), 'utf8');
    const said = '{ contexts: 2, sequences: 64, batchSize: 2048 }';
    const some = yaml.replaceAll(/\{id: (base|target),/g, `{id: $1, scoring: ${said},`);
    writeFileSync(workspace.file('models.yaml'), some);
    const report = await doctor(options('cuda'), { backendModule: STUB, probe, tune: true, leastTrialMs: 0 });
    expect(report.tuned).toEqual([expect.objectContaining({ found: expect.anything(), reason: null })]);
    expect(report.tuned?.[0]?.models[0]).toBe('reference');
  });

  it('--tune takes the place of a damaged tuned.json, and reports a shape that cannot be written down', async () => {
    const probe: typeof probeDevice = async () => ({ ok: true, device: 'H100', memory: { total: 80e9, free: 70e9 } });
    const asked = { backendModule: STUB, probe, tune: true, leastTrialMs: 0 };
    const file = workspace.file('cache/tuned.json');
    mkdirSync(workspace.file('cache'), { recursive: true });
    writeFileSync(file, '[{"device": "cu');
    const whole = await doctor(options('cuda'), asked);
    expect([JSON.parse(readFileSync(file, 'utf8')).length, whole.problems]).toEqual([1, []]);
    rmSync(file);
    mkdirSync(path.join(file, 'no file'), { recursive: true });
    const report = await doctor(options('cuda'), asked);
    expect(report.tuned?.[0]).toMatchObject({
      found: expect.anything(),
      notKept: expect.stringContaining('tuned.json'),
    });
    expect(report.problems).toEqual([expect.stringMatching(/^\w+: its tuned shape \(.*\) is not kept: .*tuned\.json/)]);
    expect(describeDoctor(report).join('\n')).not.toMatch(/kept in tuned\.json/);
  });

  it('a missing model file and a failing CPU are problems, and the other models are still examined', async () => {
    workspace.writeModels({ base: '/nowhere/base.gguf' });
    const report = await doctor(options(), {
      backendModule: STUB,
      probe: async () => ({ ok: false, reason: 'no binary' }),
    });
    expect(report.backend).toMatchObject({ chosen: null, reason: 'asked for with --gpu off; cpu: no binary' });
    expect(report.problems).toEqual([
      expect.stringMatching(/--gpu off does not work.*no binary/),
      expect.stringMatching(/^base: .*no such model file/),
    ]);
    expect(report.models.map((model) => model.facts !== null)).toEqual([false, true, true]);
  });

  it('a broken models.yaml is a problem beside the facts of the machine', async () => {
    writeFileSync(
      workspace.file('models.yaml'),
      readFileSync(workspace.file('models.yaml'), 'utf8').replace('role', 'rôle'),
    );
    const report = await doctor(options(), { probe: works });
    expect(report.backend.chosen).toBe('cpu');
    expect([report.models, report.problems.join()]).toEqual([[], expect.stringMatching(/models\.yaml/)]);
  });

  it('names a GPU backend that was asked for and does not work', async () => {
    const report = await doctor(options('vulkan'), {
      backendModule: STUB,
      probe: async () => ({ ok: false, reason: 'signal SIGABRT' }),
    });
    expect(report.problems).toEqual(['--gpu vulkan does not work: tried vulkan: signal SIGABRT']);
  });

  it('plans with the free memory of the GPU where that is the device', async () => {
    const report = await doctor(options('cuda'), {
      backendModule: STUB,
      probe: async () => ({ ok: true, device: 'a card', memory: { total: 2000, free: 1500 } }),
    });
    expect(report.memory.gpu).toEqual({ total: 2000, free: 1500 });
    expect(report.models[0]!.memory).toMatchObject({ free: 1500, fits: false });
    expect(report.problems[0]).toMatch(
      /^base: does not fit: \d+ MiB are needed on cuda \(weights .*KV cache .*compute/,
    );
  });
});

describe('examine', () => {
  const facts = {
    trainContextSize: 100,
    longest: 100,
    counts: [{ longest: 100, shortest: 100, tokens: 100, refused: 0, firstRefusal: null }],
    memory: { weights: 50, kvCache: 30, compute: 20 },
  } as unknown as InspectedModel;
  const file = (bytes: number) => ({
    model: { id: 'm', role: 'base' as const, bucket: 'b', prompt: 'raw' as const, file: 'm.gguf' },
    job: { place: { bytes } } as never,
    asked: [
      { dataset: 'd', kind: 'plain' as const },
      { dataset: 'e', kind: 'plain' as const },
    ],
  });
  const plan = (bytes: number, free: number, more: Partial<InspectedModel> = {}, device: Device = 'cpu') =>
    examine(file(bytes), { kind: 'inspected', model: 'm', facts: { ...facts, ...more } }, free, device);

  it('a model that needs exactly what is free fits; one byte less does not', () => {
    expect(plan(40, 100)).toMatchObject({ memory: { total: 100, fits: true }, problems: [] });
    expect(plan(40, 99)).toMatchObject({
      memory: { fits: false },
      problems: [expect.stringContaining('does not fit')],
    });
  });

  it('says with how many sequences, a power of two, a run goes on, or that not even one fits', () => {
    const problem = (free: number) => plan(50, free, { sequences: 24 }).problems[0];
    expect(problem(99)).toMatch(/ are free; of its 24 sequences a run will use about 16$/);
    expect(problem(89)).toMatch(/ are free; of its 24 sequences a run will use about 8$/);
    expect(problem(72)).toMatch(/a run will use about 1$/);
    expect(problem(71)).toMatch(/are free; use a smaller file$/);
  });

  it('counts the whole file where the estimate of the weights is lower, but not on a card of its own memory', () => {
    expect(plan(60, 1000).memory).toMatchObject({ weights: 60, total: 110 });
    expect(plan(60, 1000, {}, 'metal').memory).toMatchObject({ weights: 60, total: 110 });
    expect(plan(60, 1000, {}, 'cuda').memory).toMatchObject({ weights: 50, total: 100 });
    expect(plan(60, 1000, {}, 'vulkan').memory).toMatchObject({ weights: 50, total: 100 });
  });

  it('names prompts that are too long or cannot be scored', () => {
    const counts = { longest: 101, shortest: 101, tokens: 100, refused: 2, firstRefusal: 'q1: twins' };
    const { problems, asked } = plan(40, 1000, { longest: 101, counts: [counts, { ...counts, refused: 1 }] });
    expect(asked[1]).toMatchObject({ dataset: 'e', kind: 'plain', refused: 1 });
    expect(problems).toEqual([
      'its longest prompt has 101 tokens, its context 100',
      '3 prompts cannot be scored, the first is q1: twins',
    ]);
    expect(plan(40, 1000, { contextSize: 99 }).problems).toEqual([
      'its longest prompt has 100 tokens, and models.yaml gives it contextSize: 99',
    ]);
    expect(plan(40, 1000, { contextSize: 100 }).problems).toEqual([]);
  });
});

describe('probeModel', () => {
  it('is one of the demo models of the package', () => {
    expect(probeModel()).toMatch(/models\/demo\/[a-z-]+\.gguf$/);
  });
});
