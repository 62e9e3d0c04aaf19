import { type ErrorCode, type Fault, SupportCalError } from '../../errors/supportcal-error.js';

/** So many faults of one kind are listed in full; the places of so many more are named. */
const LISTED = 5;
const PLACES = 20;

/** A fault, and which one it is of all. */
type Placed = Fault & { readonly at: number };

interface Kind {
  readonly listed: Placed[];
  /** Places of those that are not listed. */
  readonly more: Placed[];
  rest: number;
}

/**
 * Collects the faults of one file, so that they are reported together. Faults that differ in their numbers and quoted
 * texts alone are of one kind: the first ones are listed, and the others counted, with the places of some.
 */
export class FaultList {
  private readonly kinds = new Map<string, Kind>();
  private total = 0;
  private unlisted = 0;
  private readonly mostKinds: number;

  constructor(mostKinds = 50) {
    this.mostKinds = mostKinds;
  }

  /** @param times how often the fault is there; where it is listed already, more often */
  add(fault: Fault, times = 1): void {
    const placed = { ...fault, at: this.total };
    this.total += times;
    const key = JSON.stringify([fault.file, fault.field, kindOf(fault.message)]);
    let kind = this.kinds.get(key);
    if (kind === undefined) {
      if (this.kinds.size >= this.mostKinds) {
        this.unlisted += times;
        return;
      }
      kind = { listed: [], more: [], rest: 0 };
      this.kinds.set(key, kind);
    }
    if (kind.listed.length < LISTED) {
      kind.listed.push(placed);
      kind.rest += times - 1;
      return;
    }
    if (kind.more.length < PLACES) kind.more.push(placed);
    kind.rest += times;
  }

  /** A fault with which the reading of a file ends: what follows it is not known. */
  addLast(fault: Fault): void {
    this.add(fault);
  }

  get count(): number {
    return this.total;
  }

  /** What is reported, in the order in which it came up. */
  get list(): Fault[] {
    const shown = [...this.kinds.values()].flatMap((kind) => [...kind.listed, ...restOf(kind)]);
    const faults = shown.sort((a, b) => a.at - b.at).map(({ at: _, ...fault }) => fault);
    const { file } = faults.at(-1) ?? {};
    const more = `and ${counted(this.unlisted)} more faults of other kinds`;
    return this.unlisted > 0 ? [...faults, { file, message: more }] : faults;
  }

  /** Throws everything that was collected, if anything was. */
  throwIfAny(code: ErrorCode = 'bad-input'): void {
    if (this.total > 0) throw new SupportCalError(code, this.list);
  }
}

function restOf({ listed, more, rest }: Kind): Placed[] {
  if (rest === 0) return [];
  const nearest = more[0] ?? listed.at(-1);
  if (nearest === undefined) return [];
  const { file, line, field, at } = nearest;
  const places = more.flatMap((each) => each.line ?? each.number ?? []);
  const word = line === undefined ? 'row' : 'line';
  const named = places.length > 0 ? `, ${word}${places.length > 1 ? 's' : ''} ${places.join(', ')}` : '';
  const unnamed = rest > places.length && places.length > 0 ? ', ...' : '';
  const message = `and ${counted(rest)} more ${rest === 1 ? 'row' : 'rows'} like it${named}${unnamed}`;
  return [{ file, line, field, message, at }];
}

function counted(count: number): string {
  return count.toLocaleString('en-US');
}

/** A message without what differs from row to row: quoted texts, numbers, and how many of them there are. */
function kindOf(message: string): string {
  return message
    .replace(/"(?:[^"\\]|\\.)*("|$)/g, '#')
    .replace(/-?\d[\d.,]*(e[+-]?\d+)?/gi, '#')
    .replace(/#(, #)+/g, '#');
}
