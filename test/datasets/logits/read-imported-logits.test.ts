import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type LogitUnit, readImportedLogits } from '../../../src/datasets/logits/read-imported-logits.js';
import { lines, refusal, temporaryFolder } from '../temporary-spec.js';

const folder = temporaryFolder();
const fixtures = path.join(import.meta.dirname, '..', 'fixtures');

function read(name: string, content: string, unit: LogitUnit = 'logits') {
  return readImportedLogits(folder.write(name, content), { unit });
}

async function logitsOf(...args: Parameters<typeof read>) {
  const { rows } = await read(...args);
  return rows.map((row) => (row.status === 'ok' ? [...(row.logits as number[])] : row.reason));
}

describe('readImportedLogits', () => {
  it('reads packed files', async () => {
    const shown = folder.write('packed.jsonl.gz', gzipSync(lines([{ id: 'a', logits: [1, 2] }])));
    expect((await readImportedLogits(shown, { unit: 'logits' })).rows).toMatchObject([{ id: 'a', logits: [1, 2] }]);
  });

  it('keeps every bit of a float64, for rows of any K, with labels and lines', async () => {
    const rows = [
      { id: 'a', logits: [0.1, -1234.000000000001, 5e-324], label: 2 },
      { id: 7, logits: [1.7976931348623157e308, 3], label: null, model: 'ignored' },
      { id: 'c', logits: [2 ** 70, 0, 1, 2, 3] },
    ];
    const imported = await read('x.jsonl', `\ufeff${lines(rows)}`);
    expect(imported.rows.map((row) => row.id)).toEqual(['a', '7', 'c']);
    expect(imported.rows.map((row) => row.status === 'ok' && row.logits)).toEqual(rows.map((row) => row.logits));
    expect(imported.labels).toEqual([2, null, null]);
    expect(imported.lines).toEqual([1, 2, 3]);
  });

  it('keeps ids that a double would make equal apart', async () => {
    const imported = await read(
      'x.jsonl',
      '{"id":9007199254740993,"logits":[1,2]}\n{"id":9007199254740992,"logits":[1,2]}\n',
    );
    expect(imported.rows.map((row) => row.id)).toEqual(['9007199254740993', '9007199254740992']);
  });

  it('reads the same rows from a JSON array, numbered columns, a list in a cell and tab separated values', async () => {
    const expected = [
      [0.25, -1],
      [3, 1e-7, 2],
    ];
    expect(await logitsOf('x.json', '[{"id":"a","logits":[0.25,-1]},\n{"id":"b","logits":[3,1e-7,2]}]')).toEqual(
      expected,
    );
    expect(await logitsOf('x.csv', 'id,label,logit_0,logit_1,logit_2\na,0,0.25,-1,\nb,,3,1e-7,2\n')).toEqual(expected);
    expect(await logitsOf('x.csv', '\ufeffid,z1,z2,z3\r\na,0.25,-1,\r\nb,3,1e-7,2\r\n')).toEqual(expected);
    expect(await logitsOf('x.csv', 'id,logits\na,"[0.25, -1]"\nb,"[3, 1e-7, 2]"\n')).toEqual(expected);
    expect(await logitsOf('x.tsv', 'id\tlogits\na\t[0.25, -1]\nb\t[3, 1e-7, 2]\n')).toEqual(expected);
  });

  it('orders numbered columns by number and refuses a gap', async () => {
    const names = Array.from({ length: 12 }, (_, k) => `logit_${k}`);
    const [row] = await logitsOf(
      'x.csv',
      `id,${[...names].reverse().join(',')}\na,${[...names.keys()].reverse().join(',')}\n`,
    );
    expect(row).toEqual([...names.keys()]);
    expect(await refusal(read('x.csv', 'id,logit_0,logit_2\na,1,2\n'))).toEqual([
      expect.stringContaining('without a gap'),
    ]);
    expect(await refusal(read('x.csv', 'id,score\na,1\n'))).toEqual([expect.stringContaining('found: id, score')]);
  });

  it.each(['logits.parquet', 'logits.arrow'])('reads list columns of %s', async (name) => {
    const imported = await readImportedLogits(path.join(fixtures, name), { unit: 'logits' });
    expect(imported.rows).toMatchObject([
      { id: 'a', status: 'ok', logits: [0.1, -2.5, 1e-300] },
      { id: 'b', status: 'failed', reason: 'the imported score of option 1 is not a finite number' },
      { id: 'c', status: 'ok', logits: [3, 4] },
    ]);
    expect(imported.labels).toEqual([2, 0, null]);
  });

  it('fails a row with a number that is not finite, and keeps the others and the label', async () => {
    const text =
      '{"id":"a","logits":[NaN,1],"label":1}\n{"id":"b","logits":[null,1]}\n{"id":"c","logits":["NaN",1]}\n{"id":"d","logits":[-Infinity,Infinity]}\n{"id":"e","logits":[1e999,1]}\n{"id":"f","logits":[1,2]}\n';
    const imported = await read('x.jsonl', text);
    expect(imported.rows.map((row) => row.status)).toEqual(['failed', 'failed', 'failed', 'failed', 'failed', 'ok']);
    expect(imported.rows[3]).toMatchObject({
      id: 'd',
      reason: 'the imported score of option 2 is not a finite number',
    });
    expect(imported.labels[0]).toBe(1);
    expect(await logitsOf('x.csv', 'id,z0,z1,z2\na,1,,2\nb,1,2,4\n')).toEqual([
      expect.stringContaining('option 2'),
      [1, 2, 4],
    ]);
  });

  it('refuses structural faults all at once, with lines', async () => {
    const rows = [
      { logits: [1, 2] },
      { id: 'a', logits: [1, 2], label: 2 },
      { id: 'b', logits: [1] },
      { id: 'c', logits: 5 },
      { id: 'd', logits: [1, 'x'], label: 'B' },
      { id: 'e', logits: [1, 2], label: -2 },
      { id: 'f', logits: [1, 2], label: -1 },
      { id: 'f', logits: [1, 2] },
      { id: 'g' },
      { id: 'h', logits: Array(5_000).fill(0) },
    ];
    const faults = await refusal(read('x.jsonl', lines(rows)));
    expect(faults).toEqual([
      expect.stringMatching(/x\.jsonl:1 id 1: the field "id" is missing/),
      expect.stringMatching(/:2 label a: the label 2 is out of range; expected 0 to 1/),
      expect.stringMatching(/:3 logits b: expected at least 2 numbers, found 1/),
      expect.stringMatching(/:4 logits c: expected a list/),
      expect.stringMatching(/:5 logits d: score 2 is "x"/),
      expect.stringMatching(/:5 label d: expected a whole number/),
      expect.stringMatching(/:6 label e: the label -2 is out of range/),
      expect.stringMatching(/:8 id f: the id "f" is already used on line 7/),
      expect.stringMatching(/:9 logits g: the field "logits" is missing; found: id/),
      expect.stringMatching(/:10 logits h: expected at most 26 numbers, found 5000/),
    ]);
    expect(faults.every((fault) => fault.startsWith('bad-input'))).toBe(true);
  });

  it('refuses an empty file', async () => {
    expect(await refusal(read('x.jsonl', '\n'))).toEqual([expect.stringContaining('has no rows')]);
  });
});

describe('units', () => {
  it('turns probabilities into natural logarithms and knows their mass', async () => {
    const { rows } = await read('x.jsonl', lines([{ id: 'a', logits: [0.5, 0.25] }]), 'probabilities');
    expect(rows[0]).toMatchObject({ status: 'ok', logits: [Math.log(0.5), Math.log(0.25)], logZ: 0, optionMass: 0.75 });
  });

  it('keeps log-probabilities as they are and knows their mass', async () => {
    const { rows } = await read('x.jsonl', lines([{ id: 'a', logits: [-1, -2] }]), 'logprobs');
    expect(rows[0]).toMatchObject({ logits: [-1, -2], logZ: 0, optionMass: Math.exp(-1) + Math.exp(-2) });
  });

  it('knows no mass for raw logits', async () => {
    const { rows } = await read('x.jsonl', lines([{ id: 'a', logits: [5, 2] }]));
    expect(rows[0]).toMatchObject({ logits: [5, 2], logZ: Number.NaN, optionMass: Number.NaN });
  });

  it('keeps a row with probability 0, as -Infinity, and fails one of nothing else', async () => {
    const rows = lines([
      { id: 'a', logits: [1, 0] },
      { id: 'b', logits: [0, 0] },
    ]);
    expect(await logitsOf('x.jsonl', rows, 'probabilities')).toEqual([
      [0, Number.NEGATIVE_INFINITY],
      'every option has the imported probability 0',
    ]);
    const impossible = '{"id": "a", "logits": [0, -Infinity]}\n';
    expect(await logitsOf('x.jsonl', impossible, 'logprobs')).toEqual([[0, Number.NEGATIVE_INFINITY]]);
    expect(await logitsOf('x.jsonl', impossible, 'logits')).toEqual([[0, Number.NEGATIVE_INFINITY]]);
  });

  it('refuses a file none of whose rows is usable', async () => {
    expect(await refusal(read('x.jsonl', lines([{ id: 'a', logits: [0, 0] }]), 'probabilities'))).toEqual([
      expect.stringMatching(/a: no row has usable logits; of the first one, every option has .* 0/),
    ]);
  });

  it.each([
    ['probabilities', 'logits', [0.880797, 0.119203], [0.25, 0.75]],
    ['probabilities in per cent', 'logits', [88.08, 11.92], [25, 75]],
    ['log-probabilities without their minus sign', 'logits', [1.203973, 0.356675], [0.287682, 1.386294]],
    ['log-probabilities to the base 2', 'logprobs', [-1, -1], [-2, -0.415037]],
    ['surprisals in bits', 'logits', [1.736966, 0.514573], [2, 0.415037]],
    ['log-probabilities to the base 10 without their minus sign', 'logits', [0.522879, 0.154902], [1, 0.045757]],
    ['probabilities in per mille', 'logits', [880.8, 119.2], [250, 750]],
    ['perplexities, which are 1 / probability', 'logits', [1.25, 5], [4, 1.333333]],
    ['odds, which are p / (1 - p)', 'logits', [0.111111, 9], [0.333333, 3]],
    [
      'log-odds, which are ln(p / (1 - p))',
      'logits',
      [-2.197225, -0.847298, 0.405465],
      [-1.386294, -1.386294, 0.405465],
    ],
    ['log-probabilities to the base 10', 'logits', [-0.522879, -0.154902], [-1, -0.045757]],
  ] as const)('refuses %s that are declared as %s, unless told to trust the unit', async (name, unit, a, b) => {
    const rows = [
      { id: 'a', logits: a },
      { id: 'b', logits: b },
    ];
    expect(await refusal(read('x.jsonl', lines(rows), unit))).toEqual([
      expect.stringContaining(`declared as ${unit}, but those of every row add up to 1 as ${name};`),
    ]);
    const file = folder.write('x.jsonl', lines(rows));
    expect((await readImportedLogits(file, { unit, trustUnit: true })).rows).toHaveLength(2);
    // One row of another kind, and the file is what it is said to be.
    expect((await read('x.jsonl', lines([...rows, { id: 'c', logits: [-0.2, -3.5] }]), unit)).rows).toHaveLength(3);
  });

  it.each([
    ['per cent without decimals', (p: number[]) => p.map((v) => Math.round(100 * v)), 'probabilities in per cent'],
    ['probabilities of two digits', (p: number[]) => p.map((v) => Math.round(100 * v) / 100), 'probabilities'],
    ['probabilities beside those of other words', (p: number[]) => p.map((v) => 0.9 * v), 'probabilities of options'],
  ])('knows %s in a file of many rows', async (_, written, name) => {
    const rows = Array.from({ length: 40 }, (_each, n) => {
      const weights = [1 + (n % 7), 2 + (n % 5), 3 + (n % 3)];
      const sum = weights.reduce((total, weight) => total + weight, 0);
      return { id: `q${n}`, logits: written(weights.map((weight) => weight / sum)) };
    });
    const [refused] = await refusal(read('x.jsonl', lines(rows), 'logits'));
    expect(refused).toMatch(new RegExp(`declared as logits, but those of .* as ${name}`));
  });

  it('does not let one odd row hide what a file of many rows is', async () => {
    const rows = Array.from({ length: 40 }, (_, n) => ({ id: `q${n}`, logits: [n / 41, 1 - n / 41] }));
    const odd = [...rows.slice(1), { id: 'odd', logits: [3, -1.5] }];
    expect(await refusal(read('x.jsonl', lines(odd), 'logits'))).toEqual([
      expect.stringContaining('those of 39 of 40 rows add up to 1 as probabilities;'),
    ]);
    // Three of four rows that add up to 1 are no file of probabilities.
    const some = rows.map((row, n) => (n % 4 === 0 ? { ...row, logits: [3 + n, -1.5] } : row));
    expect((await read('x.jsonl', lines(some), 'logits')).rows).toHaveLength(40);
    const logits = rows.map((row, n) => ({ ...row, logits: [1.25 * (n % 9) - 4, 0.5 * (n % 4)] }));
    expect((await read('x.jsonl', lines(logits), 'logits')).rows).toHaveLength(40);
  });

  it('sees another unit in the lists of every order of the options', async () => {
    const file = folder.write(
      'x.jsonl',
      lines([
        {
          id: 'a',
          rotations: [
            [0.9, 0.1],
            [0.8, 0.2],
          ],
        },
      ]),
    );
    await expect(readImportedLogits(file, { unit: 'logits', rotations: true })).rejects.toThrow(/as probabilities;/);
  });

  it('allow the rounding of a float32 sum', async () => {
    expect(await logitsOf('x.jsonl', lines([{ id: 'a', logits: [0.5, 0.5000001] }]), 'probabilities')).toHaveLength(1);
    expect(await logitsOf('x.jsonl', lines([{ id: 'a', logits: [1e-9, -40] }]), 'logprobs')).toHaveLength(1);
  });

  it('allow half precision, and sums over 1 where one option is another or its beginning', async () => {
    expect(await logitsOf('x.jsonl', lines([{ id: 'a', logits: [0.50390625, 0.5] }]), 'probabilities')).toHaveLength(1);
    const file = folder.write('x.jsonl', lines([{ id: 'a', logits: [-0.1, -0.4] }]));
    const { rows } = await readImportedLogits(file, { unit: 'logprobs', overlaps: (id) => id === 'a' });
    expect(rows).toMatchObject([{ status: 'ok', logits: [-0.1, -0.4], optionMass: 1 }]);
  });

  it('refuse values that cannot be theirs', async () => {
    const rows = lines([
      { id: 'a', logits: [2, -1] },
      { id: 'b', logits: [-0.1, -0.1] },
      { id: 'c', logits: [-0.1, -9] },
    ]);
    expect(await refusal(read('x.jsonl', rows, 'logprobs'))).toEqual([
      expect.stringMatching(/:1 logits a: score 1 is 2, but logprobs are at most 0; .*--unit/),
      expect.stringMatching(/:2 logits b: the probabilities of the options sum to 1\.8/),
    ]);
    const shares = lines([
      { id: 'a', logits: [1.5, 0] },
      { id: 'b', logits: [0.7, 0.7] },
      { id: 'c', logits: [0.7, 0.3] },
      { id: 'd', logits: [-0.1, 0.3] },
    ]);
    expect(await refusal(read('x.jsonl', shares, 'probabilities'))).toEqual([
      expect.stringMatching(/:1 logits a: score 1 is 1\.5, but probabilities are between 0 and 1/),
      expect.stringMatching(/:2 logits b: .* sum to 1\.4/),
      expect.stringMatching(/:4 logits d: score 1 is -0\.1/),
    ]);
  });
});
