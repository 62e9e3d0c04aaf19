"""Expected calibration error and the bins of a reliability diagram."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Bin:
    """One bin; the means are None in an empty one."""

    lower: float
    upper: float
    count: int
    accuracy: float | None
    confidence: float | None


def reliability(confidences: npt.ArrayLike, correct: npt.ArrayLike, bins: int = 10) -> list[Bin]:
    """Equal-width bins whose left edge is theirs; the last one owns 1 too (as netcal).

    confidences: N numbers in [0, 1]. correct: N flags, whether the answer was right.
    """
    values = np.asarray(confidences, dtype=np.float64).ravel()
    hits = np.asarray(correct, dtype=np.float64).ravel()
    if values.size == 0 or values.size != hits.size:
        raise ValueError(f"expected as many confidences as answers, at least one; found {values.size} and {hits.size}")
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError("confidences: expected numbers in [0, 1]")
    edges = np.array([i * (1 / bins) for i in range(bins)] + [1.0])
    places = np.minimum(np.searchsorted(edges, values, side="right") - 1, bins - 1)
    return [_bin(edges, b, values[places == b], hits[places == b]) for b in range(bins)]


def _bin(edges: npt.NDArray[np.float64], b: int, values: npt.NDArray[np.float64], hits: npt.NDArray[np.float64]) -> Bin:
    lower, upper, count = float(edges[b]), float(edges[b + 1]), int(values.size)
    if count == 0:
        return Bin(lower, upper, 0, None, None)
    return Bin(lower, upper, count, math.fsum(hits) / count, math.fsum(values) / count)


def ece(confidences: npt.ArrayLike, correct: npt.ArrayLike, bins: int = 10) -> float:
    """Expected calibration error, Eq. (ece): sum_b (n_b / N) |acc_b - conf_b|, in [0, 1]."""
    found = reliability(confidences, correct, bins)
    total = sum(each.count for each in found)
    return math.fsum(
        each.count / total * abs(each.accuracy - each.confidence)
        for each in found
        if each.accuracy is not None and each.confidence is not None
    )
