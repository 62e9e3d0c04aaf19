import { describe, expect, it } from 'vitest';
import { firstInvalidByte, readLines } from '../../../src/formats/text/read-lines.js';
import { refusal, temporaryFolder } from '../../datasets/temporary-spec.js';

const folder = temporaryFolder();

async function linesOf(content: string | Uint8Array, limit?: number): Promise<string[]> {
  const shown = folder.write('lines.txt', content);
  const lines: string[] = [];
  for await (const batch of readLines({ path: shown, shown }, limit)) lines.push(...batch.lines);
  return lines;
}

describe('readLines', () => {
  it('ends a line at \\n alone', async () => {
    expect(await linesOf('a\u2028b\u2029c\u0085d\n\ne\r\nf')).toEqual(['a\u2028b\u2029c\u0085d', '', 'e\r', 'f']);
  });

  it('drops the byte order mark and the empty piece after the last break', async () => {
    expect(await linesOf('\ufeffa\nb\n')).toEqual(['a', 'b']);
    expect(await linesOf('')).toEqual([]);
  });

  it('keeps characters whole that lie on a read border', async () => {
    const text = `${'x'.repeat(1024 * 1024 - 1)}ä\n${'€'.repeat(400_000)}\nend`;
    expect(await linesOf(text)).toEqual(text.split('\n'));
  });

  it('names the byte offset and the line of invalid UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('gut\nmüde '), Buffer.from([0xc3, 0x28]), Buffer.from('\n')]);
    expect(await refusal(linesOf(bytes))).toEqual([expect.stringMatching(/lines\.txt:2 .*0xc3 at byte offset 10;/)]);
  });

  it('names UTF-16 instead of reading half characters', async () => {
    const text = Buffer.from('\ufeffid\n1\n', 'utf16le');
    expect(await refusal(linesOf(text))).toEqual([expect.stringContaining('UTF-16 (little endian)')]);
    expect(await refusal(linesOf(Buffer.from(text).swap16()))).toEqual([
      expect.stringContaining('UTF-16 (big endian)'),
    ]);
  });

  it('refuses a line over the limit with its line number', async () => {
    expect(await refusal(linesOf(`ok\n${'x'.repeat(2_000_000)}`, 1_000_000))).toEqual([
      expect.stringMatching(/lines\.txt:2 .*limit of 1000000 bytes/),
    ]);
    expect(await refusal(linesOf(`ok\n${'x'.repeat(2_000_000)}\nok\n`, 1_000_000))).toEqual([
      expect.stringMatching(/lines\.txt:2 .*limit of 1000000 bytes/),
    ]);
  });

  it('tells a missing file and a folder apart', async () => {
    const collect = async (path: string) => {
      for await (const _ of readLines({ path, shown: 'rows.jsonl' })) return;
    };
    expect(await refusal(collect('/nowhere/rows.jsonl'))).toEqual([expect.stringContaining('missing-file rows.jsonl')]);
    expect(await refusal(collect('/'))).toEqual([expect.stringContaining('not a regular file')]);
  });
});

describe('firstInvalidByte', () => {
  it('finds the first bad byte wherever it is', () => {
    const good = Buffer.from('aä€😀'.repeat(50));
    expect(firstInvalidByte(good)).toBe(-1);
    for (const at of [0, 1, 7, 100, 250, 499]) {
      const bad = Buffer.concat([Buffer.from('x'.repeat(at)), Buffer.from([0xff]), good]);
      expect(firstInvalidByte(bad)).toBe(at);
    }
  });
});
