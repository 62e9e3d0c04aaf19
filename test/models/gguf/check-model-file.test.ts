import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { llamaCppRelease, nodeLlamaCppVersion } from '../../../src/library/native-versions.js';
import { checkModelFile } from '../../../src/models/gguf/check-model-file.js';
import { tensorBytes } from '../../../src/models/gguf/tensor-bytes.js';
import { type GgufTensor, ggufBytes, tensorFile, text, u32, u32Key, u64 } from './gguf-bytes.js';

const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, content: string | Buffer) => {
  writeFileSync(path.join(folder, name), content);
  return path.join(folder, name);
};
const textKey = (name: string, value: string) => Buffer.concat([text(name), u32(8), text(value)]);

describe('checkModelFile', () => {
  it.each([
    ['a folder', folder, 'bad-input', 'is a folder'],
    ['an empty file', file('empty.gguf', ''), 'bad-input', 'is empty'],
    ['a renamed text file', file('text.gguf', 'Once upon a time there was a model.'), 'bad-input', 'is no GGUF file'],
    ['a pointer of Git LFS', file('lfs.gguf', 'version https://git-lfs.github.com/spec/v1\n'), 'bad-input', 'Git LFS'],
    ['a page of a server', file('page.gguf', '<!DOCTYPE html><html>404</html>'), 'bad-input', 'page of a web server'],
    ['safetensors', file('st.gguf', Buffer.concat([u64(99), Buffer.from('{"w": 1}')])), 'bad-input', 'safetensors'],
    ['the format before', file('old.gguf', 'tjgg0000'), 'bad-input', 'formats before GGUF'],
    ['a packed file', file('gz.gguf', Buffer.from([31, 139, 8, 0])), 'bad-input', 'is packed'],
    [
      'version 1',
      file('v1.gguf', Buffer.concat([Buffer.from('GGUF'), u32(1), u64(0), u64(0)])),
      'bad-input',
      'version 1',
    ],
    [
      'big-endian',
      file('be.gguf', Buffer.concat([Buffer.from('GGUF\0\0\0\x03'), u64(0), u64(0)])),
      'bad-input',
      'big-endian',
    ],
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
      weights: 15,
      hasExperts: false,
      work: expect.objectContaining({ perToken: 0 }),
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
  it('counts whole blocks: 4096 x 2 elements of Q8_0 and Q4_K, none of an unknown type, no row that ends in a block', () => {
    expect(tensorBytes(8, [4096, 2])).toBe(8704);
    expect(tensorBytes(12, [4096, 2])).toBe(4608);
    expect(tensorBytes(999, [4096, 2])).toBeNull();
    expect(tensorBytes(8, [16, 2])).toBe('uneven');
  });
});

describe('a header whose tensors', () => {
  const tensor = (name: string, offset: number, type = 0, shape = [8]): GgufTensor => ({ name, shape, type, offset });
  it.each([
    ['follow each other', [tensor('a', 0), tensor('b', 32)], null],
    ['of an unknown type come last', [tensor('a', 0), tensor('b', 32, 999), tensor('c', 96)], null],
    ['overlap', [tensor('a', 0), tensor('b', 0)], /data of tensor "b" begin at 0, expected 32/],
    ['are out of order', [tensor('a', 32), tensor('b', 0)], /data of tensor "a" begin at 32, expected 0/],
    ['leave a gap', [tensor('a', 0), tensor('b', 64)], /"b" begin at 64, expected 32/],
    ['lie beyond the file', [tensor('a', 0), tensor('b', 2 ** 40)], /"b" begin at 1099511627776, expected 32/],
    ['lie beyond every file', [tensor('a', 0), tensor('b', 32, 0, [2 ** 40])], /is cut off: it has \d+ bytes/],
    [
      'lie on each other behind an unknown type',
      [tensor('a', 0, 999), tensor('b', 32), tensor('c', 32)],
      /"c" begin at 32/,
    ],
    ['have one name', [tensor('a', 0), tensor('a', 32)], /the tensor "a" occurs twice/],
    ['have a name that is too long', [tensor('n'.repeat(64), 0)], /tensor 1 has the name "nnn/],
    ['have too many dimensions', [tensor('a', 0, 0, [1, 1, 1, 1, 1])], /tensor "a" has 5 dimensions/],
    ['have rows of half a block', [tensor('a', 0, 8, [16, 2])], /rows that are no whole blocks/],
  ])('%s: taken or refused before native code sees them', async (_, tensors, message) => {
    const check = checkModelFile(file('tensors.gguf', tensorFile(tensors)), 'm.gguf');
    if (message === null) expect((await check).bytes).toBeGreaterThan(0);
    else await expect(check).rejects.toMatchObject({ code: 'bad-input', message: expect.stringMatching(message) });
  });

  it('or keys name something twice, or align to no power of two, is refused', async () => {
    const twice = [u32Key('a', 1), u32Key('a', 2)];
    await expect(checkModelFile(file('t.gguf', tensorFile([], twice)), 'm')).rejects.toThrow(
      /the key "a" occurs twice/,
    );
    const odd = tensorFile([], [u32Key('general.alignment', 48)]);
    await expect(checkModelFile(file('o.gguf', odd), 'm')).rejects.toThrow(
      /its alignment is 48, expected a power of two/,
    );
  });
});

describe('a file that is no language model', () => {
  it.each([
    [
      'clip',
      'mmproj',
      /is the vision or audio part of a model \(mmproj, architecture clip\).* name the file of the language/,
    ],
    ['clip', 'model', /is the vision or audio part/],
    ['imatrix', 'imatrix', /is an importance matrix/],
    ['controlvector', 'model', /is a control vector/],
    ['nomic-bert', 'model', /is a model for embeddings \(architecture nomic-bert\)/],
  ])('is named by its header: %s, %s', async (architecture, type, message) => {
    const keys = [textKey('general.architecture', architecture), textKey('general.type', type)];
    const check = checkModelFile(file('other.gguf', tensorFile([], keys)), 'm.gguf');
    await expect(check).rejects.toMatchObject({ code: 'bad-input', message: expect.stringMatching(message) });
  });

  it('a language model that lacks a tensor is named with it', async () => {
    const keys = [textKey('general.architecture', 'llama'), u32Key('llama.block_count', 1)];
    const tensors = [{ name: 'output_norm.weight', shape: [8], type: 0, offset: 0 }];
    await expect(checkModelFile(file('lacks.gguf', tensorFile(tensors, keys)), 'm.gguf')).rejects.toThrow(
      /^m\.gguf: lacks the tensor "token_embd\.weight"/,
    );
  });
});

describe('keys that a language model cannot do without', () => {
  it.each([
    [
      'lacks the key "llama.attention.head_count"',
      [u32Key('llama.block_count', 1), u32Key('llama.embedding_length', 8)],
    ],
    [
      'has no whole number above 0 under the key "llama.block_count"',
      [
        textKey('llama.block_count', 'six'),
        u32Key('llama.embedding_length', 8),
        u32Key('llama.attention.head_count', 2),
      ],
    ],
  ])('are named: %s', async (message, keys) => {
    const tensors = ['token_embd', 'output_norm', 'blk.0.attn_norm'].map((name, n) => ({
      name: `${name}.weight`,
      shape: [8],
      type: 0,
      offset: 32 * n,
    }));
    const bytes = tensorFile(tensors, [textKey('general.architecture', 'llama'), ...keys]);
    await expect(checkModelFile(file('keys.gguf', bytes), 'm.gguf')).rejects.toThrow(`m.gguf: ${message}, which`);
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
