import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readImportedEntry } from '../../../src/cache/imported-entry.js';
import { splitExamples } from '../../../src/calibration/split-examples.js';
import { importLogits } from '../../../src/pipeline/import-logits.js';
import { joinScores } from '../../../src/pipeline/join/dataset-scores.js';
import { joinGroups } from '../../../src/pipeline/join/join-groups.js';

const root = mkdtempSync(path.join(tmpdir(), 'supportcal-groups-'));
afterAll(() => rmSync(root, { recursive: true }));
const at = (name: string) => path.join(root, name);

it('keeps together what hangs together through copies and groups, and leaves the rest alone', () => {
  const [a, b, c, d, e, f] = joinGroups(['x', 'y', 'y', 'z', 'w', 'v'], ['g', 'g', null, 'h', null, 'h']) ?? [];
  expect(new Set([a, b, c]).size).toBe(1);
  expect(d).toBe(f);
  expect(new Set([a, d, e]).size).toBe(3);
  expect(joinGroups(null, ['g', null, 'g'])).toEqual(['0', '1', '0']);
});

it('changes nothing where no row has a group', () => {
  const copies = ['x', 'x'];
  expect(joinGroups(copies, [null, null])).toBe(copies);
  expect(joinGroups(null, [null, null])).toBeNull();
});

it('takes a group column of imports, through the cache, onto one side of every split', async () => {
  mkdirSync(at('datasets'));
  writeFileSync(at('datasets/quiz.yaml'), 'title: Imported\n');
  writeFileSync(
    at('models.yaml'),
    'models: [{ id: b, role: base }, { id: t, role: post-trained, base: b }]\nsuites: {}\n',
  );
  const ids = Array.from({ length: 40 }, (_, n) => `q${String(n).padStart(2, '0')}`);
  const groupOf = (n: number) => (n < 4 ? '' : `patient ${n % 9}`);
  const csv = (m: number) =>
    ['id,logit_0,logit_1,label,group', ...ids.map((id, n) => `${id},${Math.sin(n + m)},0,${n % 2},${groupOf(n)}`)].join(
      '\n',
    );
  const where = { models: at('models.yaml'), datasets: at('datasets'), cache: at('cache') };
  for (const [m, model] of ['t', 'b'].entries()) {
    writeFileSync(at('scores.csv'), csv(m));
    await importLogits({ file: at('scores.csv'), model, dataset: 'quiz', unit: 'logits', ...where });
  }
  const tables = new Map(
    await Promise.all(
      ['t', 'b'].map(async (model) => {
        const entry = await readImportedEntry(at('cache'), { model, dataset: 'quiz' });
        if (entry.kind !== 'complete') throw new Error(entry.kind);
        return [model, entry.table] as const;
      }),
    ),
  );
  const { contentHashes } = joinScores('quiz', null, tables);
  for (const seed of [1, 2, 3]) {
    const { calibration, evaluation } = splitExamples({ ids, contentHashes, seed, calibrationFraction: 0.3 });
    const sides = [calibration, evaluation].map(
      (rows) => new Set([...rows].map(groupOf).filter((group) => group !== '')),
    );
    expect([...sides[0]!].filter((group) => sides[1]!.has(group))).toEqual([]);
    expect(calibration.length).toBeGreaterThan(4);
  }
  writeFileSync(at('scores.csv'), csv(1).replaceAll('patient 5', 'patient 50'));
  await importLogits({ file: at('scores.csv'), model: 'b', dataset: 'quiz', unit: 'logits', ...where });
  const again = await readImportedEntry(at('cache'), { model: 'b', dataset: 'quiz' });
  if (again.kind !== 'complete') throw new Error(again.kind);
  expect(() => joinScores('quiz', null, new Map([...tables, ['b', again.table]]))).toThrow(
    /q05: the import for "b" has group "patient 50", another one "patient 5"/,
  );
});
