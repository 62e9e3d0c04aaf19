import { expect, it } from 'vitest';
import { gatherRows } from '../../../src/pipeline/predict/gather-rows.js';

async function* batches(...groups: readonly (readonly number[])[]) {
  yield* groups;
}

const gathered = async (source: AsyncGenerator<readonly number[]>, most: number) => {
  const groups: number[][] = [];
  for await (const group of gatherRows(source, most)) groups.push(group);
  return groups;
};

it('makes full groups of a fast source, in order', async () => {
  expect(await gathered(batches([1, 2, 3], [], [4, 5], [6, 7]), 3)).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
  expect(await gathered(batches(), 3)).toEqual([]);
});

it('makes larger groups as long as they are full, up to the largest', async () => {
  const sizes: number[] = [];
  const numbers = Array.from({ length: 40 }, (_, n) => n);
  for await (const group of gatherRows(batches(numbers), 2, undefined, 8)) sizes.push(group.length);
  expect(sizes).toEqual([2, 4, 8, 8, 8, 8, 2]);
});

it('gives what has come when a source falls silent', async () => {
  let speak: () => void = () => undefined;
  async function* slow() {
    yield [1];
    await new Promise<void>((resolve) => {
      speak = resolve;
    });
    yield [2];
  }
  const groups: number[][] = [];
  for await (const group of gatherRows(slow(), 100, 1)) {
    groups.push(group);
    speak();
  }
  expect(groups).toEqual([[1], [2]]);
});

it('hands on a fault of the source, and ends the source when nobody wants more', async () => {
  let ended = false;
  async function* endless() {
    try {
      for (;;) yield [1, 2];
    } finally {
      ended = true;
    }
  }
  for await (const group of gatherRows(endless(), 2)) {
    expect(group).toEqual([1, 2]);
    break;
  }
  expect(ended).toBe(true);
  async function* broken() {
    yield [1];
    throw new Error('cut');
  }
  await expect(gathered(broken(), 5)).rejects.toThrow('cut');
});
