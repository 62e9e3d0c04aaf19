import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Results } from '../../src/results/results-schema.js';
import { run } from './fake-io.js';
import { importedSuite, rowsOf } from './imported-suite.js';

interface Row {
  id: string;
  logits: number[];
  label: number;
}
const suite = importedSuite();
const rows = rowsOf(3, 0.3) as Row[];
/** The first order is the plain prompt; the others favour the first option. */
const rotations = rows.map(({ id, logits }) => ({
  id,
  rotations: [logits, logits.map((z, k) => z + (k === 0 ? 2 : 0)), logits.map((z) => z / 2)],
}));
const importFile = (lines: readonly object[], ...more: string[]) => {
  writeFileSync(suite.file('r.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const what = ['--model', 'chat', '--dataset', 'quiz', '--unit', 'logits', '--rotations'];
  return run(['import', suite.file('r.jsonl'), ...what, ...suite.flags, ...more]);
};
const calibrate = () => run(['calibrate', '--suite', 's', '--out', suite.file('out'), ...suite.flags]);
const results = (): Results => JSON.parse(readFileSync(suite.file('out/results.json'), 'utf8'));

beforeAll(async () => {
  const models = readFileSync(suite.file('models.yaml'), 'utf8');
  writeFileSync(
    suite.file('models.yaml'),
    models.replace('{datasets: [quiz]', '{methods: [vanilla, cape, cape-log, daca, cape+daca], datasets: [quiz]'),
  );
  await suite.import('base', rowsOf(1, 0));
  await suite.import('ref-a', rowsOf(1, 0.1));
  await suite.import('ref-b', rowsOf(1, 0.2));
  await suite.import('chat', rows);
});

describe('import --rotations', () => {
  it('without it CAPE is missing, and the reason says how to bring it', async () => {
    await calibrate();
    const { runs, skipped } = results();
    expect(new Set(runs.map(({ method }) => method))).toEqual(new Set(['vanilla', 'daca']));
    expect(skipped).toEqual([
      expect.objectContaining({ model: 'chat', reason: expect.stringMatching(/supportcal import --rotations/) }),
    ]);
  });

  it('gives a suite of imported models CAPE, beside the plain scores', async () => {
    const { code, stdout } = await importFile(rotations);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^imported 40 rows of every order of the options/)]);
    expect(await importFile(rotations, '--quiet')).toMatchObject({ code: 0, stdout: '' });
    expect((await calibrate()).code).toBe(0);
    const { runs, skipped, warnings } = results();
    expect([skipped, warnings.filter((line) => /rotation/.test(line))]).toEqual([[], []]);
    const ofSeed = runs.filter(({ seed }) => seed === 1);
    expect(ofSeed.map(({ method }) => method)).toEqual(['vanilla', 'cape', 'cape-log', 'daca', 'cape+daca']);
    // The share of rows that the mean of the three softmaxes answers right, on the same split.
    const { evaluation } = JSON.parse(readFileSync(suite.file('out/splits.json'), 'utf8')).quiz['1'];
    const right = (evaluation as string[]).filter((id) => {
      const at = rows.findIndex((row) => row.id === id);
      const mean = [0, 1, 2].map((k) =>
        rotations[at]!.rotations.reduce((sum, logits) => {
          const weights = logits.map((z) => Math.exp(z));
          return sum + weights[k]! / weights.reduce((a, b) => a + b);
        }, 0),
      );
      return mean.indexOf(Math.max(...mean)) === rows[at]!.label;
    });
    expect(ofSeed[1]!.accuracy).toBeCloseTo(right.length / evaluation.length, 12);
    expect(ofSeed[1]!.ece).not.toBe(ofSeed[0]!.ece);
    expect(
      readdirSync(suite.file('cache')).filter((name) => /chat--quiz--import--rotations-.*json$/.test(name)),
    ).toHaveLength(1);
    const again = await run(['cache', 'verify', ...suite.flags.slice(-2)]);
    expect(again.code).toBe(0);
    const pruned = await run(['cache', 'prune', ...suite.flags]);
    expect(pruned.stdout).not.toMatch(/rotations/);
  });

  it('says so when the first order is not the plain scores', async () => {
    await importFile(rotations.map(({ id, rotations: [a, b, c] }) => ({ id, rotations: [b, a, c] })));
    await calibrate();
    expect(results().warnings.join('\n')).toMatch(/first rotation is the plain prompt, but a logit differs by 2/);
  });

  it('counts options of probability 0 in every order, and says where the plain prompt has another one', async () => {
    const impossible = rotations.map(({ id, rotations: [plain, ...others] }, n) => {
      const [a, b] = plain!;
      return { id, rotations: [[a, b, n < 10 ? null : others[1]![2]! * 2], ...others] };
    });
    writeFileSync(
      suite.file('zero.jsonl'),
      impossible
        .map((row) => `${JSON.stringify(row)}\n`)
        .join('')
        .replaceAll('null', '-Infinity'),
    );
    const what = ['--model', 'chat', '--dataset', 'quiz', '--unit', 'logits', '--rotations'];
    expect((await run(['import', suite.file('zero.jsonl'), ...what, ...suite.flags])).code).toBe(0);
    expect((await calibrate()).code).toBe(0);
    const { runs, warnings } = results();
    expect(warnings.join('\n')).toMatch(
      /first rotation is the plain prompt, but 10 options have the probability 0 in one/,
    );
    for (const { method, ece, evaluationCount } of runs)
      expect([method, evaluationCount, Number.isFinite(ece)]).toEqual([method, runs[0]!.evaluationCount, true]);
  });

  it('refuses rows that are not K orders of K scores, all together', async () => {
    const { code, stderr } = await importFile([
      {
        id: 'q0',
        rotations: [
          [1, 2, 3],
          [1, 2],
          [1, 2, 3],
        ],
      },
      { id: 'q1', rotations: [1, 2, 3] },
      { id: 'q2', logits: [1, 2, 3] },
      {
        id: 'q3',
        rotations: [
          [1, 'x'],
          [1, 2],
        ],
      },
    ]);
    expect(code).toBe(3);
    for (const line of [
      /order 2 of 3 has 2 scores; K options have K orders of K scores each/,
      /expected a list of lists of numbers/,
      /the field "rotations" is missing/,
      /holds something that is no number/,
    ])
      expect(stderr).toMatch(line);
  });

  it('a score that is not finite fails its row alone, with the order', async () => {
    const [first, ...others] = rotations;
    await importFile([
      {
        ...first,
        rotations: [
          [1, 2, 3],
          [1, null, 2],
          [1, 2, 3],
        ],
      },
      ...others,
    ]);
    await calibrate();
    expect(results().skipped).toEqual([
      expect.objectContaining({
        example: 'q0',
        reason: expect.stringMatching(/order 2: the imported score of option 2/),
      }),
    ]);
  });
});
