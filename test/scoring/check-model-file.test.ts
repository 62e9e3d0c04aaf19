import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkModelFile } from '../../src/scoring/check-model-file.js';
import { llamaCppRelease, nodeLlamaCppVersion } from '../../src/scoring/native-versions.js';

const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, content: string) => {
  writeFileSync(path.join(folder, name), content);
  return path.join(folder, name);
};

describe('checkModelFile', () => {
  it.each([
    ['a folder', folder, 'bad-input', 'is a folder'],
    ['an empty file', file('empty.gguf', ''), 'bad-input', 'is empty'],
    ['a renamed text file', file('text.gguf', 'Once upon a time there was a model.'), 'bad-input', 'is no GGUF file'],
    ['a missing file', path.join(folder, 'missing.gguf'), 'missing-file', 'no such model file'],
  ])('refuses %s with the path as written', async (_, where, code, message) => {
    await expect(checkModelFile(where, 'models/mine.gguf')).rejects.toMatchObject({
      code,
      message: expect.stringMatching(new RegExp(`^models/mine.gguf: .*${message}`)),
    });
  });

  it('gives the size of a file that begins like a GGUF', async () => {
    expect(await checkModelFile(file('good.gguf', `GGUF${'x'.repeat(96)}`), 'good.gguf')).toEqual({ bytes: 100 });
  });
});

describe('native versions', () => {
  it('are read from the package, without native code', () => {
    expect(nodeLlamaCppVersion()).toMatch(/^\d+\.\d+\.\d+/);
    expect(llamaCppRelease()).toMatch(/\d/);
  });
});
