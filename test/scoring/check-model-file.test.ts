import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkModelFile } from '../../src/scoring/check-model-file.js';
import { llamaCppRelease, nodeLlamaCppVersion } from '../../src/scoring/native-versions.js';
import { tensorBytes } from '../../src/scoring/tensor-bytes.js';
import { ggufBytes, u64 } from './gguf-bytes.js';

const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, content: string | Buffer) => {
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

  it.each([
    ['as its header describes it', ggufBytes()],
    ['padded to its alignment', Buffer.concat([ggufBytes(), Buffer.alloc(2)])],
    ['with a tensor type of the future, whose size nobody knows', ggufBytes({ tensorType: 999 }).subarray(0, -20)],
  ])('takes a file %s and gives its size', async (_, bytes) => {
    const good = file('good.gguf', bytes);
    expect(await checkModelFile(good, 'good.gguf')).toEqual({
      bytes: bytes.length,
      files: [good],
      architecture: null,
    });
  });

  it('refuses every cut of a good file', async () => {
    const whole = ggufBytes();
    for (let length = 4; length < whole.length; length++) {
      const cut = file('cut.gguf', whole.subarray(0, length));
      await expect(checkModelFile(cut, 'cut.gguf'), `${length} bytes`).rejects.toMatchObject({
        message: expect.stringMatching(/^cut.gguf: .*fetch it again$/),
      });
    }
  });

  it('refuses foreign bytes behind the last tensor, and says how many', async () => {
    const longer = file('longer.gguf', Buffer.concat([ggufBytes(), Buffer.alloc(1 << 20)]));
    await expect(checkModelFile(longer, 'longer.gguf')).rejects.toThrow(/1048576 bytes behind its last tensor/);
  });

  it('refuses counts and lengths that the file cannot hold without walking or allocating them', async () => {
    const whole = ggufBytes();
    for (let at = 8; at < 200; at++) {
      const bytes = Buffer.from(whole);
      u64(2n ** 63n - 1n).copy(bytes, at);
      const damaged = file('damaged.gguf', bytes);
      await checkModelFile(damaged, 'damaged.gguf').catch((error) => expect(error.code).toBe('bad-input'));
    }
    await expect(
      checkModelFile(
        file('keys.gguf', Buffer.concat([whole.subarray(0, 16), u64(2n ** 62n), whole.subarray(24)])),
        'k',
      ),
    ).rejects.toThrow(/header is damaged/);
  });
});

describe('tensorBytes', () => {
  it('counts whole blocks: 4096 x 2 elements of Q8_0 and Q4_K, none of an unknown type', () => {
    expect(tensorBytes(8, 8192)).toBe(8704);
    expect(tensorBytes(12, 8192)).toBe(4608);
    expect(tensorBytes(999, 8192)).toBeNull();
  });
});

describe('a header with false counts', () => {
  it.each([
    ['tensors', 8, 2n ** 40n],
    ['tensors', 8, 2n ** 64n - 1n],
    ['keys', 16, 70_000n],
    ['keys', 16, 2n ** 63n],
  ])('of %s is refused at once', async (_, offset, count) => {
    const bytes = Buffer.from(ggufBytes());
    u64(count).copy(bytes, offset);
    await expect(checkModelFile(file('counts.gguf', bytes), 'm.gguf')).rejects.toMatchObject({
      code: 'bad-input',
      message: expect.stringMatching(/its GGUF header is damaged: it claims \d/),
    });
  });
});

describe('native versions', () => {
  it('are read from the package, without native code', () => {
    expect(nodeLlamaCppVersion()).toMatch(/^\d+\.\d+\.\d+/);
    expect(llamaCppRelease()).toMatch(/\d/);
  });
});
