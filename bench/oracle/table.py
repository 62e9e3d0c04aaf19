"""Rows of option logits: ragged, padded to the widest row."""

from __future__ import annotations

import numpy as np


class Table:
    """Option logits of one model for an ordered list of examples."""

    def __init__(self, rows: list[list[float]]):
        widest = max((len(r) for r in rows), default=2)
        self.mask = np.array([[k < len(r) for k in range(widest)] for r in rows], dtype=bool).reshape(-1, widest)
        self.z = np.array([list(r) + [-np.inf] * (widest - len(r)) for r in rows], dtype=np.float64)
        self.z = self.z.reshape(-1, widest)
        self.count = self.mask.sum(axis=1)

    def take(self, index) -> "Table":
        part = Table.__new__(Table)
        part.mask, part.z, part.count = self.mask[index], self.z[index], self.count[index]
        return part

    def argmax(self):
        return np.argmax(self.z, axis=1)  # numpy keeps the first of equal maxima

    def top(self):
        return self.z.max(axis=1)

    def log_probs(self):
        shifted = self.z - self.top()[:, None]
        with np.errstate(divide="ignore"):
            return shifted - np.log(np.exp(shifted).sum(axis=1))[:, None]

    def probs(self, beta: float = 1.0):
        shifted = np.where(self.mask, self.z - self.top()[:, None], 0.0) * beta
        e = np.where(self.mask, np.exp(shifted), 0.0)
        # Sorted, so that rows with the same logits in another order get the same bits (ties of AUROC and groups).
        return e / np.sort(e, axis=1).sum(axis=1)[:, None]

    def log_relative_support(self, choice):
        """ln u_n = v_{n, choice} - max v_n (Eq. relsupport)."""
        return self.z[np.arange(len(self.z)), choice] - self.top()
