import type { Card, Device } from '../../contract/device.js';

/** The environment variable by which llama.cpp is told which cards of a device it may see. */
export const VISIBILITY: Readonly<Partial<Record<Device, string>>> = {
  cuda: 'CUDA_VISIBLE_DEVICES',
  vulkan: 'GGML_VK_VISIBLE_DEVICES',
};

/** The variables of a child process that shall see these cards, which are of one device, and no others. */
export function visibility(cards: readonly Card[]): Record<string, string> {
  const names = cards.flatMap(({ visibleAs }) => visibleAs ?? []);
  const variable = cards[0] === undefined ? undefined : VISIBILITY[cards[0].device];
  return variable === undefined || names.length === 0 ? {} : { [variable]: names.join(',') };
}

/**
 * The list that the user has put into the variable of a device: numbers, or names such as GPU-8932f937. The cards that
 * this process sees are its entries in order, so that a child is given entries of it, never numbers of our own. null:
 * the user has set none.
 */
export function usersList(device: Device, environment: NodeJS.ProcessEnv = process.env): string[] | null {
  const variable = VISIBILITY[device];
  const value = variable === undefined ? undefined : environment[variable];
  if (value === undefined || value.trim() === '') return null;
  return value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
