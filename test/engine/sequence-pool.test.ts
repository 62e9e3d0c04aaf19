import { describe, expect, it } from 'vitest';
import { sequencePool } from '../../src/engine/sequence-pool.js';

describe('sequencePool', () => {
  it('10,000 rows on 2 sequences, every tenth throws: 9,000 done, 1,000 failed, both sequences free at the end', async () => {
    const pool = sequencePool(['a', 'b']);
    const busy = new Set<string>();
    const results = await Promise.allSettled(
      Array.from({ length: 10_000 }, (_, n) =>
        pool.lend(async (sequence) => {
          if (busy.has(sequence)) throw new Error('lent twice');
          busy.add(sequence);
          await Promise.resolve();
          busy.delete(sequence);
          if (n % 10 === 9) throw new Error('row failed');
          return n;
        }),
      ),
    );
    const failed = results.filter((result) => result.status === 'rejected');
    expect(results.length - failed.length).toBe(9000);
    expect(failed.every((result) => result.reason.message === 'row failed')).toBe(true);
    expect(pool.free()).toBe(2);
  });
});
