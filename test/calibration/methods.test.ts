import { expect, it } from 'vitest';
import {
  ANSWER_METHODS,
  CALIBRATION_METHODS,
  COMBINATION_METHODS,
  METHOD_NAMES,
  METHODS,
  weightingMethod,
} from '../../src/calibration/methods.js';
import { isLabelFree, methodLabel } from '../../src/results/method-label.js';

it('gives every method a name and a label of its own, which reports use', () => {
  expect(new Set(METHOD_NAMES).size).toBe(METHODS.length);
  expect(new Set(METHODS.map(({ label }) => label)).size).toBe(METHODS.length);
  expect(METHODS.map(({ name }) => methodLabel(name, null))).toEqual(METHODS.map(({ label }) => label));
  expect(methodLabel('supportcal', 2)).toBe('SupportCal (2)');
});

it('parts into methods that find a temperature and methods that answer, in the order of the table', () => {
  const inOrder = (names: readonly string[]) => METHOD_NAMES.filter((name) => names.includes(name));
  const [fitted, answering] = [CALIBRATION_METHODS, ANSWER_METHODS].map((table) => table.map(({ name }) => name));
  expect(inOrder(fitted!)).toEqual(fitted);
  expect(inOrder(answering!)).toEqual(answering);
  expect(inOrder([...fitted!, ...answering!])).toEqual(METHOD_NAMES);
});

it('takes the temperature that an answer method uses from a method that fits one', () => {
  const fitting = CALIBRATION_METHODS.filter(({ needs }) => needs !== 'nothing').map(({ name }) => name);
  const used = ANSWER_METHODS.flatMap(({ temperatureOf }) => temperatureOf ?? []);
  expect(used).toEqual(['daca', 'supportcal']);
  expect(fitting).toEqual(expect.arrayContaining(used));
});

it('knows which methods run once per M, and which one reads labels', () => {
  expect(COMBINATION_METHODS).toEqual(['supportcal', 'cape+supportcal']);
  expect(METHOD_NAMES.filter((name) => !isLabelFree(name))).toEqual(['auto-labels', 'oracle-ts']);
  expect(isLabelFree('a-method-of-ones-own')).toBe(true);
});

it('has weights by name for methods that weigh examples, and for no other', () => {
  expect(weightingMethod('supportcal')).toMatchObject({ name: 'supportcal', needs: 'references' });
  for (const name of ['vanilla', 'cape', 'accuracy-matched', 'none']) {
    expect(() => weightingMethod(name)).toThrow(/is no built-in method with weights/);
  }
});

it('weighs many examples at once as one by one', () => {
  const split = {
    disagreement: Uint8Array.of(0, 1, 1, 0, 1),
    ownBaseSupport: Float64Array.of(0, 0.25, 1e-300, 0, 1),
    corroboration: (n: number) => 0.1 * n,
  } as never;
  const indexes = Int32Array.of(4, 0, 2, 1);
  const weighting = CALIBRATION_METHODS.filter((method) => 'weight' in method);
  expect(weighting.map(({ name }) => name)).toEqual(['daca', 'full-kl', 'relative-only', 'supportcal']);
  for (const { weight, weights } of weighting)
    expect(weights?.(split, indexes)).toEqual(Float64Array.from(indexes, (n) => weight(split, n)));
});
