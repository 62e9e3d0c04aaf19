"""How confidences are put into bins."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Bins:
    """`count` bins of equal width; a bin owns its left edge and the last one 1, or with `right` its right edge and the first 0.

    `mass`: top confidences are put into bins of equal numbers of examples instead; single options stay in equal widths.
    """

    count: int = 10
    right: bool = False
    mass: bool = False

    def edges(self):
        return np.linspace(0.0, 1.0, self.count + 1)

    def index(self, values):
        if self.right:
            return np.maximum(np.searchsorted(self.edges(), values, side="left") - 1, 0)
        return np.minimum(np.searchsorted(self.edges(), values, side="right") - 1, self.count - 1)

    def parts(self, confidence, hit):
        """(examples, accuracy, mean confidence) of every non-empty bin of equal width."""
        index = self.index(confidence)
        return [mean_part(confidence, hit, np.flatnonzero(index == b)) for b in range(self.count) if (index == b).any()]

    def top_parts(self, confidence, hit):
        return self.mass_parts(confidence, hit) if self.mass else self.parts(confidence, hit)

    def mass_parts(self, confidence, hit):
        """Sorted by confidence, cut as numpy.array_split does; equal confidences share their mean accuracy."""
        values, group, sizes = np.unique(confidence, return_inverse=True, return_counts=True)
        shared = (np.bincount(group, weights=hit, minlength=len(values)) / sizes)[group]
        order = np.argsort(confidence, kind="stable")
        return [mean_part(confidence, shared, part) for part in np.array_split(order, self.count) if len(part)]


def mean_part(confidence, hit, inside):
    return len(inside), math.fsum(hit[inside]) / len(inside), math.fsum(confidence[inside]) / len(inside)


def gaps(parts):
    """(share, |accuracy - confidence|) of every bin."""
    total = sum(n for n, _, _ in parts)
    return [(n / total, abs(a - c)) for n, a, c in parts]


def ece(parts):
    return math.fsum(share * gap for share, gap in gaps(parts))
