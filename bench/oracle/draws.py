"""The random draws of the tool, from its documented rule: whole numbers of 32 bits, no shared code.

xoroshiro128+ (Blackman and Vigna 2018; rotations 24, 16, 37) on two words s0, s1 of 64 bits, of whose output the low half
counts. For a seed with 32-bit halves low and high, s0 = (~low and -1), s1 = (low and high), each written (low half, high
half); 64 outputs are thrown away.
"""

from __future__ import annotations

import math
from collections import Counter
from decimal import Decimal

import numpy as np

MASK = 2**64 - 1


class Generator:
    def __init__(self, seed: int):
        low, high = seed & 0xFFFFFFFF, seed >> 32
        self.s0, self.s1 = 0xFFFFFFFF << 32 | (~low & 0xFFFFFFFF), low << 32 | high
        for _ in range(64):
            self.next()

    def next(self) -> int:
        s0, s1 = self.s0, self.s1
        out = (s0 + s1) & 0xFFFFFFFF
        s1 ^= s0
        self.s0 = ((s0 << 24 | s0 >> 40) ^ s1 ^ s1 << 16) & MASK
        self.s1 = (s1 << 37 | s1 >> 27) & MASK
        return out

    def below(self, size: int) -> int:
        """Uniform in 0 .. size - 1: outputs, as signed numbers moved up by 2^31, from the last incomplete run on are left out."""
        limit = 2**32 // size * size
        while True:
            value = (self.next() + 2**31) & 0xFFFFFFFF
            if value < limit:
                return value % size


def shuffle(count: int, seed: int) -> list[int]:
    """Fisher-Yates from the last place down."""
    generator, order = Generator(seed), list(range(count))
    for i in range(count - 1, 0, -1):
        j = generator.below(i + 1)
        order[i], order[j] = order[j], order[i]
    return order


def floor_of_share(fraction: float, count: int) -> int:
    """Of the decimal number that was written."""
    return math.floor(Decimal(repr(fraction)) * count)


def in_order(ids):
    """By UTF-16 code units."""
    return sorted(ids, key=lambda i: i.encode("utf-16-be", "surrogatepass"))


def split(ids, seed: int, fraction: float, contents=None):
    """Both sides in id order: the calibration side is the beginning of the shuffled order.

    `contents`: {id: content}. Of the shuffled order, a content goes to calibration when all its examples still fit.
    """
    ordered = in_order(ids)
    room, chosen, seen = floor_of_share(fraction, len(ordered)), set(), set()
    content = (lambda i: i) if contents is None else contents.__getitem__
    members = Counter(map(content, ordered))
    for n in shuffle(len(ordered), seed):
        each = content(ordered[n])
        if each not in seen and members[each] <= room:
            chosen.add(each)
            room -= members[each]
        seen.add(each)
    side = lambda wanted: [i for i in ordered if (content(i) in chosen) == wanted]
    return {"calibration": side(True), "evaluation": side(False)}


class Resamples:
    """Counts of bootstrap resamples, all data sets from the beginning of one stream: the generator of seed 1."""

    def __init__(self):
        self.generator, self.words = Generator(1), np.zeros(0, dtype=np.uint64)

    def counts(self, clusters: int, resamples: int):
        """resamples x clusters: `clusters` draws a row, each a word cut into equal widths; words beyond them are left out."""
        width = 2**32 // clusters
        wanted = clusters * resamples
        while True:
            good = self.words[self.words < width * clusters][:wanted]
            if len(good) == wanted:
                break
            more = np.array([self.generator.next() for _ in range(wanted - len(good) + 64)], dtype=np.uint64)
            self.words = np.concatenate([self.words, more])
        drawn = (good // np.uint64(width)).astype(int).reshape(resamples, clusters)
        return np.stack([np.bincount(row, minlength=clusters) for row in drawn]).astype(float)
