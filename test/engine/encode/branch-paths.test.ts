import { describe, expect, it } from 'vitest';
import { branchPaths, longestPath } from '../../../src/engine/encode/branch-paths.js';

describe('branchPaths', () => {
  it('the last token of a continuation is never evaluated', () => {
    expect(branchPaths([[1, 2, 3]])).toEqual([[1, 2]]);
  });

  it('continuations of one token need nothing after the prompt', () => {
    expect(branchPaths([[1], [2], [3]])).toEqual([[]]);
  });

  it('equal continuations are evaluated once', () => {
    expect(
      branchPaths([
        [1, 2],
        [1, 2],
        [3, 4],
      ]),
    ).toEqual([[1], [3]]);
  });

  it('options that differ in their last token share one path (" very good", " very bad")', () => {
    expect(
      branchPaths([
        [7, 1],
        [7, 2],
      ]),
    ).toEqual([[7]]);
  });

  it('an option that another one begins with is read on its way', () => {
    expect(branchPaths([[5], [5, 6], [5, 6, 8]])).toEqual([[5, 6]]);
  });

  it('the longest path comes first', () => {
    expect(branchPaths([[1], [2, 3], [4, 5, 6, 7]])).toEqual([[4, 5, 6], [2]]);
    expect(longestPath([[1], [2, 3], [4, 5, 6, 7]])).toBe(3);
  });
});
