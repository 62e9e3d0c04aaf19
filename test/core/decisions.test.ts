import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { calibrateDecision, decisionLogits, fitArtefact } from '../../src/core.js';
import { builtCommandLine } from '../built-modules.js';

const half = { inverseTemperature: 0.5 };
const choice = { type: 'choice', choice: 'cat', confidence: 0.6, probabilities: { dog: 0.2, cat: 0.8 } } as const;

describe('a structured decision of node-llama-cpp', () => {
  it('of named options has probabilities to the power of 1 / temperature, and the same choice', () => {
    const { probabilities, ...rest } = calibrateDecision(choice, half);
    expect(Object.keys(probabilities)).toEqual(['dog', 'cat']);
    expect(probabilities.cat).toBeCloseTo(2 / 3, 12);
    expect(probabilities.dog).toBeCloseTo(1 / 3, 12);
    expect(rest).toEqual({
      type: 'choice',
      choice: 'cat',
      confidence: probabilities.cat,
      rawConfidence: expect.closeTo(0.8, 12),
    });
  });

  it('of yes or no has the calibrated probability of yes; one that is certain stays so', () => {
    expect(calibrateDecision({ type: 'noul', value: 0.2 }, half)).toMatchObject({
      value: expect.closeTo(1 / 3, 12),
      confidence: expect.closeTo(2 / 3, 12),
    });
    expect(calibrateDecision({ type: 'noul', value: 1 }, half)).toMatchObject({ value: 1, confidence: 1 });
  });

  it('of levels has the mean level under the calibrated probabilities', () => {
    const rated = calibrateDecision({ type: 'score', score: 0.8, confidence: 1, probabilities: [0.2, 0.8, 0] }, half);
    expect(rated).toEqual({
      type: 'score',
      score: expect.closeTo(2 / 3, 12),
      probabilities: [expect.closeTo(1 / 3, 12), expect.closeTo(2 / 3, 12), 0],
      confidence: expect.closeTo(2 / 3, 12),
      rawConfidence: expect.closeTo(0.8, 12),
    });
  });

  it('gives the log-probabilities that a fit takes', () => {
    const sure = [0.99, 0.98, 0.02].map((value) => decisionLogits({ type: 'noul', value }));
    const unsure = [0.7, 0.6, 0.2].map((value) => decisionLogits({ type: 'noul', value }));
    const { temperature } = fitArtefact(sure, unsure);
    expect(temperature).toBeGreaterThan(2);
    expect(fitArtefact(unsure, unsure).temperature).toBeCloseTo(1, 9);
  });

  it('whose probabilities are none, or that is of another kind, is refused', () => {
    expect(() => decisionLogits({ type: 'noul', value: 1.5 })).toThrow(/value: expected probabilities that sum to 1/);
    expect(() => decisionLogits({ ...choice, probabilities: {} })).toThrow(/probabilities: expected/);
    expect(() => decisionLogits({ type: 'rank' } as never)).toThrow(/type: expected "noul"/);
  });
});

describe('examples/structured-decisions.mjs', () => {
  it('calibrates decisions and letters of the demo models', { timeout: 120_000 }, async () => {
    builtCommandLine();
    const file = path.resolve(import.meta.dirname, '../../examples/structured-decisions.mjs');
    const { stdout } = await promisify(execFile)(process.execPath, [file, '8'], { timeout: 110_000 });
    expect(stdout).toMatch(
      /^decisions: (temperature \d+\.\d{3}|infinite|none) from 8 questions.* points\nletters: .* from 8 questions.* points\n$/,
    );
  });
});
