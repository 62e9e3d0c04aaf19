import { describe, expect, it } from 'vitest';
import { afterCrash, NO_CRASH, nextAttempt } from '../../../src/scoring/run/retry-policy.js';

const settings = { sequences: 16, contexts: 2, batchSize: 2048 };

describe('retry policy', () => {
  it('begins anew with one context; where company changes no numbers, with a quarter of the prompts in hand', () => {
    const crash = afterCrash(NO_CRASH, 0);
    expect(nextAttempt(settings, crash)).toEqual({ ...settings, contexts: 1 });
    expect(nextAttempt({ ...settings, company: 'always' }, crash)).toMatchObject({ sequences: 16, batchSize: 2048 });
    for (const company of ['never', 'if-exact'] as const) {
      const next = nextAttempt({ ...settings, company }, crash);
      expect(next).toEqual({ sequences: 4, contexts: 1, batchSize: 2048, company });
      expect(nextAttempt({ ...settings, sequences: 2, company }, crash)?.sequences).toBe(1);
    }
  });

  it('gives up after three crashes at one place', () => {
    const two = afterCrash(afterCrash(NO_CRASH, 0), 0);
    expect(nextAttempt(settings, two)).not.toBeNull();
    expect(nextAttempt(settings, afterCrash(two, 0))).toBeNull();
  });

  it('counts anew when rows came through since the last crash, up to twelve crashes in all', () => {
    let record = NO_CRASH;
    for (let crash = 1; crash <= 11; crash++) {
      record = afterCrash(record, 1);
      expect(nextAttempt(settings, record)).not.toBeNull();
    }
    expect(nextAttempt(settings, afterCrash(record, 1))).toBeNull();
  });
});
