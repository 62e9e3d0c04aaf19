"""The curves of diagnostics.json, computed a second time: reintroduction (Fig. 2), sample size, loss, App. D, reliability."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np

import draws
import oracle
from bins import Bins, ece
from fit import Opened
from scenarios import usable_scores
from table import Table

SHARES = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]
FRACTIONS = [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5]


class Measured:
    """ECE of one target on one evaluation side, for any temperature."""

    def __init__(self, side: Opened, labels):
        y = np.array([-1 if labels.get(i) is None else labels[i] for i in side.ids], dtype=int)
        self.z = side.z.take(y >= 0)
        self.hit = (self.z.argmax() == y[y >= 0]).astype(float)

    def ece(self, kind, tau, bins):
        """(ECE, whether rounding of the temperature could move an example over an edge)."""
        if kind == "none" or len(self.hit) == 0:
            return None, False
        confidence = self.z.probs(1 / tau if kind == "finite" else 0.0).max(axis=1)
        off = np.abs(confidence[:, None] - bins.edges()[1:-1])
        unsure = kind == "finite" and bool(((off < 1e-9) & (off > 0)).any())
        return ece(bins.parts(confidence, self.hit)), unsure


class Curves:
    """Points of curves: every target counts alike in a seed, every seed alike in the mean."""

    def __init__(self):
        self.samples = defaultdict(lambda: defaultdict(list))

    def add(self, series, x, target, seed, kind, tau, value, unsure, count):
        self.samples[series][x].append((target, seed, kind, tau, value, unsure, count))

    def check(self, report, where, rows, series_of):
        got = {(series_of(row), row["target"]): row["points"] for row in rows}
        targets = lambda points: [None, *dict.fromkeys(s[0] for samples in points.values() for s in samples)]
        want = {(series, t): points for series, points in self.samples.items() for t in targets(points)}
        report.exact(where, "curves", sorted(map(str, want)), sorted(map(str, got)))
        for key in want.keys() & got.keys():
            report.exact(f"{where} {key}", "x", list(want[key]), [p["x"] for p in got[key]])
            for (x, samples), point in zip(want[key].items(), got[key]):
                own = [s for s in samples if key[1] in (None, s[0])]
                check_point(report, f"{where} {key} x={x}", own, point)


def check_point(report, where, samples, point):
    by_seed, kinds = defaultdict(list), [s[2] for s in samples]
    for _, seed, _, _, value, _, _ in samples:
        if value is not None:
            by_seed[seed].append(value)
    means = [math.fsum(v) / len(v) for v in by_seed.values()]
    taus = [s[3] for s in samples if s[2] == "finite"]
    report.exact(where, "kinds", (len(samples), kinds.count("infinite"), kinds.count("none")),
                 (point["fits"], point["infinite"], point["none"]))
    report.number(where, "calibrationCount", np.mean([s[6] for s in samples]), point["calibrationCount"], 1e-12, scale=max(1, point["calibrationCount"]))
    tau = math.fsum(taus) / len(taus) if taus else None
    report.number(where, "temperatureMean", tau, point["temperatureMean"], 1e-6, scale=abs(tau or 1))
    if any(s[5] for s in samples):
        return
    report.number(where, "curve eceMean", math.fsum(means) / len(means) if means else None, point["eceMean"], 1e-9)
    se = float(np.std(means, ddof=1)) / math.sqrt(len(means)) if len(means) > 1 else None
    report.number(where, "curve eceSe", se, point["eceSe"], 1e-9)


def plans(scores, targets, bases):
    for target, own in targets.items():
        plan = {"target": target, "ownBase": own, "pool": [b for b in bases if b != own]}
        if any(all(scores[m].get(i) is not None for m in [target, own, *plan["pool"]]) for i in scores[target]):
            yield plan


def check_curves(report, name, s, splits, targets, bases, given, methods, full=True, bins=Bins()):
    """`full`: every seed, M and method; else the smallest M, the methods of the figure, and of large data sets the first seed."""
    rows = lambda key: [r for r in given[key] if r["dataset"] == name]
    scores = usable_scores(s)
    sizes = s["sizes"] if full else [min(s["sizes"])]
    if not full:
        methods = [m for m in methods if m in ("daca", "supportcal", "oracle-ts")]
        if len(targets) * len({i for r in s["rows"].values() for i in r}) * len(splits) > 30_000:
            splits = dict(list(splits.items())[:1])
    reintroduced, by_size = Curves(), Curves()
    ids = {i for r in s["rows"].values() for i in r}
    for plan in plans(scores, targets, bases):
        for seed, split in splits.items():
            add_reintroduction(reintroduced, scores, s["labels"], plan, int(seed), split, sizes, bins)
            add_sample_sizes(by_size, scores, s, plan, int(seed), ids, methods, sizes, bins)
    reintroduced.check(report, f"{name} reintroduction", rows("reintroduction"), lambda r: (r["weights"], r["combinationSize"]))
    by_size.check(report, f"{name} sample size", rows("sampleSize"), lambda r: (r["method"], r["combinationSize"]))


def add_reintroduction(curves, scores, labels, plan, seed, split, sizes, bins):
    """All of A and the first floor(share x |D|) examples of D, in an order that the split's seed draws, keep their weights."""
    side, measured = Opened(scores, plan, split["calibration"]), Measured(Opened(scores, plan, split["evaluation"]), labels)
    order = draws.shuffle(len(side.d), seed)
    weights = {("unit", None): side.zero}
    weights |= {("supportcal", size): side.log_weights(side.chosen(size)[0]) for size in sizes}
    for series, log_w in weights.items():
        for share in SHARES:
            keep = side.agree.copy()
            keep[side.d[order[: draws.floor_of_share(share, len(side.d))]]] = True
            kind, tau, _ = side.fit(log_w, keep)
            curves.add(series, share, plan["target"], seed, kind, tau, *measured.ece(kind, tau, bins), len(side.ids))


def add_sample_sizes(curves, scores, s, plan, seed, ids, methods, sizes, bins):
    """Measured on what the largest fraction leaves; fitted on the rest of the calibration side of each fraction."""
    sides = {f: draws.split(ids, seed, f, s.get("contents")) for f in FRACTIONS}
    held = set(sides[max(FRACTIONS)]["evaluation"])
    measured = Measured(Opened(scores, plan, held), s["labels"])
    for fraction in FRACTIONS:
        side = Opened(scores, plan, [i for i in sides[fraction]["calibration"] if i not in held])
        for series, (kind, tau) in fits_of(side, s["labels"], methods, sizes):
            found = measured.ece("finite", 1.0, bins) if series[0] == "vanilla" else measured.ece(kind, tau, bins)
            curves.add(series, fraction, plan["target"], seed, kind, tau, *found, len(side.ids))


def fits_of(side, labels, methods, sizes):
    y = np.array([-1 if labels.get(i) is None else labels[i] for i in side.ids], dtype=int)
    for method in methods:
        if method == "vanilla":
            yield (method, None), ("finite", 1.0)
        elif method in ("daca", "full-kl", "relative-only"):
            yield (method, None), getattr(side, method.replace("-", "_"))()[:2]
        elif method == "supportcal":
            for size in sizes:
                yield (method, size), side.supportcal(size)[:2]
        elif method in ("confidence-matched", "accuracy-matched"):
            yield (method, None), side.matched(method == "accuracy-matched")[:2]
        elif method == "oracle-ts":
            yield (method, None), side.oracle_ts(y)[:2]


def check_loss(report, name, s, splits, targets, bases, given):
    """L(beta) of the first seed as the weighted mean of the KL divergences themselves, on the grid that the row names."""
    scores = usable_scores(s)
    seed, split = next(iter(splits.items()))
    got = {(r["target"], r["method"], r["combinationSize"]): r for r in given["loss"] if r["dataset"] == name}
    wanted = set()
    for plan in plans(scores, targets, bases):
        side = Opened(scores, plan, split["calibration"])
        size = min(s["sizes"])
        log_w = {("daca", None): np.where(side.agree, 0.0, -np.inf), ("full-kl", None): side.zero}
        log_w[("supportcal", size)] = side.log_weights(side.chosen(size)[0])
        fits = {k: (side.daca() if k[0] == "daca" else side.fit(w))[:2] for k, w in log_w.items()}
        optima = [1 / tau for kind, tau in fits.values() if kind == "finite"]
        for key, (kind, tau) in fits.items():
            row = got.get((plan["target"], *key))
            if kind == "none":
                continue
            wanted.add((plan["target"], *key))
            if row is None:
                continue
            where, beta = f"{name} loss {plan['target']} {key}", 1 / tau if kind == "finite" else 0.0
            report.exact(where, "kind", (kind, int(seed)), (row["temperatureKind"], row["seed"]))
            report.number(where, "beta*", beta, row["inverseTemperature"], 1e-6, scale=beta or 1)
            if optima:
                report.number(where, "grid end", 3 * max(optima), row["step"] * (len(row["losses"]) - 1), 1e-6, scale=max(optima))
            for i in range(0, len(row["losses"]), 8):
                check_value(report, where, side, log_w[key], row["step"] * i, row["losses"][i])
            check_value(report, where, side, log_w[key], row["inverseTemperature"], row["loss"])
    report.exact(f"{name} loss", "curves", sorted(map(str, wanted)), sorted(map(str, got)))


def check_value(report, where, side, log_w, beta, got):
    w = np.exp(log_w - log_w.max())
    gap = np.where(side.z.mask, side.z.z - side.z.top()[:, None], 0.0)
    scaled = np.where(side.z.mask, gap * beta, -np.inf)
    with np.errstate(invalid="ignore", divide="ignore"):
        log_q = scaled - np.log(np.where(side.z.mask, np.exp(scaled), 0.0).sum(axis=1))[:, None]
        p = np.exp(side.log_teacher)
        kl = np.where(side.z.mask & (p > 0), p * (side.log_teacher - log_q), 0.0).sum(axis=1)
    value = math.fsum(w * kl) / math.fsum(w)
    report.number(where, "loss", value, got, 1e-9, scale=max(1.0, value))


def check_relative_only(report, name, summary, macro, given):
    """App. D: columns of the tables again."""
    methods = ("daca", "relative-only", "supportcal")
    key = lambda r: (r.get("target"), r["method"], r["combinationSize"])
    want = {key(r): r for r in [*macro, *summary] if r["dataset"] == name and r["method"] in methods}
    got = {key(r): r for r in given["relativeOnly"] if r["dataset"] == name}
    report.exact(name, "App. D rows", sorted(map(str, want)), sorted(map(str, got)))
    for k in want.keys() & got.keys():
        for field in ("eceMeanPp", "eceSePp"):
            report.number(f"{name} App. D {k}", field, want[k].get(field), got[k][field], 1e-7)


def check_reliability(report, name, runs, given, near_ties, bins=Bins()):
    """Bins of all seeds put together, example by example, and the ECE of these bins."""
    groups = defaultdict(list)
    for r in runs:
        if r["dataset"] == name and "confidence" in r:
            groups[r["target"], r["method"], r["combinationSize"]].append(r)
    rows = [r for r in given["reliability"] if r["dataset"] == name]
    got = {(r["target"], r["method"], r["combinationSize"]): r for r in rows if r["method"] != "own-base"}
    report.exact(name, "diagrams", sorted(map(str, groups)), sorted(map(str, got)))
    for k in groups.keys() & got.keys():
        if (name, *k[1:]) in near_ties:
            continue
        confidence, hit = (np.concatenate([r[f] for r in groups[k]]) for f in ("confidence", "hit"))
        index = bins.index(confidence)
        report.number(f"{name} diagram {k}", "pooled ece", ece(bins.parts(confidence, hit)), got[k]["ece"], 1e-9)
        for b, row in enumerate(got[k]["bins"]):
            inside = index == b
            report.exact(f"{name} diagram {k} bin {b}", "count", int(inside.sum()), row["count"])
            for field, values in (("accuracy", hit), ("confidence", confidence)):
                report.number(f"{name} diagram {k} bin {b}", field, math.fsum(values[inside]) / inside.sum() if inside.any() else None, row[field], 1e-9)


def check_models(report, name, s, given, bins=Bins()):
    """Every model by itself, on all examples that it has."""
    for row in (r for r in given["models"] if r["dataset"] == name):
        rows = {i: v for i, v in s["rows"][row["model"]].items() if all(map(math.isfinite, v))}
        labelled = [i for i in rows if s["labels"].get(i) is not None]
        ids = {i for r in s["rows"].values() for i in r}
        report.exact(f"{name} {row['model']}", "examples", (len(rows), len(ids) - len(rows)), (row["examples"], row["failed"]))
        if not labelled:
            report.exact(f"{name} {row['model']}", "no labels", None, row["ece"])
            continue
        table = Table([rows[i] for i in labelled])
        hit = (table.argmax() == np.array([s["labels"][i] for i in labelled])).astype(float)
        confidence = table.probs().max(axis=1)
        want = oracle.confidence_metrics(confidence, hit, bins)
        for field in ("accuracy", "meanConfidence", "ece"):
            report.number(f"{name} {row['model']}", f"model {field}", want[field], row[field], 1e-9)
