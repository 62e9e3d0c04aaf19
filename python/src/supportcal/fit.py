"""The temperature that minimises the weighted KL objective, Eq. (tempobj), by the root of its derivative."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .rows import LEAST_SPREAD, Flags, Floats, softmax

WIDEST_STEP = math.log(64)


@dataclass(frozen=True)
class Temperature:
    """How a fit ended.

    kind: ``finite``; ``infinite`` (the optimum is beta = 0: every option gets 1/K); ``none`` (no fit, see reason).
    """

    kind: str
    temperature: float | None
    inverse_temperature: float | None
    #: M_w of Proposition 1, in logit units.
    weighted_boundary_margin: float | None = None
    reason: str | None = None


def fit_temperature(gaps: Floats, present: Flags, teacher: Floats, log_weights: Floats) -> Temperature:
    """Minimises sum_n w_n KL(p_n || softmax(beta z_n)) over tau = 1 / beta.

    gaps: d_n[k], N x K. teacher: ln p_n[k], N x K. log_weights: ln w_n, -inf for a weight of 0.
    """
    used = log_weights > -np.inf
    if not used.any():
        return Temperature("none", None, None, None, "no-examples")
    gaps, present, teacher = gaps[used], present[used], teacher[used]
    weights = np.exp(log_weights[used] - log_weights[used].max())
    total = math.fsum(weights)
    d = np.where(present, gaps, 0.0)
    masses = np.where(present, np.exp(teacher), 0.0)
    uniform = present / present.sum(axis=1, keepdims=True)
    teacher_means = _row_sums(masses * d)
    margins = _row_sums((masses - uniform) * d)
    sizes = np.abs(teacher_means) + np.abs(teacher_means - margins)
    margins = np.where(np.abs(margins) <= 4 * np.finfo(float).eps * sizes * present.sum(axis=1), 0.0, margins)
    margin = math.fsum(weights * margins) / total
    if np.abs(d).max() < LEAST_SPREAD:
        return Temperature("none", None, None, margin, "constant-logits")
    if margin <= 0:
        return Temperature("infinite", None, 0.0, margin)
    gap = -math.fsum(weights * teacher_means) / total
    if gap <= 1e-290:
        return Temperature("none", None, None, margin, "separable")
    beta = _root(lambda b: _slope(b, d, present, weights, total, teacher_means), _guess(d, present, weights, margin), gap)
    return Temperature("finite", 1 / beta, beta, margin)


def _row_sums(values: Floats) -> Floats:
    return np.array([math.fsum(row) for row in values])


def _guess(d: Floats, present: Flags, weights: Floats, margin: float) -> float:
    counts = present.sum(axis=1)
    means = d.sum(axis=1) / counts
    variances = (np.where(present, d - means[:, None], 0.0) ** 2).sum(axis=1) / counts
    spread = float((weights * variances).sum() / weights.sum())
    guess = margin / spread if spread > 0 else math.inf
    return guess if 0 < guess < math.inf else 1 / float(np.abs(d).max())


def _slope(
    beta: float, d: Floats, present: Flags, weights: Floats, total: float, teacher_means: Floats
) -> tuple[float, float]:
    """L'(beta), Eq. (firstderiv), and L''(beta), Eq. (secondderiv)."""
    q = softmax(d, present, beta)
    means = (q * d).sum(axis=1)
    variances = (q * d * d).sum(axis=1) - means * means
    return math.fsum(weights * (means - teacher_means)) / total, math.fsum(weights * variances) / total


def _root(slope_at: Callable[[float], tuple[float, float]], guess: float, scale: float) -> float:
    """The root of an increasing function that is negative at 0: Newton on ln(beta) inside a bracket."""
    low, high, beta = 0.0, math.inf, guess
    for iteration in range(400):
        slope, curvature = slope_at(beta)
        if slope < 0:
            low = beta
        else:
            high = beta
        step = -slope / (beta * curvature) if curvature > 0 else math.inf
        newton = beta * math.exp(min(max(step, -WIDEST_STEP), WIDEST_STEP))
        inside = low < newton < high
        if abs(slope) <= 1e-15 * scale:
            return newton if inside and abs(step) < 1e-6 else beta
        if high - low <= 2 * np.finfo(float).eps * low:
            return beta
        if inside and iteration < 40 and abs(step) <= WIDEST_STEP:
            if newton == beta:
                return beta
            beta = newton
        elif low == 0:
            beta = high / 64
        elif high == math.inf:
            beta = min(low * 64, 1.7976931348623157e308)
        else:
            beta = math.sqrt(low) * math.sqrt(high)
    raise RuntimeError("the temperature fit did not converge; please report it with the logits")
