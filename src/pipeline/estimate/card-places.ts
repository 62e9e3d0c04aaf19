import type { Card } from '../../contract/device.js';
import { freeOn } from '../../scoring/memory/cards-needed.js';
import type { Workspace } from '../workspace/workspace.js';
import type { RunEstimate } from './run-estimate.js';

/** Where the rows of a model may be scored. */
export interface CardPlace {
  readonly model: string;
  /** Cards that one child process of it gets; null: it fits on none. */
  readonly cards: number | null;
  /** Numbers of the cards, one list for each name of card: its rows all go to cards of one list. */
  readonly of: ReadonlyArray<readonly number[]>;
}

/** Where each model of known size will run, by the same rule as in a run; empty where there is one card. */
export function cardPlaces(
  { suite }: Pick<Workspace, 'suite'>,
  { models }: Pick<RunEstimate, 'models'>,
  cards: readonly Card[],
): CardPlace[] {
  if (cards.length < 2) return [];
  const names = [...new Set(cards.map(({ name }) => name))];
  const alike = names.map((name) => cards.filter((card) => card.name === name));
  return models.flatMap(({ model, memory, state }): CardPlace[] => {
    if (memory === null || state === 'imported' || state === 'served') return [];
    const asked = suite.models.find(({ id }) => id === model)?.scoring?.devices;
    const needed = alike.map((kind) => fewest(kind, memory, asked));
    const able = alike.filter((_, n) => needed[n] !== null);
    const least = Math.min(...needed.flatMap((count) => count ?? []));
    if (able.length > 0) return [{ model, cards: least, of: able.map(numbersOf) }];
    const together = asked === undefined && memory <= (freeOn(cards, cards.length) ?? Infinity);
    return [together ? { model, cards: cards.length, of: [numbersOf(cards)] } : { model, cards: null, of: [] }];
  });
}

function numbersOf(cards: readonly Card[]): number[] {
  return cards.map(({ index }) => index);
}

function fewest(kind: readonly Card[], memory: number, asked: number | undefined): number | null {
  for (let count = asked ?? 1; count <= Math.min(kind.length, asked ?? kind.length); count++)
    if (memory <= (freeOn(kind, count) ?? Infinity)) return count;
  return null;
}
