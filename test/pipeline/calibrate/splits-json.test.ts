import { describe, expect, it } from 'vitest';
import { splitsJson } from '../../../src/pipeline/calibrate/splits-json.js';

const text = (...given: Parameters<typeof splitsJson>) => Buffer.from(splitsJson(...given)).toString('utf8');

describe('splitsJson', () => {
  it('is what JSON.stringify makes of the ids, whatever characters they have', () => {
    const ids = ['a', 'b"', '"', '\\', '\\"', ',', '","', 'ä€😀', '\n', '', ']', '\ud800'];
    const all = Int32Array.from(ids.keys());
    const bySeed = [
      { seed: 7, calibration: all.filter((n) => n % 3 === 0), evaluation: all.filter((n) => n % 3 !== 0) },
      { seed: 4294967295, calibration: Int32Array.of(11, 0, 0), evaluation: new Int32Array() },
    ];
    const named = (indexes: Int32Array) => Array.from(indexes, (n) => ids[n]!);
    const expected = Object.fromEntries(
      bySeed.map(({ seed, calibration, evaluation }) => [
        String(seed),
        { calibration: named(calibration), evaluation: named(evaluation) },
      ]),
    );
    expect(text([{ dataset: 'a "set"', ids, bySeed }])).toBe(`${JSON.stringify({ 'a "set"': expected })}\n`);
    expect(
      text([
        { dataset: 'x', ids, bySeed },
        { dataset: 'y', ids, bySeed },
      ]),
    ).toBe(`${JSON.stringify({ x: expected, y: expected })}\n`);
  });

  it('is an empty document without data sets', () => {
    expect(text([])).toBe('{}\n');
  });
});
