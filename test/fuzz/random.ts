/** Seeded draws (mulberry32): case n of a target is the same input in every run, alone or among others. */
export class Random {
  private state: number;

  constructor(seed: number, stream: string, index: number) {
    this.state = seed >>> 0;
    for (const character of `${stream}/${index}`) {
      this.state = Math.imul(this.state ^ character.charCodeAt(0), 0x01000193) >>> 0;
    }
  }

  /** In [0, 1). */
  unit(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number in [0, limit). */
  below(limit: number): number {
    return Math.floor(this.unit() * limit);
  }

  chance(share: number): boolean {
    return this.unit() < share;
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }
}
