"""Every number of results.json, computed a second time from the paper and the design: float64, no shared code.

Rows are ragged: logits are padded to the widest row, `mask` says which options exist. Weights and teacher
probabilities stay in the log domain, so logits of 1e4 lose nothing.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.signal import fftconvolve
from scipy.special import erf

import answers
from bins import Bins
from bins import ece as bin_ece
from bins import gaps as bin_gaps
from fit import Opened
from table import Table


# ---- metrics on the evaluation split ----------------------------------------------------------------------------


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
        index = bins.index(q)
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
    edges = np.cumsum([len(part) for part in np.array_split(order, bins.count)])
    for members in np.split(np.arange(len(c)), np.flatnonzero(np.diff(cluster)) + 1):
        if len(members) > 1:
            mixed = h[members].sum() * (1 - h[members]).sum()
            pairs += mixed / 2
            risk += mixed / (len(c) - members[-1]) / len(c)
            if ((edges > members[0]) & (edges <= members[-1])).any():
                border += len(members)
    all_pairs = hit.sum() * (1 - hit).sum()
    errors = ["ece", "mce", "rmsCe", "debiasedEce", "debiasedRmsCe"] if bins.mass and border else []
    return {"auroc": pairs / all_pairs if all_pairs else 0.0, "adaptiveEce": 2 * border / len(c),
            "aurc": risk, "excessAurc": risk, **dict.fromkeys(errors, 1.0)}


METRICS = ["meanConfidence", "overconfidence", "ece", "mce", "rmsCe", "debiasedEce", "debiasedRmsCe", "adaptiveEce",
           "classwiseEce", "brier", "brierReliability", "brierResolution", "brierUncertainty", "brierWithinBinVariance",
           "brierWithinBinCovariance", "nll", "auroc", "aurc", "excessAurc"]


def edge_slack(confidence, p, bins):
    """Means of sure distributions lie on edges (1/2, say), and rounding decides their bin: then no bin is compared."""
    edges = bins.edges()[1:-1]
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
    odds = log_odds(scaled, t.mask, prediction)
    return {
        **confidence_metrics(p[np.arange(n), prediction], hit, bins),
        **ranked(odds, hit),
        "classwiseEce": classwise_ece(p, t.mask, one_hot, bins),
        "brier": math.fsum((np.where(t.mask, p - one_hot, 0) ** 2).sum(axis=1)) / n,
        "nll": math.fsum(nll) / n,
        **brier_parts(p, t.mask, one_hot, bins),
    }


def log_odds(scaled, mask, prediction):
    """ln p - ln(1 - p) of the predictions, from scaled logits: confidences that round to 1 keep their order."""
    rows = np.arange(len(prediction))
    others = np.where(mask, scaled, -np.inf)
    others[rows, prediction] = -np.inf
    top = others.max(axis=1)
    return scaled[rows, prediction] - (top + np.log(np.exp(others - top[:, None]).sum(axis=1)))


def ranked(score, hit):
    """What depends on the order of the predictions alone."""
    best = aurc(-np.arange(len(hit), dtype=float), np.sort(hit)[::-1])
    return {"auroc": auroc(score, hit), "aurc": aurc(score, hit), "excessAurc": aurc(score, hit) - best}


def confidence_metrics(confidence, hit, bins):
    """All that can be said of predictions of which only the confidence is known."""
    n = len(hit)
    parts = bins.top_parts(confidence, hit)
    gaps = bin_gaps(parts)
    return {
        "accuracy": math.fsum(hit) / n,
        "meanConfidence": math.fsum(confidence) / n,
        "ece": math.fsum(a * b for a, b in gaps),
        "mce": max(b for _, b in gaps),
        "overconfidence": math.fsum(confidence) / n - math.fsum(hit) / n,
        "rmsCe": math.sqrt(math.fsum(a * b * b for a, b in gaps)),
        "debiasedEce": debiased_ece(parts),
        "debiasedRmsCe": math.sqrt(max(0.0, debiased_square(parts))),
        "adaptiveEce": bin_ece(bins.mass_parts(confidence, hit)),
        "auroc": auroc(confidence, hit),
        "aurc": aurc(confidence, hit),
        "excessAurc": aurc(confidence, hit) - aurc(-np.arange(n, dtype=float), np.sort(hit)[::-1]),
        "slack": rounding_slack(confidence, hit, bins),
        "confidence": confidence, "hit": hit,
    }


def classwise_ece(p, mask, one_hot, bins):
    """Mean over classes of the ECE of that class's probability, over the rows that have the class."""
    values = []
    for k in range(p.shape[1]):
        have = mask[:, k]
        if have.any():
            values.append(bin_ece(bins.parts(p[have, k], one_hot[have, k])))
    return math.fsum(values) / len(values)


# ---- one target on one split --------------------------------------------------------------------------------------


def runs_of_split(scores, labels, split, plan, methods, sizes, bins):
    """Runs of one target and seed; none when no example has logits from all its models.

    scores: {model: {id: logits or None}}; labels: {id: int or None}; plan: {target, ownBase, pool} and, for methods that
    ask for more, rotated: {id: K x K logits}, replies: {kind: {id: [(option or None, percent)]}}, truth: {id: 2 K logits},
    aggregator, minimumCoverage.
    """
    here, there = Opened(scores, plan, split["calibration"]), Opened(scores, plan, split["evaluation"])
    if not here.ids and not there.ids:
        return []
    label_array = lambda ids: np.array([-1 if labels.get(i) is None else labels[i] for i in ids], dtype=int)
    z_eval, base_eval, y_eval = there.z, there.base, label_array(there.ids)
    lab = y_eval >= 0
    common = {
        "calibrationCount": len(here.ids), "evaluationCount": len(there.ids),
        "disagreementRate": len(here.d) / len(here.ids) if here.ids else None,
        "ownBaseAccuracy": float((base_eval.argmax()[lab] == y_eval[lab]).mean()) if lab.any() else None,
    }
    out = []

    def add(method, size, kind, tau, margin, refs=None, ds=None, of=None, estimate=None):
        """`of`: the distribution that the temperature is put on; the target's own by default."""
        beta = {"finite": lambda: 1 / tau, "infinite": lambda: 0.0}.get(kind, lambda: None)()
        if method == "vanilla" or (of is not None and "+" not in method):
            beta = 1.0
        values = metrics(z_eval if of is None else of, y_eval, beta, bins)
        if (of is not None or bins.right) and "confidence" in values:
            of = z_eval if of is None else of
            values["slack"] |= edge_slack(values["confidence"], of.take(lab).probs(beta), bins)
        if method == "vanilla" and lab.any():  # slow, so once per split
            p = z_eval.take(lab).probs()
            right = z_eval.take(lab).argmax() == y_eval[lab]
            values["smoothEce"] = smooth_ece(p.max(axis=1), right.astype(float))
        keep(method, size, values, kind, tau, margin, refs, ds, estimate)

    def add_confidences(method, choice, confidence):
        """`choice`: -1 where the method has no answer. ECE needs answers to enough of the labelled examples."""
        answered = lab & (choice != -1)
        values = dict.fromkeys(["accuracy", *METRICS]) | {"labelledCount": 0}
        values["coverage"] = answered.sum() / lab.sum() if lab.any() else None
        if answered.any() and values["coverage"] >= plan.get("minimumCoverage", 0.5):
            hit = (choice[answered] == y_eval[answered]).astype(float)
            values |= confidence_metrics(confidence[answered], hit, bins) | {"labelledCount": int(answered.sum())}
        keep(method, None, values, examples=answered)

    def keep(method, size, values, kind="none", tau=None, margin=None, refs=None, ds=None, estimate=None, examples=lab):
        if "confidence" in values:
            values["evaluated"] = [i for i, measured in zip(there.ids, examples) if measured]
        out.append(
            {
                "target": plan["target"], "ownBase": plan["ownBase"], "method": method, "combinationSize": size,
                **common, "temperature": tau, "temperatureKind": kind, "weightedBoundaryMargin": margin,
                "selectedReferences": refs, "disagreementSupport": ds, "estimatedAccuracy": estimate,
                "labelledCount": int(lab.sum()), "coverage": None, **values,
            }
        )

    rotated = [plan["rotated"][i] for i in there.ids] if "rotated" in plan else None
    replies = lambda kind: [plan["replies"][kind].get(i, []) for i in there.ids]
    for method in methods:
        kind = method.removesuffix("-unparsed-wrong")
        if method == "vanilla":
            add(method, None, "none", None, None)
        elif method in ("daca", "full-kl", "relative-only"):
            add(method, None, *getattr(here, method.replace("-", "_"))())
        elif method == "supportcal":
            for size in sizes:
                add(method, size, *here.supportcal(size))
        elif method == "own-base-average":
            add(method, None, "none", None, None, of=answers.own_base_average(z_eval, base_eval))
        elif method == "base-confidence":
            add_confidences(method, *answers.base_confidence(z_eval, base_eval))
        elif method in ("cape", "cape-log"):
            add(method, None, "none", None, None, of=answers.cape(z_eval, rotated, method == "cape-log"))
        elif method == "cape-consistency":
            add_confidences(method, *answers.cape_votes(z_eval, rotated))
        elif method == "cape+daca":
            add(method, None, *here.daca(), of=answers.cape(z_eval, rotated, False))
        elif method == "cape+supportcal":
            for size in sizes:
                add(method, size, *here.supportcal(size), of=answers.cape(z_eval, rotated, False))
        elif kind in ("elicitation", "elicitation-ensemble"):
            rule = "first" if kind == "elicitation" else plan["aggregator"]
            add_confidences(method, *answers.stated(z_eval, replies(kind), rule, wrong=method != kind))
        elif method == "p-true":
            add_confidences(method, *answers.p_true(z_eval, [plan["truth"].get(i) for i in there.ids]))
        elif method in ("confidence-matched", "accuracy-matched"):
            kind, tau, estimate = here.matched(method == "accuracy-matched")
            add(method, None, kind, tau, None, estimate=estimate)
        elif method == "oracle-ts":
            add(method, None, *here.oracle_ts(label_array(here.ids)))
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


def multinomial(count, resamples):
    return np.random.default_rng(7).multinomial(count, np.full(count, 1 / count), size=resamples).astype(float)


def bootstrap(runs, places, bins, counts):
    """ECE* per resample, mean over the runs (one method's seeds): an id counts as often as its place is drawn, in all runs.

    A run none of whose examples is drawn counts for nothing; NaN where that is so of all.
    """
    eces = []
    for run in runs:
        w = counts[:, [places[i] for i in run["evaluated"]]]
        residual = run["hit"] - run["confidence"]
        index = bins.index(run["confidence"])
        error = sum(np.abs(w[:, index == b] @ residual[index == b]) for b in np.unique(index))
        with np.errstate(invalid="ignore", divide="ignore"):
            eces.append(error / w.sum(axis=1))
    with np.errstate(all="ignore"):
        return np.nansum(eces, axis=0) / (~np.isnan(eces)).sum(axis=0)


def interval(resampled, measured):
    """Quantiles of the resamples, moved so that their median is the measured value, and how far each may be off."""
    resampled = resampled[~np.isnan(resampled)]
    low, high = np.quantile(resampled - np.median(resampled) + measured, [0.025, 0.975])
    return low, high, [noise(resampled, end) + noise(resampled, 0.5) for end in (0.025, 0.975)]


def noise(resampled, share):
    """How far the quantiles of two sets of draws may lie apart: four standard errors of the share below them."""
    off = 4 * math.sqrt(2 * share * (1 - share) / len(resampled))
    low, middle, high = np.quantile(resampled, [max(0.0, share - off), share, min(1.0, share + off)])
    return max(middle - low, high - middle)


def p_value(resampled, measured):
    resampled = resampled[~np.isnan(resampled)]
    moved = resampled - np.median(resampled) + measured
    return min(1.0, 2 * (1 + min((moved <= 1e-9).sum(), (moved >= -1e-9).sum())) / (len(moved) + 1))
