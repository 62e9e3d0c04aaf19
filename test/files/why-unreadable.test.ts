import { describe, expect, it } from 'vitest';
import { SupportCalError } from '../../src/errors/supportcal-error.js';
import { whyUnreadable } from '../../src/files/why-unreadable.js';
import { failedAt, writeFailed } from '../../src/files/write-failed.js';

const failure = (code: string) => Object.assign(new Error(`${code}: as the system says it`), { code });

describe('whyUnreadable', () => {
  it.each([
    ...[['EACCES', 'EPERM'].map((code) => [code, /^permission denied; change/] as const)].flat(),
    ['EISDIR', /^is a folder$/],
    ['ELOOP', /links lead in a circle/],
    ['EIO', /disk fails/],
    ...[['EMFILE', 'ENFILE'].map((code) => [code, /too many files/] as const)].flat(),
    ['EAGAIN', /no room for another process/],
    ['ENOMEM', /out of memory/],
    ['ENOSPC', /disk is full; free/],
    ['EDQUOT', /quota is used up/],
    ['EROFS', /read-only/],
    ['ENAMETOOLONG', /path is too long/],
    ['EOTHER', /^EOTHER: as the system says it$/],
  ] as const)('says what %s means', (code, reason) => {
    expect(whyUnreadable(failure(code))).toMatch(reason);
  });

  it('repeats what is thrown otherwise', () => {
    expect([whyUnreadable('text'), whyUnreadable(undefined)]).toEqual(['text', 'undefined']);
  });
});

describe('writeFailed', () => {
  it.each([
    ['ENOSPC', /disk is full; free some space or choose/],
    ['EDQUOT', /quota is used up/],
    ['EROFS', /read-only/],
    ['EACCES', /permission denied/],
    ['EPERM', /permission denied/],
    ['ENOENT', /removed or moved away meanwhile/],
    ['ENOTDIR', /a part of the path is a file/],
    ['EEXIST', /file of that name is in the way/],
    ['EISDIR', /folder of that name is in the way/],
    ['EMFILE', /too many files/],
    ['ENFILE', /too many files/],
    ['ENAMETOOLONG', /path is too long/],
    ['EOTHER', /cannot be written: EOTHER: as the system says it$/],
  ])('says where, what %s means and what to do', (code, reason) => {
    const cause = failure(code);
    const error = writeFailed('/at/x', cause);
    expect(error).toMatchObject({ code: 'write-failed', file: '/at/x', cause, message: expect.stringMatching(reason) });
    expect(error.message).toContain('cannot be written: ');
  });

  it('passes an error of ours through, and repeats what is thrown otherwise', () => {
    const ours = new SupportCalError('cache-busy', 'lost');
    expect(writeFailed('/at/x', ours)).toBe(ours);
    expect(() => failedAt('/at/x')(ours)).toThrow(ours);
    expect(writeFailed('/at/x', 'text').message).toMatch(/cannot be written: text$/);
    expect(writeFailed('/at/x', undefined).message).toMatch(/cannot be written: undefined$/);
  });
});
