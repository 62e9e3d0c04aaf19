import { afterAll, describe, expect, it } from 'vitest';
import type { ModelSpec } from '../../src/config/models-schema.js';
import type { ExamplePrompt } from '../../src/contract/prompt.js';
import type { ScoredRow } from '../../src/contract/scored-row.js';
import { scoreModels } from '../../src/scoring/score-models.js';
import { type StayingModel, stayingModel } from '../../src/scoring/staying-model.js';
import { startedModule } from '../built-modules.js';

const model = { id: 'stub', role: 'base', prompt: 'raw' } as ModelSpec;
const engine = { backendModule: startedModule('engine/stub-backend').href, batchSeconds: 5 };
const place = { kind: 'gguf', path: '/stub.gguf', bytes: 1000 } as const;
const settings = { device: 'cpu', cores: 2 } as const;

const open: StayingModel[] = [];
afterAll(() => Promise.all(open.map((each) => each.close())));

function staying(path: string = place.path, longest = 400): StayingModel {
  const options = { longest, sharing: [] };
  const made = stayingModel({ model, place: { ...place, path } }, settings, options, { engine });
  open.push(made);
  return made;
}

function prompt(text: string, id = text): ExamplePrompt {
  return { id, text: `${text}\nAnswer:`, mode: 'letter', continuations: ['A', 'B', 'C'], answerPrefix: ' ' };
}

describe('a model that stays', () => {
  const kept = staying();

  it('gives the rows of the batch scorer, in the order of each call, whatever comes together', async () => {
    const prompts = Array.from({ length: 40 }, (_, n) => prompt(`question ${n} ${'x'.repeat(n)}`));
    const batch = new Map<string, ScoredRow>();
    const job = {
      dataset: 'd',
      prompts,
      onRows: async (rows: readonly ScoredRow[]) => void rows.map((row) => batch.set(row.id, row)),
    };
    await scoreModels([{ model, place, jobs: [job] }], settings, {}, engine);
    const single = prompts.slice(0, 20).map(async (each) => (await kept.score([each]))[0]);
    const rows = [...(await Promise.all(single)), ...(await kept.score(prompts.slice(20)))];
    expect(rows.map((row) => row!.status)).toEqual(prompts.map(() => 'ok'));
    expect(rows).toEqual(prompts.map(({ id }) => batch.get(id)));
    expect([kept.isOpen(), kept.waiting()]).toEqual([true, 0]);
  });

  it('fails a question that is too long, and one whose evaluation throws, and no other', async () => {
    const [long, thrown, good] = await kept.score([prompt('x'.repeat(500)), prompt('THROW'), prompt('good')]);
    expect(long).toMatchObject({ status: 'failed', reason: expect.stringMatching(/tokens, but/) });
    expect(thrown).toMatchObject({ status: 'failed' });
    expect(good).toMatchObject({ status: 'ok', id: 'good' });
  });

  it('rejects what waits for a child that died, and starts another for what comes then', async () => {
    await expect(kept.score([prompt('ABORT')])).rejects.toThrow(/stub: the worker process ended: .*SIGABRT/);
    expect((await kept.score([prompt('after')]))[0]).toMatchObject({ status: 'ok', id: 'after' });
  });

  it('says why a model cannot be loaded, and answers nothing once closed', async () => {
    const refused = staying('/refused.gguf');
    await expect(refused.open()).rejects.toThrow(/stub: unknown architecture/);
    await refused.close();
    await expect(refused.score([prompt('late')])).rejects.toThrow(/was closed/);
  });

  it('answers what waits before it ends', async () => {
    const ending = staying();
    const rows = ending.score([prompt('a'), prompt('b')]);
    await ending.open();
    await ending.close();
    expect((await rows).map(({ status }) => status)).toEqual(['ok', 'ok']);
  });
});
