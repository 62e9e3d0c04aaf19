import type { Markup } from './markup.js';

/**
 * Characters that the growing parts of the page may take together, about 4.2 MB. Browsers stay quick with it, it fits
 * into a mail, and what is beyond lies in files beside the page, which says so.
 */
export const PAGE_BUDGET = { figures: 2_200_000, metrics: 500_000, examples: 300_000, answers: 1_200_000 } as const;

export interface Kept<Item> {
  readonly item: Item;
  /** null: it does not fit. */
  readonly content: Markup | null;
}

/** The items in their order, each with its content while the budget lasts; `turns` says who is asked first. */
export function withinBudget<Item>(
  items: readonly Item[],
  budget: number,
  render: (item: Item) => Markup,
  turns: readonly Item[] = items,
): Kept<Item>[] {
  let left = budget;
  const kept = new Map<Item, Markup>();
  for (const item of turns) {
    const content = render(item);
    if (content.text.length > left) continue;
    left -= content.text.length;
    kept.set(item, content);
  }
  return items.map((item) => ({ item, content: kept.get(item) ?? null }));
}
