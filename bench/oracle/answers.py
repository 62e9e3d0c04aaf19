"""The methods that answer for themselves or match a mean confidence, from what the README and the study say they are."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from fractions import Fraction

import mpmath
import numpy as np
from scipy.optimize import brentq
from scipy.special import logsumexp

from table import Table


def own_base_average(z: Table, base: Table):
    """The mean of two distributions, as a table of log-probabilities."""
    return mixture(z, [[row[m], other[m]] for row, other, m in zip(z.z, base.z, z.mask)])


def exact_softmax(logits):
    top = max(map(float, logits))
    masses = [mpmath.exp(mpmath.mpf(float(v)) - top) for v in logits]
    total = mpmath.fsum(masses)
    return [m / total for m in masses]


def mixture(like: Table, members, log_mean=False):
    """ln of the mean (or the renormalised mean of ln) of softmaxed rows, in 60 digits; row n has the members[n].

    Options whose probabilities are equal as float64 numbers, up to the last bit, are tied: they get one value.
    """
    table = Table.__new__(Table)
    table.mask, table.count, table.z = like.mask, like.count, np.full(like.z.shape, -np.inf)
    for n, rows in enumerate(members):
        ps = [exact_softmax(row) for row in rows]
        if log_mean:
            logs = [mpmath.fsum(mpmath.log(p[k]) for p in ps) / len(ps) for k in range(len(ps[0]))]
            top = max(logs)
            mean = [mpmath.exp(v - top) for v in logs]
            mean = [v / mpmath.fsum(mean) for v in mean]
        else:
            mean = [mpmath.fsum(p[k] for p in ps) / len(ps) for k in range(len(ps[0]))]
        order = sorted(range(len(mean)), key=lambda k: mean[k])
        for lower, higher in zip(order, order[1:]):
            if mean[higher] - mean[lower] <= 4e-16 * mean[higher]:
                mean[higher] = mean[lower]
        table.z[n, : len(mean)] = [float(mpmath.log(v)) for v in mean]
    return table


def base_confidence(z: Table, base: Table):
    """The target's choices and the probability that its own base gives them."""
    choice = z.argmax()
    return choice, np.exp(base.log_probs()[np.arange(len(choice)), choice])


# ---- CAPE: row n of `rotated` is a K x K array, one row per order of the options, columns in the original order --------


def cape(like: Table, rotated, log_mean: bool):
    return mixture(like, rotated, log_mean)


def cape_votes(like: Table, rotated):
    average = cape(like, rotated, False)
    choices, shares = [], []
    for n, logits in enumerate(rotated):
        votes = np.bincount(np.argmax(np.asarray(logits), axis=1), minlength=len(logits))
        tied = np.flatnonzero(votes == votes.max())
        choices.append(int(tied[np.argmax(average.z[n, tied])]))
        shares.append(votes.max() / len(logits))
    return np.array(choices, dtype=int), np.array(shares)


# ---- what the target wrote: per example a list of (option or None, percent), one for each sample --------------------------


def stated(like: Table, replies, rule: str, wrong: bool):
    """(options, confidences); option -1: no answer, or with `wrong` -2 and 1/K. `rule`: first, avg-conf or consistency.

    In fractions: sums of 0.1 and 0.2 are those of 0.3.
    """
    choices, confidences = [], []
    for n, samples in enumerate(replies):
        given = [(a, Fraction(str(c)) / 100) for a, c in (samples[:1] if rule == "first" else samples) if a is not None]
        if not given:
            choices.append(-2 if wrong else -1)
            confidences.append(1 / like.count[n] if wrong else 0.0)
            continue
        votes, sums = Counter(a for a, _ in given), defaultdict(Fraction)
        for a, c in given:
            sums[a] += c
        total = sum(sums.values())
        if rule == "consistency":
            best = min(votes, key=lambda a: (-votes[a], -sums[a], a))
            share = Fraction(votes[best], len(given))
        else:
            best = min(votes, key=lambda a: (-sums[a], -votes[a], a))
            share = given[0][1] if rule == "first" else sums[best] / total if total else Fraction(0)
        choices.append(best)
        confidences.append(float(share))
    return np.array(choices, dtype=int), np.array(confidences, dtype=float)


def p_true(z: Table, truth):
    """The target's choice with softmax(yes, no) of the question whether it is right; row: yes and no for every option."""
    choice = z.argmax()
    for n, logits in enumerate(truth):
        if logits is None:
            choice[n] = -1
    of = lambda n: float(exact_softmax(truth[n][2 * choice[n] : 2 * choice[n] + 2])[0])
    return choice, np.array([0.0 if choice[n] == -1 else of(n) for n in range(len(choice))])


# ---- mean confidence set to an estimate of the accuracy ----------------------------------------------------------------


def log_doubts(table: Table, beta: float):
    """ln (1 - top probability) of every row."""
    gap = np.where(table.mask, table.z - table.top()[:, None], -np.inf)
    at = table.argmax()
    rest = np.where(np.arange(gap.shape[1]) == at[:, None], -np.inf, beta * gap if beta > 0 else np.where(table.mask, 0.0, -np.inf))
    with np.errstate(divide="ignore"):
        log_rest = logsumexp(rest, axis=1)
    return log_rest - np.logaddexp(0.0, log_rest)


def mean_doubt(table: Table, beta: float):
    return math.fsum(np.exp(log_doubts(table, beta))) / len(table.z)


def expected_gain(z: Table, base: Table, references):
    """Mean over examples and references of p(target's answer) - p(own base's answer)."""
    rows, mine, its = np.arange(len(z.z)), z.argmax(), base.argmax()
    sides = [np.exp(r.log_probs()) for r in references]
    return math.fsum(x for p in sides for x in p[rows, mine] - p[rows, its]) / (len(rows) * len(sides))


def match(z: Table, doubt: float):
    """(kind, tau): the temperature at which the mean of 1 - confidence is `doubt`."""
    gap = np.where(z.mask, z.top()[:, None] - z.z, 0.0)
    if not gap.any():
        return "none", None
    if doubt >= mean_doubt(z, 0.0) - 1e-14:
        return "infinite", None
    ties = (z.mask & (gap == 0)).sum(axis=1)
    if not doubt > math.fsum(1 - 1 / ties) / len(ties):
        return "none", None
    off = lambda s: logsumexp(log_doubts(z, math.exp(s))) - math.log(len(ties)) - math.log(doubt)
    low = high = -math.log(gap.max())
    while off(low) <= 0:
        low -= 2.0
    while off(high) >= 0:
        high += 2.0
    return "finite", math.exp(-brentq(off, low, high, xtol=1e-14, rtol=8.9e-16, maxiter=500))
