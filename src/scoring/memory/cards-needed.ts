import type { Card } from '../../contract/device.js';
import type { ModelJob } from '../../contract/scorer.js';
import type { WorkerPlan } from '../../engine/protocol/protocol.js';
import { type FittedPlan, fitPlan } from './fit-plan.js';

/** Cards that may share the rows of a model, and how many of them one child of it needs. */
export interface CardGroup {
  readonly cards: readonly Card[];
  readonly needed: number;
  readonly plan: WorkerPlan;
  readonly note: string | null;
}

export type CardsNeeded =
  /** The groups that can hold the model, in the order of their first cards. */
  { readonly kind: 'fits'; readonly groups: readonly CardGroup[] } | Refused;

type Refused = Extract<FittedPlan, { kind: 'refused' }>;

interface Looks {
  readonly planOf: (job: ModelJob) => WorkerPlan;
  readonly backendModule: string;
}

/**
 * How many cards a model needs: as many as models.yaml says (`scoring: { devices }`), else the fewest whose free memory
 * holds it. Rows of one entry go to cards of one name only: a key says `cuda`, not which card, and another card may
 * have other last bits. A model that no cards of one name can hold is spread over all cards as one.
 */
export async function cardsNeeded(job: ModelJob, cards: readonly Card[], looks: Looks): Promise<CardsNeeded> {
  const names = [...new Set(cards.map(({ name }) => name))];
  const kinds = names.map((name) => cards.filter((card) => card.name === name));
  const plan = looks.planOf(job);
  const groups: CardGroup[] = [];
  let refused: Refused | null = null;
  for (const kind of [...kinds, ...(kinds.length > 1 ? [cards] : [])]) {
    // Unlike cards together are the last resort.
    if (kind === cards && kinds.length > 1 && groups.length > 0) break;
    const group = await fewest(job, plan, { kind, cards, backendModule: looks.backendModule });
    if ('reason' in group) refused = group;
    else groups.push(group);
  }
  if (groups.length > 0) return { kind: 'fits', groups };
  return refused ?? NO_CARD;
}

const NO_CARD: Refused = { kind: 'refused', reason: 'there is no card' };

interface Among {
  /** Cards of one name, or all. */
  readonly kind: readonly Card[];
  readonly cards: readonly Card[];
  readonly backendModule: string;
}

async function fewest(
  job: ModelJob,
  plan: WorkerPlan,
  { kind, cards, backendModule }: Among,
): Promise<CardGroup | Refused> {
  const asked = job.model.scoring?.devices;
  if (asked !== undefined && asked > kind.length)
    return {
      kind: 'refused',
      reason: `model ${job.model.id}: scoring: { devices: ${asked} } asks for more cards than there are (${cards.length})`,
    };
  const mixed = kind.some(({ name }) => name !== kind[0]?.name);
  let end: FittedPlan | null = null;
  for (let needed = asked ?? (mixed ? kind.length : 1); needed <= (asked ?? kind.length); needed++) {
    end = await fitPlan(job, plan, { freeMemory: async () => freeOn(kind, needed), backendModule });
    if (end.kind === 'fits') return { cards: kind, needed, plan: end.plan, note: end.note };
  }
  return end?.kind === 'refused' ? end : NO_CARD;
}

/** On any so many of the cards: on those that have least. null when nobody tells. */
export function freeOn(cards: readonly Card[], count: number): number | null {
  const free = cards.map(({ memory }) => memory?.free ?? null);
  if (free.includes(null)) return null;
  const least = free.map((bytes) => bytes ?? 0).sort((a, b) => a - b);
  return least.slice(0, count).reduce((sum, bytes) => sum + bytes, 0);
}
