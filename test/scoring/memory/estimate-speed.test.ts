import { describe, expect, it } from 'vitest';
import { estimateHours, estimateSpeed, type Kernels, kernelsFor } from '../../../src/scoring/memory/estimate-model.js';

const EIGHT = { parameters: 8.2, activeParameters: undefined };

describe('estimateSpeed', () => {
  it('comes within 15 % of what an H200 did with 8.2 and 71 billion weights', () => {
    const near = (speed: number | null, measured: number) => Math.abs((speed ?? 0) / measured - 1) < 0.15;
    expect(near(estimateSpeed(EIGHT, 'cuda', 1), 11_200)).toBe(true);
    for (const measured of [28_597, 32_223])
      expect(near(estimateSpeed(EIGHT, 'cuda', 1, 'cublas'), measured)).toBe(true);
    expect(near(estimateSpeed({ ...EIGHT, parameters: 71 }, 'cuda', 1, 'cublas'), 2_986)).toBe(true);
  });

  it("comes within 15 % of what an H200 did with 3.3 active of 30.5 billion, by llama.cpp's own kernels, cuBLAS and in BF16", () => {
    const experts = { parameters: 30.5, activeParameters: 3.3 };
    const ratio = (kernels: Kernels, measured: number) => (estimateSpeed(experts, 'cuda', 1, kernels) ?? 0) / measured;
    const cublas = [4_178, 3_890].map((measured) => ratio('cublas', measured));
    const sixteen = [6_179, 6_339].map((measured) => ratio('sixteen', measured));
    for (const each of [ratio('own', 14_335), ratio('own', 15_787), ...cublas, ...sixteen])
      expect(Math.abs(each - 1)).toBeLessThan(0.15);
  });

  it('knows no cuBLAS on other devices', () => {
    expect(estimateSpeed(EIGHT, 'vulkan', 1, 'cublas')).toBe(estimateSpeed(EIGHT, 'vulkan', 1));
    expect(estimateSpeed(EIGHT, 'cpu', 2, 'sixteen')).toBe(estimateSpeed(EIGHT, 'cpu', 2));
  });
});

describe('kernelsFor', () => {
  const shipped = { cublas: false, chosen: false };
  const built = { cublas: true, chosen: false };
  const q8 = { bytes: 8.7e9, parameters: 8.2, activeParameters: undefined };
  const experts = { bytes: 18e9, parameters: 30.5, activeParameters: 3.3 };

  it('holds for files of 16 bits in every build, and for all files where the build says so', () => {
    expect(kernelsFor({ ...q8, bytes: 16.4e9 }, shipped)).toBe('sixteen');
    expect(kernelsFor(q8, shipped)).toBe('own');
    expect(kernelsFor(q8, built)).toBe('cublas');
    expect(kernelsFor({ bytes: null, parameters: undefined, activeParameters: undefined }, shipped)).toBe('own');
  });

  it("leaves experts to llama.cpp's own kernels where the build has our own choice", () => {
    expect(kernelsFor(experts, built)).toBe('cublas');
    expect(kernelsFor(experts, { cublas: true, chosen: true })).toBe('own');
    expect(kernelsFor({ ...experts, bytes: 61e9 }, { cublas: true, chosen: true })).toBe('sixteen');
    expect(kernelsFor(q8, { cublas: true, chosen: true })).toBe('cublas');
  });
});

describe('estimateHours', () => {
  const replies = { evaluatedTokens: 0, generatedTokens: 3_600 };
  const choice = { cublas: true, chosen: true };
  const hours = (device: 'cpu' | 'cuda', reader: boolean, structured: 'grammar' | 'text', file = {}) =>
    estimateHours(replies, 1, { device, reader, whole: true, products: choice, ...file }, structured);

  it('writes free text on a card at a third of the speed of prompts with our own reader, at 0.07 of it without', () => {
    expect(hours('cuda', true, 'text')).toBeCloseTo(1 / 0.33, 12);
    expect(hours('cuda', false, 'text')).toBeCloseTo(1 / 0.07, 12);
  });

  it('writes free text of quantised files at a quarter of their speed', () => {
    expect(hours('cuda', true, 'text', { whole: false })).toBeCloseTo(1 / 0.25, 12);
    expect(hours('cuda', false, 'text', { whole: false })).toBeCloseTo(1 / 0.07, 12);
  });

  it('writes free text of quantised files more slowly where cuBLAS multiplies for it, which says nothing of others', () => {
    const [cublas, own] = [true, false].map((each) => ({ cublas: each, chosen: false }));
    expect(hours('cuda', true, 'text', { whole: false, products: cublas })).toBeCloseTo(1 / 0.18, 12);
    expect(hours('cuda', true, 'text', { whole: false, products: own })).toBeCloseTo(1 / 0.25, 12);
    expect(hours('cuda', true, 'text', { products: cublas })).toBeCloseTo(1 / 0.33, 12);
    expect(hours('cuda', false, 'text', { whole: false, products: cublas })).toBeCloseTo(1 / 0.07, 12);
  });

  it('asks for no reader on a CPU, and for replies that the grammar holds', () => {
    for (const reader of [true, false]) {
      expect(hours('cpu', reader, 'text')).toBeCloseTo(1 / 0.34, 12);
      expect(hours('cuda', reader, 'grammar')).toBeCloseTo(1 / 0.7, 12);
    }
  });
});
