import { describe, expect, it } from 'vitest';
import type { Device } from '../../../src/contract/device.js';
import { chosenCards, findCards } from '../../../src/scoring/device/find-cards.js';
import type { Probe } from '../../../src/scoring/device/resolve-device.js';
import { visibility } from '../../../src/scoring/device/visible-cards.js';

const GB = 1e9;

/** A machine with some cards, which answers as llama.cpp does under the visibility variable of the device. */
function machine(device: Device, cards: readonly string[], hidden: readonly number[] = []) {
  const variable = device === 'cuda' ? 'CUDA_VISIBLE_DEVICES' : 'GGML_VK_VISIBLE_DEVICES';
  const asked: (string | undefined)[] = [];
  const answer = (environment: Record<string, string | undefined>): Awaited<ReturnType<Probe>> => {
    const list = environment[variable];
    const seen =
      list?.split(',').map((entry) => Number(entry.replace('GPU-', ''))) ??
      cards.flatMap((_, n) => (hidden.includes(n) ? [] : [n]));
    const names = seen.map((n) => cards[n]);
    if (names.includes(undefined)) return { ok: false, reason: `no device ${list}` };
    const devices = names.map((name) => name ?? '');
    return {
      ok: true,
      device: devices.join(', '),
      devices,
      memory: { total: 80 * GB * seen.length, free: 70 * GB * seen.length },
    };
  };
  return {
    asked,
    find(list?: string) {
      const environment = list === undefined ? {} : { [variable]: list };
      const probe: Probe = async (_, __, extra = {}) => {
        asked.push(extra[variable]);
        return answer({ ...environment, ...extra });
      };
      const faults: string[] = [];
      const found = findCards(device, { probe, environment, onFault: (fault) => faults.push(fault) });
      return found.then((all) => ({ cards: all.map(({ name, visibleAs }) => [name, visibleAs]), all, faults }));
    },
  };
}

describe('findCards', () => {
  it('one card is looked at once, and its child gets no variable', async () => {
    const { asked, find } = machine('cuda', ['H100']);
    const { all } = await find();
    expect(all).toEqual([
      { device: 'cuda', index: 0, name: 'H100', memory: { total: 80 * GB, free: 70 * GB }, visibleAs: null },
    ]);
    expect(visibility(all)).toEqual({});
    expect(asked).toEqual([undefined]);
  });

  it('several are each looked at alone, through the variable that the child will have', async () => {
    const { all, cards } = await machine('cuda', ['H100', 'L4', 'H100']).find();
    expect(cards).toEqual([
      ['H100', '0'],
      ['L4', '1'],
      ['H100', '2'],
    ]);
    expect(all.map(({ memory }) => memory?.free)).toEqual([70 * GB, 70 * GB, 70 * GB]);
    expect(all.map((card) => visibility([card]))).toEqual(['0', '1', '2'].map((n) => ({ CUDA_VISIBLE_DEVICES: n })));
    expect(visibility(all.slice(1))).toEqual({ CUDA_VISIBLE_DEVICES: '1,2' });
  });

  it("a user's own list is indexed into, numbers and names alike", async () => {
    const four = machine('cuda', ['A', 'B', 'C', 'D']);
    expect((await four.find('3, 1')).cards).toEqual([
      ['D', '3'],
      ['B', '1'],
    ]);
    expect((await four.find('GPU-2,GPU-0')).cards).toEqual([
      ['C', 'GPU-2'],
      ['A', 'GPU-0'],
    ]);
    expect((await four.find('2')).cards).toEqual([['C', '2']]);
  });

  it('Vulkan numbers what it leaves out, too: the number of each card is found by its name', async () => {
    const { cards } = await machine('vulkan', ['llvmpipe', 'RX', 'RTX'], [0]).find();
    expect(cards).toEqual([
      ['RX', '1'],
      ['RTX', '2'],
    ]);
    expect((await machine('vulkan', ['llvmpipe', 'RX', 'RTX'], [0]).find('2,1')).cards).toEqual([
      ['RTX', '2'],
      ['RX', '1'],
    ]);
  });

  it('a card that does not answer alone is left out by name, and the others keep their numbers', async () => {
    const probe: Probe = async (_, __, { CUDA_VISIBLE_DEVICES: only } = {}) =>
      only === '1'
        ? { ok: false, reason: 'signal SIGABRT' }
        : { ok: true, device: 'H100', devices: only === undefined ? ['H100', 'H100', 'H100'] : ['H100'] };
    const faults: string[] = [];
    const cards = await findCards('cuda', { probe, environment: {}, onFault: (fault) => faults.push(fault) });
    expect(cards.map(({ index }) => index)).toEqual([0, 2]);
    expect(faults).toEqual(['card 1 (H100) does not answer by itself (signal SIGABRT) and is left out']);
  });
});

describe('chosenCards', () => {
  it('takes the cards of --devices and refuses a number that is none, with the list', async () => {
    const { all } = await machine('cuda', ['H100', 'L4']).find();
    expect(chosenCards(all, [1], 'cuda').map(({ name }) => name)).toEqual(['L4']);
    expect(() => chosenCards(all, [0, 2], 'cuda')).toThrow(
      '--devices 0,2: there is no card 2; cuda has 0 (H100), 1 (L4). supportcal doctor lists them',
    );
    expect(() => chosenCards([], [0], 'cpu')).toThrow('cpu has no cards here');
  });
});
