import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadDatasetSpecs } from '../../src/config/load-dataset-specs.js';
import { loadModels } from '../../src/config/load-models.js';
import { loadPublished } from '../../src/config/load-published.js';
import { planSuite } from '../../src/config/plan-suite.js';
import type { PublishedTable } from '../../src/config/published-schema.js';
import { modelReference } from '../../src/hub/hub-model.js';
import { parseResults } from '../../src/results/parse-results.js';

const root = path.resolve(import.meta.dirname, '..', '..');
const models = await loadModels(path.join(root, 'models.yaml'));
const plan = (suite: string) => planSuite(models, { suite });
const published = (suite: string) => loadPublished(models, suite);

describe('the suites of the paper', () => {
  it.each([
    ['paper-medmcqa', 'medmcqa', 12, [2, 4]],
    ['paper-mathqa', 'mathqa', 7, [1, 2]],
    ['paper-tweeteval', 'tweeteval-sentiment', 6, [2, 4]],
  ] as const)('%s calibrates exactly the targets of its table', async (suite, dataset, count, sizes) => {
    const { targets, combinationSizes, seeds, calibrationFraction } = plan(suite);
    const [table, ...others] = (await published(suite))!.tables;
    expect(others).toEqual([]);
    expect(targets.map(({ target }) => target.id).sort()).toEqual(Object.keys(table!.rows).sort());
    expect([targets.length, combinationSizes(dataset)]).toEqual([count, sizes]);
    expect([seeds, calibrationFraction]).toEqual([[1, 2, 3, 4, 5], 0.3]);
  });

  it.each([['paper-medmcqa'], ['paper-mathqa'], ['paper-tweeteval'], ['paper-ablation']])(
    '%s runs every column that its tables print',
    async (suite) => {
      const { methodsOf, combinationSizes } = plan(suite);
      for (const { dataset, columns } of (await published(suite))!.tables) {
        for (const column of columns) {
          const [method, size] = column.split(' ');
          expect(methodsOf(dataset)).toContain(method);
          if (size !== undefined) expect(combinationSizes(dataset)).toContain(Number(size));
        }
      }
    },
  );

  it('paper-ablation has the targets of Appendix D, other ones per data set', async () => {
    const { targetsOf } = plan('paper-ablation');
    for (const { dataset, rows } of (await published('paper-ablation'))!.tables)
      expect(targetsOf(dataset).map(({ target }) => target.id)).toEqual(Object.keys(rows));
  });

  it('has nine pretrained models in the small bucket and five in the medium one', () => {
    const bases = models.models.filter((model) => model.role === 'base');
    const sizes = ['small', 'medium'].map((bucket) => bases.filter((model) => model.bucket === bucket).length);
    expect(sizes).toEqual([9, 5]);
    expect(plan('paper-medmcqa').models.length).toBe(14 + 12);
  });

  it('takes Qwen2.5-Math as an own base and never as a reference', () => {
    for (const suite of Object.keys(models.suites)) {
      for (const { target, ownBase, referencePool } of plan(suite).targets) {
        expect(referencePool.map(({ id }) => id)).not.toContain('qwen2.5-math-7b');
        expect(referencePool).not.toContain(ownBase);
        if (target.id === 'qwen2.5-math-7b-instruct')
          expect([ownBase.id, referencePool.length]).toEqual(['qwen2.5-math-7b', 9]);
      }
    }
  });

  it('names a file of the hub for every model, in the asked quantisation', async () => {
    const other = await loadModels(path.join(root, 'models.yaml'), { quant: 'Q4_K_M' });
    for (const [i, { id, bucket, file }] of models.models.entries()) {
      if (bucket === 'demo') continue;
      expect([id, modelReference(file!)?.file]).toEqual([id, expect.stringMatching(/[.-]Q8_0\.gguf$/)]);
      expect(other.models[i]!.file).toBe(file!.replace('Q8_0', 'Q4_K_M'));
    }
  });

  it('says in docs/hub-models.md how each name is known', () => {
    const rows = readFileSync(path.join(root, 'docs/hub-models.md'), 'utf8').matchAll(
      /^\| (\S+) \| (\S+\/\S+) \| (.+) \|$/gm,
    );
    const named = [...rows].map(([, id, repository]) => [id, repository]);
    const ours = models.models.flatMap(({ id, bucket, file }) =>
      bucket === 'demo' ? [] : [[id, modelReference(file!)!.repository.name]],
    );
    expect(named).toEqual(ours);
  });

  it('has every data set in the folder', async () => {
    const ids = ['paper-diagnostics', 'demo'].flatMap((suite) => models.suites[suite]!.datasets);
    await expect(loadDatasetSpecs(path.join(root, 'datasets'), ids)).resolves.toHaveLength(ids.length);
  });
});

describe('the demo suite', () => {
  it('has the columns of Appendix B, which cost one pass of a target; demo-elicitation has every one of the paper', () => {
    const { datasets, methodsOf, methods } = plan('demo');
    for (const dataset of datasets)
      expect(methodsOf(dataset)).toEqual(expect.arrayContaining([...plan('paper-tweeteval').methods]));
    expect(methods.filter((method) => /cape|elicitation|p-true/.test(method))).toEqual([]);
    for (const suite of ['paper-medmcqa', 'paper-mathqa'])
      expect([...plan('demo-elicitation').methods]).toEqual(expect.arrayContaining([...plan(suite).methods]));
  });
});

describe('the printed numbers', () => {
  it.each([['paper-medmcqa'], ['paper-mathqa']])(
    '%s: rows give the macro averages that the paper prints',
    async (suite) => {
      const [{ columns, rows, macro }] = (await published(suite))!.tables as [PublishedTable];
      columns.forEach((_, c) => {
        const means = Object.values(rows).map((cells) => cells[c]![0]);
        const average = means.reduce((sum, each) => sum + each, 0) / means.length;
        expect(Math.abs(average - macro![c]!)).toBeLessThan(0.0011);
      });
    },
  );

  it('give the averages of TweetEval that the text states: 16.59 for DACA, 15.06 and 15.16 for SupportCal', async () => {
    const [table] = (await published('paper-tweeteval'))!.tables;
    const averages = table!.columns.map((_, c) => {
      const means = Object.values(table!.rows).map((cells) => cells[c]![0]);
      return (means.reduce((sum, each) => sum + each, 0) / means.length).toFixed(2);
    });
    expect(averages).toEqual(['16.59', '15.06', '15.16']);
  });

  it('say of SupportCal against DACA what the text says', async () => {
    const wins = async (suite: string) => {
      const [{ columns, rows }] = (await published(suite))!.tables as [PublishedTable];
      const daca = columns.indexOf('daca');
      return [1, 2].map(
        (after) => Object.values(rows).filter((cells) => cells[daca + after]![0] < cells[daca]![0]).length,
      );
    };
    expect(await wins('paper-medmcqa')).toEqual([12, 12]);
    expect(await wins('paper-mathqa')).toEqual([7, 6]);
    expect(await wins('paper-tweeteval')).toEqual([6, 6]);
  });

  it('of figures and appendices are set beside the broader pool, whose targets they are of, and nowhere else', async () => {
    const of = async (suite: string) => (await published(suite))!.diagnostics;
    expect((await of('paper-diagnostics')).map(({ dataset }) => dataset)).toEqual([
      'medmcqa',
      'mathqa',
      'tweeteval-sentiment',
    ]);
    for (const suite of ['paper-medmcqa', 'paper-ablation']) expect(await of(suite)).toEqual([]);
  });

  it('are the same in a table and in the ablation that repeats it, to a unit of the last printed digit', async () => {
    const { tables } = (await loadPublished(
      {
        ...models,
        suites: {
          all: {
            ...models.suites['paper-medmcqa']!,
            published: { file: 'published/supportcal-paper.yaml', diagnostics: true },
          },
        },
      },
      'all',
    ))!;
    let repeated = 0;
    for (const fine of tables.filter(({ name }) => name.startsWith('relative_only'))) {
      const coarse = tables.find(({ name }) => name === fine.dataset)!;
      for (const [target, cells] of Object.entries(fine.rows)) {
        cells.forEach((cell, c) => {
          const other = coarse.rows[target]?.[coarse.columns.indexOf(fine.columns[c]!)];
          if (other === undefined) return;
          repeated++;
          for (const part of [0, 1] as const) expect(Math.abs(cell![part] - other![part])).toBeLessThan(0.001);
        });
      }
    }
    expect(repeated).toBe(12);
  });

  it('has the numbers that are shipped to compare a run with, of the methods, seeds and targets that it runs', () => {
    const file = path.join(root, 'published/demo.json');
    const { protocol, summary, status } = parseResults(readFileSync(file, 'utf8'), file);
    const { targets, datasets, methods, seeds, calibrationFraction } = plan('demo');
    expect([status, protocol.seeds, protocol.calibrationFraction]).toEqual(['complete', seeds, calibrationFraction]);
    expect(protocol.methods).toEqual(methods);
    expect(new Set(summary.map(({ dataset }) => dataset))).toEqual(new Set(datasets));
    expect(new Set(summary.map(({ target }) => target))).toEqual(new Set(targets.map(({ target }) => target.id)));
  });
});
