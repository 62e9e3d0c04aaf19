"""Every number of results.json, computed a second time from the paper and the design: float64, no shared code.

Rows are ragged: logits are padded to the widest row, `mask` says which options exist. Weights and teacher
probabilities stay in the log domain, so logits of 1e4 lose nothing.
"""

from __future__ import annotations

import itertools
import math

import mpmath
import numpy as np
from scipy.optimize import brentq
from scipy.signal import fftconvolve
from scipy.special import erf, logsumexp

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


# ---- metrics on the evaluation split ----------------------------------------------------------------------------


def bin_index(confidence, bins):
    edges = np.linspace(0.0, 1.0, bins + 1)
    return np.minimum(np.searchsorted(edges, confidence, side="right") - 1, bins - 1)


def binned(confidence, hit, bins):
    """(examples, accuracy, mean confidence) of every non-empty bin."""
    index = bin_index(confidence, bins)
    out = []
    for b in range(bins):
        inside = index == b
        n = int(inside.sum())
        if n:
            out.append((n, math.fsum(hit[inside]) / n, math.fsum(confidence[inside]) / n))
    return out


def binned_gaps(confidence, hit, bins):
    """(share, |accuracy - confidence|) of every non-empty bin."""
    return [(n / len(confidence), abs(a - c)) for n, a, c in binned(confidence, hit, bins)]


def debiased_ece(parts):
    """2 ECE - its mean when every bin's accuracy is drawn anew from N(a, a (1 - a) / n) (Kumar et al. 2019, p = 1)."""
    total = sum(n for n, _, _ in parts)
    value = 0.0
    for n, a, c in parts:
        gap, sd = abs(a - c), math.sqrt(a * (1 - a) / n)
        mean = gap if sd == 0 else sd * math.sqrt(2 / math.pi) * math.exp(-0.5 * (gap / sd) ** 2) + gap * erf(gap / sd / math.sqrt(2))
        value += n / total * (2 * gap - mean)
    return value


def debiased_square(parts):
    """Bias-corrected sum of squared gaps (Broecker 2012; Kumar et al. 2019); a bin of one example adds 0."""
    total = sum(n for n, _, _ in parts)
    return math.fsum(n / total * ((a - c) ** 2 - a * (1 - a) / (n - 1)) for n, a, c in parts if n > 1)


def brier_parts(p, mask, one_hot, bins):
    """Murphy's three terms and the two inside the bins (Stephenson et al. 2008), summed over the options."""
    out = dict.fromkeys(["Reliability", "Resolution", "Uncertainty", "WithinBinVariance", "WithinBinCovariance"], 0.0)
    for k in range(p.shape[1]):
        q, o = p[mask[:, k], k], one_hot[mask[:, k], k]
        if len(q) == 0:
            continue
        out["Uncertainty"] += len(o) * o.var()
        index = bin_index(q, bins)
        for b in np.unique(index):
            qb, ob = q[index == b], o[index == b]
            out["Reliability"] += len(qb) * (qb.mean() - ob.mean()) ** 2
            out["Resolution"] += len(qb) * (ob.mean() - o.mean()) ** 2
            out["WithinBinVariance"] += len(qb) * qb.var()
            out["WithinBinCovariance"] += 2 * ((qb - qb.mean()) * (ob - ob.mean())).sum()
    return {f"brier{name}": value / len(p) for name, value in out.items()}


def aurc(confidence, hit):
    """Mean over coverages of the error rate of the most confident; tied examples share their mean error."""
    _, group = np.unique(-confidence, return_inverse=True)
    errors = np.bincount(group, weights=1 - hit) / np.bincount(group)
    order = np.argsort(group, kind="stable")
    return float(np.mean(np.cumsum(errors[group][order]) / np.arange(1, len(hit) + 1)))


def auroc(confidence, hit):
    """P(confidence of a right answer > of a wrong one), ties one half."""
    good, bad = confidence[hit == 1], np.sort(confidence[hit == 0])
    if len(good) == 0 or len(bad) == 0:
        return None
    below = np.searchsorted(bad, good, side="left")
    upto = np.searchsorted(bad, good, side="right")
    return float((below.sum() + 0.5 * (upto - below).sum()) / (len(good) * len(bad)))


def smooth_ece(confidence, hit):
    """smECE as relplot 1.0.3 takes it: residuals and density on a grid, a Gaussian cut at +-0.5, mirrored ends."""

    def smoothed(sigma):
        size = max(2000, round(20 / sigma)) // 2 + 1
        cell = np.clip((confidence * (size - 1)).astype(int), 0, size - 2)
        part = confidence * (size - 1) - cell
        kernel = np.exp(-((np.linspace(0, 1, size) - 0.5) ** 2) / (2 * sigma * sigma)) / (math.sqrt(2 * math.pi) * sigma)
        at = np.linspace(0, 1, max(round(10 / sigma), 200))

        def apply(weight):
            grid = np.bincount(cell, (1 - part) * weight, size) + np.bincount(cell + 1, part * weight, size)
            mirrored = np.concatenate([grid[:0:-1], grid, grid[-2::-1]])
            middle = fftconvolve(mirrored, kernel, "valid")[size // 2 : size // 2 + size]
            return np.interp(at, np.linspace(0, 1, size), middle)

        return float(np.abs(apply(confidence - hit)).sum() / (apply(np.ones_like(hit)) + 1e-4).sum())

    high, low = 1.0, 0.0
    for _ in range(10):
        middle = (high + low) / 2
        if middle < 0.001 or middle < smoothed(middle):
            low = middle
        else:
            high = middle
    return smoothed(high)


def rounding_slack(confidence, hit, bins):
    """How far AUROC and equal-mass ECE may move when confidences that differ by rounding alone are ordered anyhow.

    Rows with the same logits in another order have the same confidence, but its last bit hangs on the order of a sum.
    """
    order = np.argsort(confidence, kind="stable")
    c, h = confidence[order], hit[order]
    cluster = np.concatenate([[0], np.cumsum(np.diff(c) > 1e-14)])
    pairs, border, risk = 0.0, 0, 0.0
    edges = np.cumsum([len(part) for part in np.array_split(order, bins)])
    for members in np.split(np.arange(len(c)), np.flatnonzero(np.diff(cluster)) + 1):
        if len(members) > 1:
            mixed = h[members].sum() * (1 - h[members]).sum()
            pairs += mixed / 2
            risk += mixed / (len(c) - members[-1]) / len(c)
            if ((edges > members[0]) & (edges <= members[-1])).any():
                border += len(members)
    all_pairs = hit.sum() * (1 - hit).sum()
    return {"auroc": pairs / all_pairs if all_pairs else 0.0, "adaptiveEce": 2 * border / len(c),
            "aurc": risk, "excessAurc": risk}


METRICS = ["meanConfidence", "overconfidence", "ece", "mce", "rmsCe", "debiasedEce", "debiasedRmsCe", "adaptiveEce",
           "classwiseEce", "brier", "brierReliability", "brierResolution", "brierUncertainty", "brierWithinBinVariance",
           "brierWithinBinCovariance", "nll", "auroc", "aurc", "excessAurc"]


def edge_slack(confidence, p, bins):
    """Means of sure distributions lie on edges (1/2, say), and rounding decides their bin: then no bin is compared."""
    edges = np.linspace(0, 1, bins + 1)[1:-1]
    on_edge = lambda values: bool((np.abs(np.ravel(values)[:, None] - edges) < 1e-13).any())
    top = ["ece", "mce", "rmsCe", "debiasedEce", "debiasedRmsCe"] if on_edge(confidence) else []
    options = ["classwiseEce", "brierReliability", "brierResolution", "brierWithinBinVariance", "brierWithinBinCovariance"]
    return dict.fromkeys(top + (options if on_edge(p) else []), 1.0)


def metrics(target: Table, labels, beta, bins):
    """`labels`: int array, -1 unlabelled; only labelled rows count. beta = 0 is tau -> infinity.

    beta None: nothing was fitted, so there are no probabilities; the predictions and their accuracy stand.
    """
    rows = np.flatnonzero(labels >= 0)
    if len(rows) == 0:
        return dict.fromkeys(["accuracy", *METRICS])
    t, y = target.take(rows), labels[rows]
    n = len(y)
    prediction = t.argmax()
    hit = (prediction == y).astype(float)
    if beta is None:
        return {"accuracy": math.fsum(hit) / n, **dict.fromkeys(METRICS)}
    p = t.probs(beta)
    one_hot = np.zeros_like(p)
    one_hot[np.arange(n), y] = 1
    scaled = np.where(t.mask, (t.z - t.top()[:, None]), 0) * beta
    log_sum = np.log(np.where(t.mask, np.exp(scaled), 0).sum(axis=1))
    nll = log_sum - scaled[np.arange(n), y]
    return {
        **confidence_metrics(p[np.arange(n), prediction], hit, bins),
        "classwiseEce": classwise_ece(p, t.mask, one_hot, bins),
        "brier": math.fsum((np.where(t.mask, p - one_hot, 0) ** 2).sum(axis=1)) / n,
        "nll": math.fsum(nll) / n,
        **brier_parts(p, t.mask, one_hot, bins),
    }


def confidence_metrics(confidence, hit, bins):
    """All that can be said of predictions of which only the confidence is known."""
    n = len(hit)
    gaps = binned_gaps(confidence, hit, bins)
    parts = binned(confidence, hit, bins)
    return {
        "accuracy": math.fsum(hit) / n,
        "meanConfidence": math.fsum(confidence) / n,
        "ece": math.fsum(a * b for a, b in gaps),
        "mce": max(b for _, b in gaps),
        "overconfidence": math.fsum(confidence) / n - math.fsum(hit) / n,
        "rmsCe": math.sqrt(math.fsum(a * b * b for a, b in gaps)),
        "debiasedEce": debiased_ece(parts),
        "debiasedRmsCe": math.sqrt(max(0.0, debiased_square(parts))),
        "adaptiveEce": equal_mass_ece(confidence, hit, bins),
        "auroc": auroc(confidence, hit),
        "aurc": aurc(confidence, hit),
        "excessAurc": aurc(confidence, hit) - aurc(-np.arange(n, dtype=float), np.sort(hit)[::-1]),
        "slack": rounding_slack(confidence, hit, bins),
        "confidence": confidence, "hit": hit,
    }


def equal_mass_ece(confidence, hit, bins):
    """Sorted by confidence, cut as numpy.array_split does; equal confidences share their mean accuracy."""
    values, group, sizes = np.unique(confidence, return_inverse=True, return_counts=True)
    hit = (np.bincount(group, weights=hit, minlength=len(values)) / sizes)[group]
    order = np.argsort(confidence, kind="stable")
    total = 0.0
    for part in np.array_split(order, bins):
        if len(part):
            total += abs(math.fsum(hit[part]) - math.fsum(confidence[part]))
    return total / len(confidence)


def classwise_ece(p, mask, one_hot, bins):
    """Mean over classes of the ECE of that class's probability, over the rows that have the class."""
    values = []
    for k in range(p.shape[1]):
        have = mask[:, k]
        if have.any():
            values.append(math.fsum(a * b for a, b in binned_gaps(p[have, k], one_hot[have, k], bins)))
    return math.fsum(values) / len(values)


# ---- one target on one split --------------------------------------------------------------------------------------


def runs_of_split(scores, labels, split, plan, methods, sizes, bins):
    """Runs of one target and seed; none when no example has logits from all its models.

    scores: {model: {id: logits or None}}; labels: {id: int or None}; plan: {target, ownBase, pool} and, for CAPE,
    rotated: {id: K x K logits}.
    """
    names = [plan["target"], plan["ownBase"], *plan["pool"]]

    def usable(ids):
        return [i for i in ids if all(scores[m].get(i) is not None for m in names)]

    calibration, evaluation = usable(split["calibration"]), usable(split["evaluation"])
    if not calibration and not evaluation:
        return []
    common = {"calibrationCount": len(calibration), "evaluationCount": len(evaluation)}

    def table(model, ids):
        return Table([scores[model][i] for i in ids])

    def label_array(ids):
        return np.array([-1 if labels.get(i) is None else labels[i] for i in ids], dtype=int)

    z, base = table(plan["target"], calibration), table(plan["ownBase"], calibration)
    z_eval, base_eval = table(plan["target"], evaluation), table(plan["ownBase"], evaluation)
    y_eval = label_array(evaluation)
    prediction = z.argmax()
    agree = prediction == base.argmax()
    d = np.flatnonzero(~agree)
    log_teacher = base.log_probs()
    log_u_base = base.log_relative_support(prediction)
    log_u = {r: table(r, calibration).log_relative_support(prediction) for r in plan["pool"]}
    lab = y_eval >= 0
    common["disagreementRate"] = len(d) / len(calibration) if calibration else None
    common["ownBaseAccuracy"] = (
        float((base_eval.argmax()[lab] == y_eval[lab]).mean()) if lab.any() else None
    )
    if len(d):
        mean_support = {r: math.fsum(np.exp(log_u[r][d])) / len(d) for r in plan["pool"]}

    out = []

    def add(method, size, kind, tau, margin, refs=None, ds=None, of=None, estimate=None):
        """`of`: the distribution that the temperature is put on; the target's own by default."""
        beta = {"finite": lambda: 1 / tau, "infinite": lambda: 0.0}.get(kind, lambda: None)()
        if method == "vanilla" or (of is not None and "+" not in method):
            beta = 1.0
        values = metrics(z_eval if of is None else of, y_eval, beta, bins)
        if of is not None and "confidence" in values:
            values["slack"] |= edge_slack(values["confidence"], of.take(lab).probs(beta), bins)
        if method == "vanilla" and lab.any():  # slow, so once per split
            p = z_eval.take(lab).probs()
            right = z_eval.take(lab).argmax() == y_eval[lab]
            values["smoothEce"] = smooth_ece(p.max(axis=1), right.astype(float))
        keep(method, size, values, kind, tau, margin, refs, ds, estimate)

    def add_confidences(method, choice, confidence):
        values = dict.fromkeys(["accuracy", *METRICS])
        if lab.any():
            hit = (choice[lab] == y_eval[lab]).astype(float)
            values |= confidence_metrics(confidence[lab], hit, bins)
        keep(method, None, values)

    def keep(method, size, values, kind="none", tau=None, margin=None, refs=None, ds=None, estimate=None):
        if "confidence" in values:
            values["evaluated"] = [i for i, labelled in zip(evaluation, lab) if labelled]
        out.append(
            {
                "target": plan["target"], "ownBase": plan["ownBase"], "method": method, "combinationSize": size,
                **common, "temperature": tau, "temperatureKind": kind, "weightedBoundaryMargin": margin,
                "selectedReferences": refs, "disagreementSupport": ds, "estimatedAccuracy": estimate, **values,
            }
        )

    def supportcal(size):
        if len(d) == 0:
            return *fit(z, log_teacher, zero), None, None
        score, combo = select(mean_support, size)
        log_c = logsumexp(np.stack([log_u[r] for r in combo]), axis=0) - math.log(size)
        return *fit(z, log_teacher, np.where(agree, 0.0, log_u_base + log_c)), list(combo), score

    def daca():
        a = np.flatnonzero(agree)
        return fit(z.take(a), log_teacher[a], zero[a])

    rotated = [plan["rotated"][i] for i in evaluation] if "rotated" in plan else None
    zero = np.zeros(len(calibration))
    for method in methods:
        if method == "vanilla":
            add(method, None, "none", None, None)
        elif method == "daca":
            add(method, None, *daca())
        elif method == "full-kl":
            add(method, None, *fit(z, log_teacher, zero))
        elif method == "relative-only":
            add(method, None, *fit(z, log_teacher, np.where(agree, 0.0, log_u_base)))
        elif method == "supportcal":
            for size in sizes:
                add(method, size, *supportcal(size))
        elif method == "own-base-average":
            add(method, None, "none", None, None, of=answers.own_base_average(z_eval, base_eval))
        elif method == "base-confidence":
            add_confidences(method, *answers.base_confidence(z_eval, base_eval))
        elif method in ("cape", "cape-log"):
            add(method, None, "none", None, None, of=answers.cape(z_eval, rotated, method == "cape-log"))
        elif method == "cape-consistency":
            add_confidences(method, *answers.cape_votes(z_eval, rotated))
        elif method == "cape+daca":
            add(method, None, *daca(), of=answers.cape(z_eval, rotated, False))
        elif method == "cape+supportcal":
            for size in sizes:
                add(method, size, *supportcal(size), of=answers.cape(z_eval, rotated, False))
        elif method in ("confidence-matched", "accuracy-matched"):
            if not calibration:
                add(method, None, "none", None, None)
                continue
            doubt = answers.mean_doubt(base, 1.0)
            if method == "accuracy-matched":
                doubt -= answers.expected_gain(z, base, [table(r, calibration) for r in plan["pool"]])
            kind, tau = answers.match(z, doubt)
            add(method, None, kind, tau, None, estimate=1 - doubt)
        elif method == "oracle-ts":
            y = label_array(calibration)
            rows = np.flatnonzero(y >= 0)
            one_hot = np.full(z.z.shape, -np.inf)
            one_hot[rows, y[rows]] = 0.0
            add(method, None, *fit(z.take(rows), one_hot[rows], zero[rows]))
    return out


def summarise(runs, targets):
    """Seed means and standard errors, then means over targets, in percentage points."""
    summary, macro = [], []
    key = lambda r: (r["dataset"], r["target"], r["method"], r["combinationSize"])
    for k in dict.fromkeys(key(r) for r in runs):
        eces = [r["ece"] for r in runs if key(r) == k and r["ece"] is not None]
        mean = 100 * math.fsum(eces) / len(eces) if eces else None
        se = 100 * float(np.std(eces, ddof=1)) / math.sqrt(len(eces)) if len(eces) > 1 else None
        summary.append(dict(zip(["dataset", "target", "method", "combinationSize"], k)) | {
            "eceMeanPp": mean, "eceSePp": se, "seeds": len(eces)})
    for k in dict.fromkeys((s["dataset"], s["method"], s["combinationSize"]) for s in summary):
        means = [s["eceMeanPp"] for s in summary
                 if (s["dataset"], s["method"], s["combinationSize"]) == k and s["eceMeanPp"] is not None]
        macro.append(dict(zip(["dataset", "method", "combinationSize"], k)) | {
            "eceMeanPp": math.fsum(means) / len(means) if means else None, "targets": len(means)})
    return summary, macro


# ---- bootstrap ----------------------------------------------------------------------------------------------------


def bootstrap(runs, ids, bins, rng, resamples=4000):
    """ECE* per resample, mean over the runs (one method's seeds): the ids are drawn, in all runs alike."""
    place = {i: n for n, i in enumerate(ids)}
    counts = rng.multinomial(len(ids), np.full(len(ids), 1 / len(ids)), size=resamples).astype(float)
    total = np.zeros(resamples)
    for run in runs:
        w = counts[:, [place[i] for i in run["evaluated"]]]
        residual = run["hit"] - run["confidence"]
        index = bin_index(run["confidence"], bins)
        error = sum(np.abs(w[:, index == b] @ residual[index == b]) for b in np.unique(index))
        total += error / w.sum(axis=1) / len(runs)
    return total


def interval(resampled, measured):
    """Quantiles of the resamples, moved so that their median is the measured value, and how far each may be off."""
    low, high = np.quantile(resampled - np.median(resampled) + measured, [0.025, 0.975])
    return low, high, [noise(resampled, end) + noise(resampled, 0.5) for end in (0.025, 0.975)]


def noise(resampled, share):
    """How far the quantiles of two sets of draws may lie apart: four standard errors of the share below them."""
    off = 4 * math.sqrt(2 * share * (1 - share) / len(resampled))
    low, middle, high = np.quantile(resampled, [max(0.0, share - off), share, min(1.0, share + off)])
    return max(middle - low, high - middle)


def p_value(resampled, measured):
    moved = resampled - np.median(resampled) + measured
    return min(1.0, 2 * (1 + min((moved <= 1e-9).sum(), (moved >= -1e-9).sum())) / (len(moved) + 1))
