import { describe, expect, it } from 'vitest';
import { afterCrash, NO_CRASH, nextAttempt } from '../../../src/scoring/run/retry-policy.js';

const settings = { sequences: 16, contexts: 2, batchSize: 2048 };

describe('retry policy', () => {
  it('begins anew with a quarter of the sequences, half of the batch and one context', () => {
    expect(nextAttempt(settings, afterCrash(NO_CRASH, 0), 0)).toEqual({ sequences: 4, contexts: 1, batchSize: 1024 });
  });

  it('never goes below one sequence and 256 tokens', () => {
    expect(nextAttempt({ sequences: 1, contexts: 1, batchSize: 256 }, afterCrash(NO_CRASH, 0), 0)).toEqual({
      sequences: 1,
      contexts: 1,
      batchSize: 256,
    });
  });

  it('keeps what decides numbers once a row has come; where company changes none, only the prompts in hand are fewer', () => {
    expect(nextAttempt(settings, afterCrash(NO_CRASH, 10), 10)).toEqual({ ...settings, contexts: 1 });
    for (const company of ['never', 'if-exact'] as const)
      for (const rows of [0, 10])
        expect(nextAttempt({ ...settings, company }, afterCrash(NO_CRASH, 0), rows)).toEqual({
          sequences: 4,
          contexts: 1,
          batchSize: 2048,
          company,
        });
  });

  it('gives up after three crashes at one place', () => {
    const two = afterCrash(afterCrash(NO_CRASH, 0), 0);
    expect(nextAttempt(settings, two, 0)).not.toBeNull();
    expect(nextAttempt(settings, afterCrash(two, 0), 0)).toBeNull();
  });

  it('counts anew when rows came through since the last crash, up to twelve crashes in all', () => {
    let record = NO_CRASH;
    for (let crash = 1; crash <= 11; crash++) {
      record = afterCrash(record, 1);
      expect(nextAttempt(settings, record, crash)).not.toBeNull();
    }
    expect(nextAttempt(settings, afterCrash(record, 1), 12)).toBeNull();
  });
});
