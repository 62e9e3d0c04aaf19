import { mkdtempSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { checkAdapterFile, checkModelFile } from '../../../src/models/gguf/check-model-file.js';
import { modelParts } from '../../../src/models/gguf/model-parts.js';
import { splitGguf } from './split-gguf.js';

const tern = path.resolve(import.meta.dirname, '../../../models/demo/tern-base.gguf');
const adapter = path.resolve(import.meta.dirname, '../../fixtures/lora/tern-q.gguf');
const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-parts-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a split model', () => {
  let first: string;
  let parts: string[];
  beforeEach(() => {
    first = splitGguf(tern, 3, path.join(folder, 'split'));
    parts = modelParts(first);
  });

  it('is all its parts, found by the name of the first', async () => {
    expect(parts.map((part) => path.basename(part))).toEqual([1, 2, 3].map((n) => `split-0000${n}-of-00003.gguf`));
    const bytes = parts.reduce((sum, part) => sum + readFileSync(part).length, 0);
    expect(await checkModelFile(first, 'split')).toEqual({
      bytes,
      files: parts,
      architecture: 'llama',
      hasExperts: false,
      weights: expect.any(Number),
      work: expect.objectContaining({ perToken: expect.any(Number), perPrompt: expect.any(Number) }),
    });
  });

  it('is refused with the name of every part that is missing or cut', async () => {
    rmSync(parts[1]!);
    truncateSync(parts[2]!, 5000);
    const written = 'models/split-00001-of-00003.gguf';
    await expect(checkModelFile(first, written)).rejects.toMatchObject({
      faults: [
        {
          file: 'models/split-00002-of-00003.gguf',
          message: expect.stringMatching(/^no such model file; a path starts at the folder/),
        },
        { file: 'models/split-00003-of-00003.gguf', message: expect.stringMatching(/^is cut off/) },
      ],
    });
  });

  it('is named by its first part only', async () => {
    await expect(checkModelFile(parts[1]!, 'm-00002-of-00003.gguf')).rejects.toThrow(
      'm-00002-of-00003.gguf: is part 2 of 3 of a split model; name its first part, m-00001-of-00003.gguf',
    );
  });

  it('is refused when the parts do not say what their names say', async () => {
    writeFileSync(parts[1]!, readFileSync(parts[2]!));
    await expect(checkModelFile(first, first)).rejects.toThrow(/00002-of-00003.gguf: its header says part 3 of 3/);
    const renamed = path.join(folder, 'renamed.gguf');
    renameSync(first, renamed);
    await expect(checkModelFile(renamed, 'renamed.gguf')).rejects.toThrow(
      /renamed.gguf: its header says part 1 of 3 of a split model, its name is that of a whole model/,
    );
  });

  it('whose name claims 99,999 parts is one short fault', async () => {
    const claimed = first.replace('-of-00003', '-of-99999');
    renameSync(first, claimed);
    const check = checkModelFile(claimed, 'm-00001-of-99999.gguf');
    await expect(check).rejects.toThrow(
      /^m-00001-of-99999.gguf: its header says part 1 of 3 of a split model, its name says part 1 of 99999; [^\n]+$/,
    );
    const missing = checkModelFile(path.join(folder, 'no-00001-of-99999.gguf'), 'no-00001-of-99999.gguf');
    await expect(missing).rejects.toThrow(
      /^no-00001-of-99999.gguf: no such model file; a path starts at the folder of models\.yaml$/,
    );
    // A first part that says the same: some of the missing ones are named, not all.
    const bytes = readFileSync(claimed);
    const count = bytes.indexOf('split.count') + 'split.count'.length + 4;
    bytes.writeUInt16LE(9_999, count);
    const liar = claimed.replace('-of-99999', '-of-09999');
    writeFileSync(liar, bytes);
    const faults = await checkModelFile(liar, 'm-00001-of-09999.gguf').catch((error) => error.faults);
    expect(faults).toHaveLength(10);
  });
});

describe('checkAdapterFile', () => {
  it('takes an adapter for the architecture of the model', async () => {
    expect(await checkAdapterFile(adapter, 'a', 'llama')).toEqual({ bytes: readFileSync(adapter).length });
  });

  it('refuses a model, and a model entry refuses an adapter', async () => {
    await expect(checkAdapterFile(tern, 'a.gguf', 'llama')).rejects.toThrow(
      'a.gguf: is no LoRA adapter (general.type is model, expected "adapter")',
    );
    await expect(checkModelFile(adapter, 'm.gguf')).rejects.toThrow(/^m.gguf: is a LoRA adapter, no model/);
  });

  it('refuses an adapter for another architecture', async () => {
    const foreign = path.join(folder, 'foreign.gguf');
    writeFileSync(foreign, readFileSync(adapter, 'latin1').replace('llama', 'qwen2'), 'latin1');
    await expect(checkAdapterFile(foreign, 'f.gguf', 'llama')).rejects.toThrow(
      'f.gguf: is an adapter for the architecture qwen2, the model is llama',
    );
  });
});
