import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadModels } from '../../src/config/load-models.js';
import { loadPublished } from '../../src/config/load-published.js';
import type { SupportCalError } from '../../src/errors/supportcal-error.js';

const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-models-'));

function modelsFile(text: string): string {
  const file = path.join(folder, 'models.yaml');
  writeFileSync(file, text);
  return file;
}

async function faultsOf(text: string) {
  const error = (await loadModels(modelsFile(text)).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )) as SupportCalError | undefined;
  return error?.faults ?? [];
}

const GOOD = `models:
  - {id: b1, role: base}
  - {id: b2, role: base}
  - {id: t1, role: post-trained, base: b1}
suites:
  s: {datasets: [d]}
`;

describe('loadModels', () => {
  it('runs experimental methods only where a suite names them', async () => {
    const experimental = ['confidence-matched', 'accuracy-matched'];
    const models = await loadModels(
      modelsFile(`${GOOD}  e: {datasets: [d], methods: [vanilla, ${experimental.join(', ')}]}\n`),
    );
    expect(models.suites.s!.methods).not.toEqual(expect.arrayContaining([expect.stringMatching(/-matched$/)]));
    expect(models.suites.e!.methods).toEqual(['vanilla', ...experimental]);
  });

  it('reports data sets without methods, lists for others, and unknown methods of a list in their place', async () => {
    const lists = '{other: [vanilla], d: [vanilla, dacca]}';
    const text = `${GOOD}  p: {datasets: [d, e], methods: ${lists}}\n`;
    const error = await loadModels(modelsFile(text), { methodsOf: { suite: 'p', own: [] } }).then(
      () => null,
      (thrown: SupportCalError) => thrown,
    );
    expect(error!.faults.map(({ field, message }) => [field, message])).toEqual([
      ['suites.p.methods.d.1', expect.stringMatching(/^unknown method "dacca"; did you mean "daca"\?/)],
      ['suites.p.methods.other', expect.stringMatching(/^"other" is not a data set of this suite/)],
      ['suites.p.methods', 'says no methods for the data set "e"'],
    ]);
  });

  it('fills in the defaults of models and suites', async () => {
    const models = await loadModels(modelsFile(GOOD));
    expect(models.models[2]).toMatchObject({ prompt: 'raw', bucket: 'default' });
    expect(models.suites.s).toMatchObject({
      targets: 'all',
      seeds: [1, 2, 3, 4, 5],
      calibrationFraction: 0.3,
      bins: 10,
    });
  });

  it('reports all faults of the file at once, each with line and field', async () => {
    const faults = await faultsOf(`models:
  - {id: b1, role: base}
  - {id: b1, role: base, base: t1}
  - {id: t1, role: post-trained, base: b9}
  - {id: t2, role: post-trained}
  - {id: t3, role: post-trained, base: t1}
suites:
  s: {datasets: [d], targets: [t1, tt], combinationSizes: {e: [1]}}
`);
    expect(faults.map((fault) => [fault.line, fault.field])).toEqual([
      [3, 'models.1.id'],
      [3, 'models.1.base'],
      [4, 'models.2.base'],
      [5, 'models.3'],
      [6, 'models.4.base'],
      [8, 'suites.s.targets.1'],
      [8, 'suites.s.combinationSizes.e'],
    ]);
    expect(faults[2]!.message).toMatch(/unknown base model "b9"; did you mean "b1"/);
  });

  it('refuses a label that names two models', async () => {
    const faults = await faultsOf(`models:
  - {id: b1, role: base, label: One}
  - {id: b2, role: base, label: b1}
  - {id: t1, role: post-trained, base: b1, label: One}
  - {id: t2, role: post-trained, base: b1, label: t2}
suites:
  s: {datasets: [d]}
`);
    expect(faults.map(({ line, field, message }) => [line, field, message])).toEqual([
      [3, 'models.1.label', '"b1" is the id of a model; labels name one model each'],
      [4, 'models.2.label', '"One" is the label of another model, too; labels name one model each'],
    ]);
  });

  it('names the nearest known key for an unknown one', async () => {
    const faults = await faultsOf(GOOD.replace('base: b1', 'base: b1, scoring: {contextsize: 3}'));
    expect(faults[0]).toMatchObject({ line: 4, field: 'models.2.scoring.contextsize' });
    expect(faults[0]!.message).toMatch(/did you mean "contextSize"/);
  });

  it('says "write it in quotes" where a number stands for a string', async () => {
    const faults = await faultsOf(GOOD.replace('id: b2', 'id: 123'));
    expect(faults[0]!.message).toMatch(/expected string.*write it in quotes: "123"/);
  });

  it('names a missing file as the user wrote it', async () => {
    await expect(loadModels('no/such.yaml')).rejects.toMatchObject({ code: 'missing-file', file: 'no/such.yaml' });
  });

  it('refuses an assistant prefix on a raw prompt', async () => {
    const faults = await faultsOf(`models:
  - {id: b1, role: base, assistantPrefix: 'Answer:'}
  - {id: t1, role: post-trained, base: b1, prompt: chat, assistantPrefix: 'Answer:', promptVariant: chat}
suites:
  s: {datasets: [d]}
`);
    expect(faults).toMatchObject([
      { line: 2, field: 'models.0.assistantPrefix', message: expect.stringContaining('`prompt: chat`') },
    ]);
  });

  it('takes an adapter as one file or as files with scales, and refuses one without a model file', async () => {
    const faults = await faultsOf(`models:
  - {id: b1, role: base, file: b.gguf, lora: a.gguf, scoring: {kvType: q8_0, gpuLayers: max, memoryCheck: off}}
  - {id: b2, role: base, file: b.gguf, lora: [{file: a.gguf}, {file: c.gguf, scale: 0.5}], scoring: {gpuLayers: 0}}
  - {id: b3, role: base, lora: a.gguf}
  - {id: t1, role: post-trained, base: b1}
suites:
  s: {datasets: [d]}
`);
    expect(faults).toMatchObject([{ line: 4, field: 'models.2.lora', message: expect.stringContaining('`file`') }]);
  });

  it('refuses a KV cache in blocks without flash attention, and takes every other pair', async () => {
    const faults = await faultsOf(`models:
  - {id: b1, role: base, file: b.gguf, scoring: {flashAttention: off, kvType: q4_0}}
  - {id: b2, role: base, file: b.gguf, scoring: {flashAttention: off, kvType: f32}}
  - {id: b3, role: base, file: b.gguf, scoring: {flashAttention: auto, kvType: q8_0}}
  - {id: b4, role: base, file: b.gguf, scoring: {flashAttention: on}}
  - {id: t1, role: post-trained, base: b2}
suites:
  s: {datasets: [d]}
`);
    expect(faults).toMatchObject([
      { line: 2, field: 'models.0.scoring.flashAttention', message: expect.stringContaining('q4_0') },
    ]);
  });
});

describe('a path in models.yaml', () => {
  const load = async (file: string) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-paths-'));
    const models = [{ id: 'b', role: 'base', file }];
    writeFileSync(path.join(folder, 'models.yaml'), JSON.stringify({ models, suites: {} }));
    return loadModels(path.join(folder, 'models.yaml'));
  };

  it('may lead anywhere, since a run shows nothing of what a model file holds', async () => {
    const up = ['../models/x.gguf', 'models/../../x.gguf', '../../../../etc/passwd'];
    for (const file of ['models/a.gguf', 'models/../a.gguf', '..a.gguf', '/anywhere/a.gguf', ...up]) {
      await expect(load(file)).resolves.toMatchObject({ models: [{ file }] });
    }
  });

  it('to printed numbers stays in the project too, also through a link', async () => {
    const project = mkdtempSync(path.join(tmpdir(), 'supportcal-paths-'));
    const outside = path.join(mkdtempSync(path.join(tmpdir(), 'supportcal-paths-')), 'numbers.yaml');
    writeFileSync(outside, 'title: T\ntables: []\n');
    symlinkSync(outside, path.join(project, 'link.yaml'));
    for (const file of [path.relative(project, outside), 'link.yaml', outside]) {
      const suites = { s: { datasets: ['d'], published: { file } } };
      const models = [
        { id: 'b', role: 'base' },
        { id: 't', role: 'post-trained', base: 'b' },
      ];
      writeFileSync(path.join(project, 'models.yaml'), JSON.stringify({ models, suites }));
      const loaded = await loadModels(path.join(project, 'models.yaml'));
      await expect(loadPublished(loaded, 's')).rejects.toMatchObject({
        code: 'bad-input',
        message: expect.stringContaining('lies outside the project; add --allow-outside'),
      });
      // Read, and found to hold no table.
      await expect(loadPublished(loaded, 's', { allowOutside: true })).rejects.toThrow(/numbers\.yaml|link\.yaml/);
    }
  });

  it('of the hub takes no step upwards', async () => {
    for (const file of [
      'hf:../../etc/passwd',
      'hf:a/b/../../../c.gguf',
      'hf:a/b//c.gguf',
      'hf:./b/c.gguf',
      'hf:a/b/./c.gguf',
      'hf:a/b@../c.gguf',
    ])
      await expect(load(file), file).rejects.toMatchObject({ code: 'bad-input', field: 'models.0.file' });
    await expect(load('hf:a/b/folder/..c.gguf')).resolves.toBeDefined();
  });
});
