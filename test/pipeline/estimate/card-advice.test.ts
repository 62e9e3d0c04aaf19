import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ModelSpec } from '../../../src/config/models-schema.js';
import type { ReplyForm } from '../../../src/contract/prompt.js';
import { advisedModels, cardAdvice } from '../../../src/pipeline/estimate/card-advice.js';
import { cpuAdvice } from '../../../src/pipeline/estimate/cpu-advice.js';
import type { InspectableModel } from '../../../src/pipeline/estimate/doctor-files.js';
import type { DoctorModel } from '../../../src/pipeline/estimate/doctor-model.js';
import { keepTuned, tunedFor } from '../../../src/scoring/source/tuned-shapes.js';

const H200 = { device: 'cuda', names: ['NVIDIA H200'], free: 140e9, build: { kind: 'none' }, hours: null } as const;
const q8 = { model: 'small', bytes: 8.5e9, weights: 8e9, beside: 9e9, hasExperts: false, toTune: false };
const q4 = { model: 'large', bytes: 42e9, weights: 70e9, beside: 20e9, hasExperts: false, toTune: false };
const bf16 = { model: 'whole', bytes: 16e9, weights: 8e9, beside: 9e9, hasExperts: false, toTune: false };
const experts = { model: 'many', bytes: 18e9, weights: 30e9, beside: 9e9, hasExperts: true, toTune: false };
const BUILD = {
  cmake: {},
  variables: {},
  compiler: 'CUDA 13.0',
  nodeLlamaCpp: '',
  llamaCppRelease: '',
  folder: 'f',
  card: '',
  driver: '',
  builtAt: '',
};

describe('cardAdvice', () => {
  it('names the models whose BF16 file fits beside their contexts, and a build for the card', () => {
    const [files, build, ...more] = cardAdvice(H200, [q8, q4, bf16]);
    expect(files).toMatch(/^a BF16 file fits for small \(at most 25\.0 GB of 140\.0 GB free\).*--quant BF16.*13,000/);
    expect(build).toMatch(/supportcal setup-gpu.*28,100 tokens\/s for 13,000/);
    expect(more).toEqual([]);
  });

  it('advises no build where one is used, and compares with its speed', () => {
    const lines = cardAdvice({ ...H200, build: { kind: 'used', build: BUILD } }, [q8]);
    expect(lines).toEqual([expect.stringContaining("for Q8_0's 28,100")]);
  });

  it('advises a build only for a run that takes longer than it', () => {
    expect(cardAdvice({ ...H200, hours: 0.1 }, [q8])).toEqual([expect.stringContaining('BF16')]);
    expect(cardAdvice({ ...H200, hours: 0.2 }, [q8])).toContainEqual(expect.stringContaining('setup-gpu'));
  });

  it('advises a build only for cards that were measured', () => {
    expect(cardAdvice({ ...H200, names: ['NVIDIA GeForce RTX 3060'], free: 12e9 }, [q8])).toEqual([]);
  });

  it('says of a build with cuBLAS products and no choice of kernels what mixtures of experts need', () => {
    const built = (more: object) => ({ kind: 'used', build: { ...BUILD, ...more } }) as const;
    const cmake = { GGML_CUDA_FORCE_CUBLAS: 'ON' };
    const advice = (more: object) => cardAdvice({ ...H200, build: built(more) }, [experts]);
    expect(advice({ cmake })).toEqual([
      expect.stringMatching(/experts \(many\) by cuBLAS: `supportcal setup-gpu` once more.*SUPPORTCAL_BUILD=prebuilt/),
    ]);
    expect(advice({ cmake, products: 'f/Release/supportcal-products-1.node' })).toEqual([]);
    expect(advice({})).toEqual([]);
    expect(cardAdvice(H200, [experts])).toEqual([]);
  });

  it('advises a search for a shape where a build with our own reader writes free text for long', () => {
    const used = (more: object) => ({ kind: 'used', build: { ...BUILD, ...more } }) as const;
    const reader = used({ reader: 'f/Release/supportcal-reader-1.node' });
    const writing = { ...bf16, toTune: true };
    expect(cardAdvice({ ...H200, build: reader }, [bf16, writing])).toEqual([
      expect.stringMatching(/doctor --tune` looks for the shape in which whole writes free text fastest.* 1\.5 x/),
    ]);
    expect(cardAdvice({ ...H200, build: reader, hours: 0.1 }, [writing])).toEqual([]);
    expect(cardAdvice({ ...H200, build: used({}) }, [writing])).toEqual([]);
    expect(cardAdvice({ ...H200, build: reader }, [bf16])).toEqual([]);
    expect(cardAdvice({ ...H200, build: reader, names: ['NVIDIA GeForce GTX 1050'] }, [writing])).toEqual([]);
  });

  it('says of mixtures of experts in 16 bits how much faster a quantised file is, on cards that were measured', () => {
    const whole = { ...experts, model: 'sixteen', bytes: 61e9 };
    expect(cardAdvice(H200, [whole, bf16])).toEqual([
      expect.stringMatching(
        /experts in 16 bits \(sixteen\) are slow: 6,200 tokens\/s for the 15,800.*--quant Q4_K_M`;/,
      ),
    ]);
    const cublas = { kind: 'used', build: { ...BUILD, cmake: { GGML_CUDA_FORCE_CUBLAS: 'ON' } } } as const;
    expect(cardAdvice({ ...H200, build: cublas }, [whole])).toEqual([
      expect.stringMatching(/--quant Q4_K_M` after `supportcal setup-gpu` once more, 4,200 without;/),
    ]);
    expect(cardAdvice({ ...H200, names: ['NVIDIA L4'] }, [whole])).toEqual([]);
    expect(cardAdvice(H200, [{ ...whole, weights: 0 }])).toEqual([]);
  });

  it('has nothing to say of files of 16 bits, and of other devices', () => {
    expect(cardAdvice(H200, [bf16])).toEqual([]);
    expect(cardAdvice({ ...H200, device: 'vulkan' }, [q8])).toEqual([]);
  });
});

describe('cpuAdvice', () => {
  const here = {
    device: 'cpu',
    build: { kind: 'none' },
    hours: 1,
    platform: 'linux x64',
    nodeLlamaCpp: '3.22.1',
  } as const;

  it('advises a build where files of 16 bits would be twice as fast, and says which', () => {
    const [line, ...more] = cpuAdvice(here, [q8, bf16]);
    expect(line).toMatch(/supportcal setup-cpu.*files of 16 bits twice as fast \(whole\).*4 to 12 %/);
    expect(more).toEqual([]);
    expect(cpuAdvice(here, [q8, q4])).toEqual([]);
  });

  it('has nothing to say on a card, with a build in use, of a short run, and where nobody has measured', () => {
    const others = [
      { ...here, device: 'cuda' as const },
      { ...here, build: { kind: 'used', build: BUILD } as const },
      { ...here, hours: 0.1 },
      { ...here, platform: 'darwin arm64' },
      { ...here, nodeLlamaCpp: '4.0.0' },
    ];
    for (const other of others) expect(cpuAdvice(other, [bf16])).toEqual([]);
  });
});

describe('advisedModels', () => {
  const file = path.resolve(import.meta.dirname, '../../../models/demo/tern-base.gguf');
  const card = { name: 'NVIDIA H200' } as const;
  const FORM = { leads: [''], parts: ['a', 'b', 'c'] } as unknown as ReplyForm;
  const asking = (form: ReplyForm | null, scoring: ModelSpec['scoring'] = {}) => {
    const model = { id: 'm', role: 'base', bucket: 'b', file, prompt: 'raw', scoring } as ModelSpec;
    const prompts = [
      { id: 'q', text: 'x', mode: 'letter' },
      { id: 'q#1', text: 'x', mode: 'reply', reply: { form } },
    ];
    const place = { kind: 'gguf', path: file, bytes: 2_400_000 };
    return {
      model,
      asked: [],
      job: { model, place, jobs: [{ dataset: 'd', prompts }] },
    } as unknown as InspectableModel;
  };
  const looked = [{ model: 'm', memory: { kvCache: 1, compute: 2 } }] as unknown as DoctorModel[];
  const toTune = async (asked: InspectableModel, cache: string, known: { name: string } | undefined = card) => {
    const place = { cache, device: 'cuda', card: known as never } as const;
    return (await advisedModels([asked], looked, place)).map((each) => each.toTune);
  };

  it('are to be tuned where they write free text on the card, and nobody has looked for a shape or said one', async () => {
    const cache = mkdtempSync(path.join(tmpdir(), 'supportcal-advice-'));
    expect(await toTune(asking(null), cache)).toEqual([true]);
    expect(await toTune(asking(FORM), cache)).toEqual([false]);
    expect(await toTune(asking(null, { device: 'cpu' }), cache)).toEqual([false]);
    expect(await toTune(asking(null, { sequences: 32 }), cache)).toEqual([false]);
    expect(await toTune(asking(null, { contexts: 3 }), cache)).toEqual([true]);
    await keepTuned(cache, { ...tunedFor('cuda', card.name, 2_400_000), scoring: {}, gain: 1, tunedAt: '' });
    expect(await toTune(asking(null), cache)).toEqual([false]);
    expect(await toTune(asking(null), cache, { name: 'NVIDIA L4' })).toEqual([true]);
  });
});
