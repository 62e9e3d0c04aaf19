"""Selection of references, weights and the temperature of least weighted KL, for one target on one calibration split."""

from __future__ import annotations

import itertools
import math

import mpmath
import numpy as np
from scipy.optimize import brentq
from scipy.special import logsumexp

import answers
from table import Table

mpmath.mp.dps = 60


def select(mean_support: dict[str, float], size: int):
    """Eq. selector by enumeration; of equal scores the combination whose sorted ids come first."""
    best = None
    for combo in itertools.combinations(sorted(mean_support), size):
        score = math.fsum(mean_support[r] for r in combo) / size
        if best is None or score > best[0]:
            best = (score, combo)
    return best


def fit(target: Table, log_teacher, log_w):
    """Minimum of the weighted KL. Returns (kind, tau, M_w).

    With gap = max z - z >= 0, L'(beta) = 0 reads sum w E_q[gap] = sum w E_p[gap]: both sides are sums of positive
    terms, so their logarithms are exact to rounding.
    """
    if len(target.z) == 0:
        return "none", None, None
    gap = np.where(target.mask, target.top()[:, None] - target.z, 0.0)
    log_w = log_w - log_w.max()
    total = math.fsum(np.exp(log_w))
    # m_n through the gaps: E_p[z] - mean z = mean gap - E_p[gap]
    teacher = np.where(target.mask, np.exp(log_teacher), 0.0)
    margins = gap.sum(axis=1) / target.count - (teacher * gap).sum(axis=1)
    margin = math.fsum(np.exp(log_w) * margins) / total
    if not gap.any():
        return "none", None, margin
    with np.errstate(divide="ignore", invalid="ignore"):
        log_gap = np.where(gap > 0, np.log(gap), -np.inf)
        log_p = logsumexp(np.where(target.mask & (gap > 0), log_w[:, None] + log_teacher + log_gap, -np.inf))
        log_0 = logsumexp(log_w[:, None] + log_gap - np.log(target.count)[:, None])
    if abs(log_0 - log_p) < 1e-8:
        margin = exact_margin(target, log_teacher, log_w)
        if margin <= 0:
            return "infinite", None, margin
    elif log_0 <= log_p:
        return "infinite", None, margin
    if log_p == -np.inf:
        return "none", None, margin  # oracle-ts with every label a best option: the infimum is at tau -> 0

    def slope(s):
        t = -np.exp(s) * gap
        lq = np.where(target.mask, t, -np.inf)
        lq = lq - logsumexp(lq, axis=1)[:, None]
        return logsumexp(np.where(gap > 0, log_w[:, None] + lq + log_gap, -np.inf)) - log_p

    low = -math.log(gap.max()) - 1.0
    high = low + 1.0
    while slope(low) <= 0:
        low -= 2.0
        if low < -700:
            raise ArithmeticError("no bracket below")
    while slope(high) >= 0:
        high += 2.0
    s = brentq(slope, low, high, xtol=1e-14, rtol=8.9e-16, maxiter=500)
    return "finite", math.exp(-s), margin


def exact_margin(target: Table, log_teacher, log_w):
    """M_w in 60 digits, for data where its sign hangs on rounding. The teacher is normalised again in 60 digits."""
    num, den = mpmath.mpf(0), mpmath.mpf(0)
    for z, lp, mask, lw in zip(target.z, log_teacher, target.mask, log_w):
        z = [mpmath.mpf(float(v)) for v in z[mask]]
        p = [mpmath.exp(mpmath.mpf(float(v))) if v > -np.inf else mpmath.mpf(0) for v in lp[mask]]
        p_sum = mpmath.fsum(p)
        w = mpmath.exp(mpmath.mpf(float(lw)))
        num += w * (mpmath.fsum(a * b for a, b in zip(p, z)) / p_sum - mpmath.fsum(z) / len(z))
        den += w
    scale = max(1.0, float(np.abs(target.z[target.mask]).max()))
    value = num / den
    return 0.0 if abs(value) < mpmath.mpf(10) ** -40 * scale else float(value)


class Opened:
    """The examples `ids` that target, own base and all references have: every fit returns (kind, tau, M_w)."""

    def __init__(self, scores, plan, ids):
        self.ids = usable(scores, plan, ids)
        table = lambda model: Table([scores[model][i] for i in self.ids])
        self.z, self.base = table(plan["target"]), table(plan["ownBase"])
        self.references = {r: table(r) for r in plan["pool"]}
        self.prediction = self.z.argmax()
        self.agree = self.prediction == self.base.argmax()
        self.d = np.flatnonzero(~self.agree)
        self.log_teacher = self.base.log_probs()
        self.log_u_base = self.base.log_relative_support(self.prediction)
        self.log_u = {r: t.log_relative_support(self.prediction) for r, t in self.references.items()}
        self.zero = np.zeros(len(self.ids))

    def mean_support(self):
        return {r: math.fsum(np.exp(u[self.d])) / len(self.d) for r, u in self.log_u.items()}

    def fit(self, log_w, keep=None):
        """`keep`: the examples that take part; the others have no weight at all."""
        rows = np.arange(len(self.ids)) if keep is None else np.flatnonzero(keep)
        return fit(self.z.take(rows), self.log_teacher[rows], log_w[rows])

    def chosen(self, size):
        """(S*, DS), or (None, None) where nothing disagrees."""
        if len(self.d) == 0:
            return None, None
        score, combo = select(self.mean_support(), size)
        return list(combo), score

    def log_weights(self, chosen):
        """ln w_n of Eq. weights."""
        if chosen is None:
            return self.zero
        log_c = logsumexp(np.stack([self.log_u[r] for r in chosen]), axis=0) - math.log(len(chosen))
        return np.where(self.agree, 0.0, self.log_u_base + log_c)

    def daca(self):
        return self.fit(self.zero, self.agree)

    def full_kl(self):
        return self.fit(self.zero)

    def relative_only(self):
        return self.fit(np.where(self.agree, 0.0, self.log_u_base))

    def supportcal(self, size):
        """(kind, tau, M_w, S*, DS)."""
        chosen, score = self.chosen(size)
        return *self.fit(self.log_weights(chosen)), chosen, score

    def oracle_ts(self, labels):
        """`labels`: -1 where there is none."""
        rows = np.flatnonzero(labels >= 0)
        one_hot = np.full(self.z.z.shape, -np.inf)
        one_hot[rows, labels[rows]] = 0.0
        return fit(self.z.take(rows), one_hot[rows], self.zero[rows])

    def matched(self, by_references):
        """(kind, tau, estimated accuracy) of confidence-matched, or with references of accuracy-matched."""
        if not self.ids:
            return "none", None, None
        doubt = answers.mean_doubt(self.base, 1.0)
        if by_references:
            doubt -= answers.expected_gain(self.z, self.base, list(self.references.values()))
        return *answers.match(self.z, doubt), 1 - doubt


def usable(scores, plan, ids):
    names = [plan["target"], plan["ownBase"], *plan["pool"]]
    return [i for i in ids if all(scores[m].get(i) is not None for m in names)]
