import { expect, test } from 'vitest';
import { convolveTransforms, fft, zeroSignal } from '../../src/numeric/fft.js';

const wave = (i: number) => Math.sin(i * 12.9898) * 3;

test.each([2, 4, 8, 64])('the transform of %i numbers is the sum of its definition', (size) => {
  const signal = zeroSignal(size);
  for (let j = 0; j < size; j++) [signal.real[j], signal.imaginary[j]] = [wave(j), wave(j + 100)];
  const [real, imaginary] = [signal.real.slice(), signal.imaginary.slice()];
  fft(signal);
  for (let k = 0; k < size; k++) {
    let [wantReal, wantImaginary] = [0, 0];
    for (let j = 0; j < size; j++) {
      const angle = (-2 * Math.PI * j * k) / size;
      wantReal += real[j]! * Math.cos(angle) - imaginary[j]! * Math.sin(angle);
      wantImaginary += real[j]! * Math.sin(angle) + imaginary[j]! * Math.cos(angle);
    }
    expect(signal.real[k]).toBeCloseTo(wantReal, 10);
    expect(signal.imaginary[k]).toBeCloseTo(wantImaginary, 10);
  }
});

test('real and imaginary part are convolved with a real kernel side by side', () => {
  const [signal, kernel] = [zeroSignal(8), zeroSignal(8)];
  signal.real.set([1, 2, 3]);
  signal.imaginary.set([0, 1, 0, 5]);
  kernel.real.set([1, 0, 2]);
  fft(signal);
  fft(kernel);
  const got = convolveTransforms(signal, kernel);
  const rounded = (values: Float64Array) => Array.from(values, (value) => Math.round(value * 1e12) / 1e12 + 0);
  expect(rounded(got.real)).toEqual([1, 2, 5, 4, 6, 0, 0, 0]);
  expect(rounded(got.imaginary)).toEqual([0, 1, 0, 7, 0, 10, 0, 0]);
});

test('a signal has room for a power of two', () => {
  expect([1, 2, 3, 1000, 1024, 2001].map((length) => zeroSignal(length).real.length)).toEqual([
    2, 2, 4, 1024, 1024, 2048,
  ]);
});
