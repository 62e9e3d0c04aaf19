import { describe, expect, it } from 'vitest';
import { seededGenerator } from '../../src/numeric/random/seeded-generator.js';
import { preferredTickets } from '../../src/queue/preferred-tickets.js';

const ticket = (queue: string, bytes: number, rowsLeft = 1000) => ({ queue, bytes, rowsLeft });
const worker = (name: string, serves: string | null = null, cannot: Record<string, string> = {}) => ({
  worker: name,
  serves,
  cannot,
});
const first = (...args: Parameters<typeof preferredTickets>) => preferredTickets(...args)[0]?.queue;

describe('preferredTickets', () => {
  it('puts the model with most bytes x rows left first', () => {
    const tickets = [ticket('small', 1e9), ticket('large', 9e9), ticket('nearly done', 90e9, 10)];
    expect(preferredTickets(tickets, [], 'w').map(({ queue }) => queue)).toEqual(['large', 'small', 'nearly done']);
  });

  it('counts who serves a model: a second worker joins it only where it has twice the work', () => {
    const at = (bytes: number) => first([ticket('a', bytes), ticket('b', 1e9)], [worker('v', 'a'), worker('w')], 'w');
    expect([at(1.9e9), at(2.1e9)]).toEqual(['b', 'a']);
    // What it says of itself is old: it has served that model to its end.
    expect(first([ticket('a', 1.9e9), ticket('b', 1e9)], [worker('w', 'a')], 'w')).toBe('a');
  });

  it('spreads workers that start together, each seeing the others without a model', () => {
    const generator = seededGenerator(5);
    const tickets = Array.from({ length: 20 }, (_, n) => ticket(`m${n}`, 1 + ((generator.next() >>> 0) % 1000)));
    const workers = Array.from({ length: 12 }, (_, n) => worker(`w${10 + n}`));
    const together = workers.map(({ worker: self }) => first(tickets, workers, self));
    // As if they had come one after the other, each seeing what those before it serve.
    const served: ReturnType<typeof worker>[] = [];
    const inTurn = workers.map(({ worker: self }) => {
      const own = first(tickets, [...served, worker(self)], self);
      served.push(worker(self, own ?? null));
      return own;
    });
    expect(together).toEqual(inTurn);
    expect(new Set(together).size).toBeGreaterThan(6);
  });

  it('leaves out of the count what a worker cannot have', () => {
    const tickets = [ticket('a', 3e9), ticket('b', 2e9)];
    expect(first(tickets, [worker('v'), worker('w')], 'w')).toBe('b');
    expect(first(tickets, [worker('v', null, { a: 'no such file' }), worker('w')], 'w')).toBe('a');
    expect(first(tickets, [worker('v', null, { a: 'no', b: 'no' }), worker('w')], 'w')).toBe('a');
  });
});
