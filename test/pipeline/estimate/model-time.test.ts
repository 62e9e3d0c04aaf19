import { expect, it } from 'vitest';
import {
  commandSeconds,
  type EstimatedModel,
  modelTime,
  timeFactor,
} from '../../../src/pipeline/estimate/model-time.js';
import { sideBySide } from '../../../src/pipeline/estimate/side-by-side.js';

const on = { device: 'cpu', cores: 2, structured: 'grammar' } as const;
const cpuWork = { perToken: 1e6, perPrompt: 19e6, perPosition: 0, vocabulary: 100_000 };

/** 1,000 prompts of so many tokens, on a file of 1 GB: a millisecond a token, 20 a prompt. */
function asked(id: string, tokens: number): EstimatedModel {
  const model = { id, role: 'base', bucket: 'b', prompt: 'raw', parameters: 1 } as const;
  const work = { evaluatedTokens: 1000 * tokens, generatedTokens: 0, longest: tokens, replies: 0, counted: true };
  const file = { state: 'here', bytes: 1e9, bytesFrom: 'file' } as const;
  return { model, cpuWork, file, toHash: 0, work: { ...work, rows: 1000, asked: 1000 } };
}

const none = { probed: new Map(), measured: new Map() };

it('adds the start of a model, and the share of a prompt in short ones, to what its weights take', () => {
  const time = modelTime(asked('m', 20), none, on);
  expect(time).toMatchObject({ tokensPerSecond: 1000, speedFrom: 'counted' });
  // Start and end, vocabulary, bytes, and the 40 ms of a row that is evaluated twice for the self-check.
  const start = 0.2 + 0.65 + 0.3 + 0.04;
  expect(time.startSeconds).toBeCloseTo(start, 9);
  expect(time.hours! * 3600).toBeCloseTo(20 + start, 9);
});

it('adds the hash of a file to its start where it is not kept, whatever else is known of the model', () => {
  const [unknown, measured] = [none, { ...none, measured: new Map([['m', 500]]) }].map((known) => {
    const [kept, read] = [0, 2e9].map((toHash) => modelTime({ ...asked('m', 20), toHash }, known, on).startSeconds!);
    return read! - kept!;
  });
  expect(unknown).toBeCloseTo(2, 9);
  expect(measured).toBeCloseTo(2, 9);
});

it('adds a command and its first child process where a file is asked something, and only there', () => {
  const one = asked('m', 20);
  const served = { ...one, file: { state: 'served', bytes: null, bytesFrom: null } } as const;
  const twin = { ...one, work: { ...one.work!, asked: 0 } };
  expect([commandSeconds([twin, one, one]), commandSeconds([served, twin]), commandSeconds([])]).toEqual([1.5, 0, 0]);
});

it('scales what a probe measured to the length of the prompts that are to come', () => {
  // Prompts of 80 tokens take 100 ms of a core, 50 of two: the probe says twice that, so 20 tokens take 40.
  const probe = { tokens: 1600, rows: 20, seconds: 2, start: 7, slowedBy: 1 };
  const time = modelTime(asked('m', 20), { ...none, probed: new Map([['m', probe]]) }, on);
  expect(time).toMatchObject({ speedFrom: 'probed', startSeconds: 7 });
  expect(time.hours! * 3600).toBeCloseTo(1000 * 0.04 + 7, 6);
});

it('carries over to others how much longer an earlier run took than the weights say, its load included', () => {
  const known = { ...none, measured: new Map([['m', 500]]) };
  const factor = timeFactor(asked('m', 20), known, on);
  expect(factor).toBeCloseTo(40 / 21.19, 9);
  expect(timeFactor(asked('other', 20), known, on)).toBeNull();
  expect(modelTime(asked('other', 20), known, on, factor!).hours! * 3600).toBeCloseTo(40, 6);
});

it('lets tiny models run beside each other on a core each, and others one after the other on all', () => {
  const models = [3, 2, 1].map((n) => ({ model: `tiny-${n}`, bytes: n * 1000 }));
  const { coresOf, together } = sideBySide([...models, { model: 'large', bytes: 1e9 }], { device: 'cpu', cores: 2 });
  expect([coresOf('tiny-1'), coresOf('large')]).toEqual([1, 2]);
  expect(together(() => 10)).toBe(15 + 10);
  expect(together((id) => (id === 'tiny-1' ? 100 : 1))).toBe(100 + 1);
});

it('lets models of the CPU run beside those of cards', () => {
  const models = [
    { model: 'on a card', bytes: 1e9 },
    { model: 'on the CPU', bytes: 1e9, device: 'cpu' as const },
  ];
  const { together } = sideBySide(models, { device: 'cuda', cores: 2 });
  expect([together(() => 10), together((id) => (id === 'on the CPU' ? 40 : 10))]).toEqual([10, 40]);
});
