"""One-temperature fits, all exact: every one is the root of an increasing function of beta = 1/tau, by bisection."""
import numpy as np


def softmax(z):
    e = np.exp(z - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def root(f, negative_at_zero):
    """Root of an increasing f; 0 where f(0) >= 0; inf where f stays negative (every row is to be certain)."""
    if not negative_at_zero: return 0.0
    lo = hi = 1.0
    while f(lo) > 0: lo /= 4
    while f(hi) < 0:
        hi *= 4
        if hi > 1e12: return np.inf
    for _ in range(60):
        mid = np.sqrt(lo * hi)
        lo, hi = (mid, hi) if f(mid) < 0 else (lo, mid)
    return np.sqrt(lo * hi)


def kl_fit(z, p, w=None):
    """argmin over beta of sum_n w_n KL(p_n || softmax(beta z_n)): Eq. (tempobj) with any teacher p."""
    w = np.ones(len(z)) if w is None else w
    d = z - z.max(1, keepdims=True)
    goal = (p * d).sum(1)
    f = lambda b: float(w @ ((softmax(b * d) * d).sum(1) - goal))
    return root(f, f(0.0) < 0)


def confidence_fit(z, accuracy, w=None):
    """The beta at which the (weighted) mean confidence is `accuracy`: mean confidence increases with beta."""
    w = np.ones(len(z)) if w is None else w
    d = z - z.max(1, keepdims=True)
    f = lambda b: float(w @ (1 / np.exp(b * d).sum(1)) / w.sum() - accuracy)
    return root(f, f(0.0) < 0) if accuracy < 1 else np.inf


def ece(p, y, bins=10):
    c, ok = p.max(1), p.argmax(1) == y
    index = np.minimum(np.searchsorted(np.linspace(0, 1, bins + 1), c, "right") - 1, bins - 1)
    gaps = np.bincount(index, ok - c, bins)
    return 100 * np.abs(gaps).sum() / len(y)
