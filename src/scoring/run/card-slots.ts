import type { Card } from '../../contract/device.js';
import { visibility } from '../device/visible-cards.js';
import { type WorkerSlot, workerSlot } from '../process/worker-slot.js';

export interface CardSlots {
  /** The slot whose child sees these cards and no others. Children of other slots that hold one of them are ended. */
  on(cards: readonly Card[]): Promise<WorkerSlot>;
  end(): Promise<void>;
}

/** One slot for each set of cards that a model was given. */
export function cardSlots(backendModule: string, onLine: (line: string) => void): CardSlots {
  let slots: { readonly cards: readonly Card[]; readonly slot: WorkerSlot }[] = [];
  return {
    async on(cards) {
      const same = slots.find(
        (each) => each.cards.length === cards.length && cards.every((c) => each.cards.includes(c)),
      );
      if (same !== undefined) return same.slot;
      const inTheWay = slots.filter((each) => each.cards.some((card) => cards.includes(card)));
      slots = slots.filter((each) => !inTheWay.includes(each));
      const slot = workerSlot(backendModule, true, onLine, visibility(cards));
      slots.push({ cards, slot });
      // A child that is done with its model still holds some memory of its card.
      await Promise.all(inTheWay.map((each) => each.slot.end()));
      return slot;
    },
    async end() {
      await Promise.all(slots.map(({ slot }) => slot.end()));
    },
  };
}
