import type { Card, Device } from '../../contract/device.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { probeDevice } from './probe-device.js';
import { usersList, VISIBILITY } from './visible-cards.js';

export interface FindCardsOptions {
  readonly probe?: typeof probeDevice;
  /** What the look at all of them said, where that was just done. */
  readonly all?: Awaited<ReturnType<typeof probeDevice>>;
  readonly environment?: NodeJS.ProcessEnv;
  /** A card that is listed and does not answer by itself. */
  readonly onFault?: (message: string) => void;
}

/** More devices than that Vulkan does not number. */
const MOST_NUMBERS = 16;

/**
 * The cards of a device that this process may see. One process looks at all of them together; only where there are
 * several, one more for each looks at it alone, through the visibility variable that its child will have: so the
 * variable is known to name that card, and how much of its memory is free. Empty for a CPU, and where nothing works.
 */
export async function findCards(device: Device, options: FindCardsOptions = {}): Promise<Card[]> {
  if (device === 'cpu') return [];
  const { probe = probeDevice, environment = process.env } = options;
  const all = options.all ?? (await probe(device));
  if (!all.ok) return [];
  const names = all.devices ?? [all.device];
  const list = usersList(device, environment);
  const memory = all.memory ?? null;
  if (names.length === 1 || VISIBILITY[device] === undefined)
    return [{ device, index: 0, name: names.join(', '), memory, visibleAs: list?.[0] ?? null }];
  const alone = (visibleAs: string) => lookAlone(device, visibleAs, probe);
  const found =
    list === null && device === 'vulkan'
      ? await byNumbers(names, alone)
      : await Promise.all(names.map((_, n) => alone(list?.[n] ?? String(n))));
  return names.flatMap((name, index) => {
    const card = found[index];
    if (card?.name === name) return [{ device, index, name, memory: card.memory, visibleAs: card.visibleAs }];
    options.onFault?.(
      `card ${index} (${name}) does not answer by itself (${card?.reason ?? 'not found'}) and is left out`,
    );
    return [];
  });
}

/** The cards that the user chose, all of them without a choice. Throws `usage` when there is no such card. */
export function chosenCards(cards: readonly Card[], chosen: readonly number[] | undefined, device: Device): Card[] {
  if (chosen === undefined) return [...cards];
  const missing = chosen.filter((index) => cards.every((card) => card.index !== index));
  if (missing.length > 0) {
    const there = cards.map(({ index, name }) => `${index} (${name})`).join(', ');
    throw new SupportCalError(
      'usage',
      `--devices ${chosen.join(',')}: there is no card ${missing.join(' and no card ')}; ` +
        `${there === '' ? `${device} has no cards here` : `${device} has ${there}`}. supportcal doctor lists them`,
    );
  }
  return cards.filter(({ index }) => chosen.includes(index));
}

interface LookedAt extends Pick<Card, 'memory' | 'visibleAs'> {
  /** null: it does not answer. */
  readonly name: string | null;
  readonly reason?: string;
}

type Look = (visibleAs: string) => Promise<LookedAt>;

async function lookAlone(device: Device, visibleAs: string, probe: typeof probeDevice): Promise<LookedAt> {
  const result = await probe(device, undefined, { [VISIBILITY[device] ?? '']: visibleAs });
  if (!result.ok) return { name: null, memory: null, visibleAs, reason: result.reason };
  return { name: (result.devices ?? [result.device]).join(', '), memory: result.memory ?? null, visibleAs };
}

/**
 * Without a list of the user's, llama.cpp's Vulkan leaves out processors that play a GPU and second drivers of one
 * card, while the numbers of the variable count them: every number is tried, and those whose name is listed are taken
 * in order.
 */
async function byNumbers(names: readonly string[], look: Look): Promise<(LookedAt | undefined)[]> {
  const found: (LookedAt | undefined)[] = names.map(() => undefined);
  for (let number = 0; number < MOST_NUMBERS && found.includes(undefined); number++) {
    const card = await look(String(number));
    if (card.name === null) break;
    const place = names.findIndex((name, n) => found[n] === undefined && name === card.name);
    if (place >= 0) found[place] = card;
  }
  return found;
}
