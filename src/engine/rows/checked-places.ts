const MOST = 5;

/**
 * Places of a batch whose prompts are compared: the first two, the middle, the last, and one whose length is no
 * multiple of four, since kernels that take rows in groups of four treat those left over in another way. Where each
 * prompt has a pass of its own the last one stands for all: nothing but what came before it could touch it.
 */
export function checkedPlaces(lengths: readonly number[], inTurn: boolean): number[] {
  const last = lengths.length - 1;
  if (inTurn) return [last];
  const uneven = lengths.findLastIndex((length) => length % 4 !== 0);
  const wanted = [0, 1, Math.floor(last / 2), last, ...(uneven === -1 ? [] : [uneven])];
  return [...new Set(wanted)].filter((place) => place <= last).slice(0, MOST);
}
