import { describe, expect, it } from 'vitest';
import type { LoadedModels } from '../../src/config/load-models.js';
import { modelsFileSchema } from '../../src/config/models-schema.js';
import { planOn, planSuite } from '../../src/config/plan-suite.js';

function models(suite: object): LoadedModels {
  const parsed = modelsFileSchema.parse({
    models: [
      { id: 'big', role: 'base', bucket: 'large' },
      { id: 't1', role: 'post-trained', base: 'b1', bucket: 'small' },
      { id: 'b1', role: 'base', bucket: 'small' },
      { id: 'b2', role: 'base', bucket: 'small' },
      { id: 'b3', role: 'base', bucket: 'small' },
    ],
    suites: { s: { datasets: ['d', 'e'], ...suite } },
  });
  return {
    ...parsed,
    file: 'models.yaml',
    localFile: null,
    locate: () => ({ line: 9 }),
    placeOfFile: () => ({ file: 'models.yaml' }),
  };
}

describe('planSuite', () => {
  it('takes as reference pool the bases of the bucket without the own base', () => {
    const plan = planSuite(models({}), { suite: 's' });
    expect(plan.targets[0]!.referencePool.map((model) => model.id)).toEqual(['b2', 'b3']);
    expect(plan.models.map((model) => model.id)).toEqual(['b1', 'b2', 'b3', 't1']);
  });

  it('lets flags override the suite', () => {
    const plan = planSuite(models({ seeds: [1] }), { suite: 's', seeds: [11, 12], datasets: ['e'], bins: 20 });
    expect([plan.seeds, plan.datasets, plan.binning.bins]).toEqual([[11, 12], ['e'], 20]);
  });

  it('leaves references out where neither a method nor a diagnostic wants them, data set by data set', () => {
    const methods = ['vanilla', 'daca', 'full-kl'];
    const ids = (suite: object, filters: object = {}) => {
      const plan = planSuite(models(suite), { suite: 's', ...filters });
      return [plan.models.map(({ id }) => id), ['d', 'e'].map((id) => plan.needs(id, 'b2'))];
    };
    const all = ['b1', 'b2', 'b3', 't1'];
    expect(ids({ methods })).toEqual([
      ['b1', 't1'],
      [false, false],
    ]);
    expect(ids({ methods: { d: methods, default: [...methods, 'cape+supportcal'] } })).toEqual([all, [false, true]]);
    expect(ids({ methods: ['accuracy-matched'] })).toEqual([all, [true, true]]);
    expect(ids({ methods, diagnostics: 'full' })).toEqual([all, [true, true]]);
    expect(ids({ methods }, { listCombinations: true })).toEqual([all, [true, true]]);
    // Sizes that a pool could not fill are no fault where nothing uses them.
    const none = planSuite(models({ methods, combinationSizes: [5] }), { suite: 's' });
    expect(none.targetsOf('d').map(({ referencePool }) => referencePool)).toEqual([[]]);
    expect(none.combinationSizes('d')).toEqual([]);
  });

  it('takes methods per data set, with `default` for the rest; those of one data set have their combination methods alone', () => {
    const methods = { d: ['vanilla', 'cape', 'supportcal'], default: ['vanilla', 'daca'] };
    const plan = planSuite(models({ methods }), { suite: 's' });
    expect(plan.methods).toEqual(['vanilla', 'cape', 'supportcal', 'daca']);
    expect([plan.methodsOf('d'), plan.methodsOf('e')]).toEqual([methods.d, methods.default]);
    const [onD, onE] = [planOn(plan, 'd'), planOn(plan, 'e')];
    expect([onD.methods, onD.combinationMethods]).toEqual([methods.d, ['supportcal']]);
    expect([onE.methods, onE.combinationMethods]).toEqual([methods.default, []]);
    expect(planSuite(models({ methods }), { suite: 's', datasets: ['e'] }).methods).toEqual(methods.default);
  });

  it('takes combination sizes per data set, with `default` for the rest', () => {
    const plan = planSuite(models({ combinationSizes: { d: [2], default: [1] } }), { suite: 's' });
    expect([plan.combinationSizes('d'), plan.combinationSizes('e')]).toEqual([[2], [1]]);
  });

  it('refuses a combination size above the pool and lists the pool', () => {
    expect(() => planSuite(models({ combinationSizes: [3] }), { suite: 's' })).toThrow(
      /M = 3 .*its pool has 2: b2, b3/,
    );
  });

  it('shrinks the default sizes to a small pool', () => {
    expect(planSuite(models({ references: ['b2'] }), { suite: 's' }).combinationSizes('d')).toEqual([1]);
  });

  it('leaves no default size where the pool is empty, so that the other methods still run', () => {
    const alone = models({});
    const plan = planSuite(
      { ...alone, models: alone.models.filter((model) => !['b2', 'b3'].includes(model.id)) },
      { suite: 's' },
    );
    expect(plan.combinationSizes('d')).toEqual([]);
  });

  it('refuses an unknown suite, target or data set and names the nearest', () => {
    expect(() => planSuite(models({}), { suite: 'ss' })).toThrow(/no suite "ss"; did you mean "s"/);
    expect(() => planSuite(models({}), { suite: 's', targets: ['t2'] })).toThrow(/--target "t2"/);
    expect(() => planSuite(models({}), { suite: 'toString' })).toThrow(/no suite/);
  });
});

describe('a plan of thousands of models', () => {
  /** How often the fields of models are read while a suite of that many targets is planned. */
  function readsOf(targets: number): number {
    let reads = 0;
    const { suites, ...rest } = models({ combinationSizes: [1] });
    const counted = Array.from({ length: targets }, (_, n) => {
      const bucket = `bucket ${Math.floor(n / 5)}`;
      return [
        { id: `b${n}`, role: 'base', bucket },
        { id: `t${n}`, role: 'post-trained', base: `b${n}`, bucket },
      ];
    }).flat();
    const get = (model: object, field: string | symbol) => {
      reads++;
      return Reflect.get(model, field);
    };
    const list = counted.map((model) => new Proxy(model, { get })) as unknown as LoadedModels['models'];
    planSuite({ ...rest, suites, models: list }, { suite: 's' });
    return reads;
  }

  it('takes work that grows with their number, not with its square', () => {
    const [few, many] = [readsOf(100), readsOf(400)];
    expect(few).toBeGreaterThan(100);
    expect(many / few).toBeLessThan(5);
  });
});
