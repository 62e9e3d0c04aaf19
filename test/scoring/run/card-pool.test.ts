import { describe, expect, it } from 'vitest';
import { cardsNamed, runOnCards, type VirtualRow } from './virtual-cards.js';

const TWO = cardsNamed(['H100', 'H100']);
const FOUR = cardsNamed(['H100', 'H100', 'H100', 'H100']);

const cardsOf = (rows: readonly VirtualRow[], model: string) =>
  [...new Set(rows.filter((row) => row.model === model).map(({ cards }) => cards))].sort();
const idsOf = (rows: readonly VirtualRow[], model: string) =>
  rows.filter((row) => row.model === model).map(({ id }) => id);
/** Every row once. */
const expectEveryRow = (rows: readonly VirtualRow[], model: string, count: number) => {
  const ids = idsOf(rows, model);
  expect([ids.length, new Set(ids).size]).toEqual([count, count]);
};
/** A divided model is put into the batches that one card puts it into. */
const expectBatchesOfOne = (rows: readonly VirtualRow[], one: readonly VirtualRow[]) => {
  const batches = (of: readonly VirtualRow[]) => new Map(of.map(({ model, id, batch }) => [`${model} ${id}`, batch]));
  expect(batches(rows)).toEqual(batches(one));
};
const kinds = (outcomes: readonly PromiseSettledResult<{ kind: string }>[]) =>
  outcomes.map((end) => (end.status === 'fulfilled' ? end.value.kind : 'rejected'));
const reason = (end: PromiseSettledResult<unknown> | undefined) =>
  end?.status === 'fulfilled' ? (end.value as { reason?: string }).reason : undefined;

describe('cardPool', () => {
  it('starts models in the order of the calls, one on each card', async () => {
    const models = ['a', 'b', 'c', 'd'].map((id, n) => ({ id, rows: 600, gigabytes: 10 - n }));
    const { rows, outcomes } = await runOnCards(FOUR, models);
    expect(models.map(({ id }) => rows.find((row) => row.model === id)?.cards)).toEqual(['0', '1', '2', '3']);
    for (const { id } of models) expectEveryRow(rows, id, 600);
    expect(kinds(outcomes)).toEqual(['done', 'done', 'done', 'done']);
  });

  it('divides the batches of one model between all cards: 4 cards take less than 0.28 of the time of one', async () => {
    const model = { id: 'm', rows: 40_000, gigabytes: 8 };
    const one = await runOnCards(FOUR.slice(0, 1), [model]);
    const four = await runOnCards(FOUR, [model]);
    expectEveryRow(four.rows, 'm', 40_000);
    expect(cardsOf(four.rows, 'm')).toEqual(['0', '1', '2', '3']);
    expect(cardsOf(four.rows.slice(0, 64), 'm')).toHaveLength(1);
    expect(four.milliseconds / one.milliseconds).toBeLessThan(0.28);
  });

  it('a model in work gives its remaining rows back when a card has nothing to do: 3 models on 2 cards at 0.9 of twice one', async () => {
    const models = [5, 3, 1].map((gigabytes) => ({ id: `m${gigabytes}`, rows: 20_000, gigabytes }));
    const one = await runOnCards(TWO.slice(0, 1), models);
    const two = await runOnCards(TWO, models);
    for (const { id } of models) expectEveryRow(two.rows, id, 20_000);
    expect(cardsOf(two.rows, 'm5')).toEqual(['0', '1']);
    expectBatchesOfOne(two.rows, one.rows);
    expect(one.milliseconds / two.milliseconds).toBeGreaterThan(1.8);
    expect(two.ends.toSorted()).toEqual(['m1', 'm3', 'm5']);
  });

  it('few rows stay on one card, since another load would cost more', async () => {
    const { rows } = await runOnCards(TWO, [{ id: 'm', rows: 100 }]);
    expect(cardsOf(rows, 'm')).toEqual(['0']);
  });

  it('gives the rows of one model to cards of one name only', async () => {
    const cards = cardsNamed(['H100', 'L4', 'H100', 'L4']);
    const models = [4, 3, 2].map((gigabytes) => ({ id: `m${gigabytes}`, rows: 20_000, gigabytes }));
    const { rows } = await runOnCards(cards, models);
    for (const { id } of models) {
      expectEveryRow(rows, id, 20_000);
      const names = new Set(cardsOf(rows, id).map((card) => cards[Number(card)]?.name));
      expect(names.size).toBe(1);
    }
    expect(new Set(rows.map(({ cards: card }) => card))).toEqual(new Set(['0', '1', '2', '3']));
  });

  it('a card that dies leaves its rows to the others, with a line that names it', async () => {
    const models = [3, 2].map((gigabytes) => ({ id: `m${gigabytes}`, rows: 5000, gigabytes }));
    const { rows, logs, outcomes } = await runOnCards(TWO, models, { diesAfter: { 0: 1000 } });
    for (const { id } of models) expectEveryRow(rows, id, 5000);
    expectBatchesOfOne(rows, (await runOnCards(TWO.slice(0, 1), models)).rows);
    expect(kinds(outcomes)).toEqual(['done', 'done']);
    expect(logs).toEqual(['card 0 (H100) no longer answers: its work goes to the other cards']);
  });

  it('when the last card of a name dies, a model that was begun fails; one that was not goes to other cards', async () => {
    const cards = cardsNamed(['H100', 'L4']);
    const models = ['begun', 'other', 'later'].map((id) => ({ id, rows: 2000 }));
    const { rows, outcomes } = await runOnCards(cards, models, { diesAfter: { 0: 1000 } });
    expect(kinds(outcomes)).toEqual(['failed', 'done', 'done']);
    expect(reason(outcomes[0])).toBe(
      'the cards that it was scored on no longer answer; the rows scored so far are kept',
    );
    expect(cardsOf(rows, 'later')).toEqual(['1']);
  });

  it('fails what is left, and does not hang, when no card answers any more', async () => {
    const models = ['a', 'b', 'c'].map((id) => ({ id, rows: 2000 }));
    const { outcomes } = await runOnCards(TWO, models, { diesAfter: { 0: 100, 1: 300 } });
    expect(kinds(outcomes)).toEqual(['failed', 'failed', 'failed']);
    expect(reason(outcomes[2])).toBe('no card answers any more; the rows scored so far are kept');
  });

  it('a model that fails on a card that answers has failed; the others go on', async () => {
    const models = ['bad', 'good'].map((id) => ({ id, rows: 500 }));
    const { outcomes, rows } = await runOnCards(TWO, models, { bad: ['bad'] });
    expect(kinds(outcomes)).toEqual(['failed', 'done']);
    expect(reason(outcomes[0])).toBe('cannot be loaded');
    expectEveryRow(rows, 'good', 500);
  });

  it('gives a model that needs two cards both, first, and shares its rows between pairs', async () => {
    const models = [
      { id: 'small', rows: 3000 },
      { id: 'large', rows: 3000, gigabytes: 90, devices: 2 },
    ];
    const { rows } = await runOnCards(FOUR, models);
    for (const { id } of models) expectEveryRow(rows, id, 3000);
    expect(rows.find(({ model }) => model === 'large')?.cards).toBe('0+1');
    expect(cardsOf(rows, 'large')).toEqual(['0+1', '2+3']);
    expect(cardsOf(rows, 'small').every((cards) => cards.length === 1)).toBe(true);
  });

  it('no row with rotated options comes before all plain rows of all cards', async () => {
    const { rows } = await runOnCards(FOUR, [{ id: 'm', rows: 4000, rotated: 8000 }]);
    expectEveryRow(rows, 'm', 12_000);
    const lastPlain = rows.findLastIndex(({ id }) => id.startsWith('d'));
    expect(rows.findIndex(({ id }) => id.startsWith('r'))).toBeGreaterThan(lastPlain);
    expect(cardsOf(rows.slice(lastPlain + 1), 'm')).toEqual(['0', '1', '2', '3']);
  });

  it('ends every child before `close` resolves when rows cannot be kept, and when it is interrupted', async () => {
    const full = async () => Promise.reject(new Error('disk full'));
    const refused = await runOnCards(TWO, [{ id: 'm', rows: 4000, onRows: full }]);
    expect(kinds(refused.outcomes)).toEqual(['rejected']);
    expect(refused.atWork).toBe(0);
    const stop = new AbortController();
    const onRow = (count: number) => count > 1000 && stop.abort();
    const models = ['a', 'b', 'c'].map((id) => ({ id, rows: 4000 }));
    const stopped = await runOnCards(TWO, models, { signal: stop.signal, onRow });
    expect(stopped.outcomes.map(reason)).toEqual([
      'interrupted; the rows scored so far are kept',
      'interrupted; the rows scored so far are kept',
      'interrupted before it was loaded',
    ]);
    expect(stopped.atWork).toBe(0);
  });
});
