"""Rows of option logits: N questions with K options each, where K may differ from question to question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Union

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]

#: An N x K array, or a list of N rows of which each has its own K.
Logits = Union[npt.ArrayLike, Sequence[npt.ArrayLike]]

LARGEST_LOGIT = 1e100
#: Logits of a row that differ by less are equal.
LEAST_SPREAD = 1e-100


class Rows:
    """Logits as one N x max(K) array; ``present`` says which places of a row are options."""

    def __init__(self, logits: Logits, name: str = "logits") -> None:
        rows = [np.asarray(row, dtype=np.float64).ravel() for row in logits]  # type: ignore[union-attr]
        if len(rows) == 0:
            raise ValueError(f"{name}: expected at least one row of option logits, found none")
        width = max(row.size for row in rows)
        self.values: Floats = np.full((len(rows), max(width, 1)), -np.inf)
        self.present: Flags = np.zeros(self.values.shape, dtype=bool)
        for n, row in enumerate(rows):
            if row.size < 2:
                raise ValueError(f"{name}: row {n} has {row.size} options; expected 2 or more")
            if np.isnan(row).any() or (row > LARGEST_LOGIT).any() or not np.isfinite(row).any():
                raise ValueError(f"{name}: row {n} has a logit that is NaN, infinite or beyond {LARGEST_LOGIT:g}")
            self.values[n, : row.size] = row
            self.present[n, : row.size] = True

    @property
    def counts(self) -> Ints:
        """K of every row."""
        return np.asarray(self.present.sum(axis=1), dtype=np.int64)

    @property
    def finite(self) -> Flags:
        """Rows all of whose options have a probability above 0; no other can be fitted on."""
        return np.asarray((np.isfinite(self.values) | ~self.present).all(axis=1))

    def take(self, rows: Flags) -> Rows:
        """The rows with a true flag."""
        taken = object.__new__(Rows)
        taken.values = self.values[rows]
        taken.present = self.present[rows]
        return taken

    def predictions(self) -> Ints:
        """Index of the largest logit of every row; ties go to the lowest index."""
        return np.asarray(self.values.argmax(axis=1), dtype=np.int64)

    def gaps(self) -> Floats:
        """d_n[k] = z_n[k] - max_k z_n[k], 0 or below; -inf where there is no option."""
        return np.asarray(self.values - self.values.max(axis=1, keepdims=True))

    def same_shape(self, other: Rows) -> bool:
        return self.values.shape == other.values.shape and bool((self.present == other.present).all())


def softmax(gaps: Floats, present: Flags, inverse_temperature: float) -> Floats:
    """softmax(beta d) of every row; 0 where there is no option."""
    with np.errstate(invalid="ignore"):
        scaled = np.where(present, inverse_temperature * gaps, -np.inf)
    # An option of probability 0 at beta = 0 is 0 x -inf: it has 1/K as every other.
    scaled = np.where(present & np.isnan(scaled), 0.0, scaled)
    masses = np.exp(scaled)
    return np.asarray(masses / masses.sum(axis=1, keepdims=True))


def apply_temperature(logits: Logits, inverse_temperature: float) -> Floats:
    """Calibrated probabilities q = softmax(beta z), beta = 1 / tau; beta = 0 gives 1/K to every option.

    Returns an N x max(K) array with 0 where a row has fewer options.
    """
    if not (np.isfinite(inverse_temperature) and inverse_temperature >= 0):
        raise ValueError(f"inverse_temperature: expected a number of 0 or more, found {inverse_temperature}")
    rows = Rows(logits)
    return softmax(rows.gaps(), rows.present, float(inverse_temperature))
