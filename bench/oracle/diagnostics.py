"""The paper's diagnostics of diagnostics.json, computed a second time: App. A, App. E, sensitivity to M, DS of all S."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict

import numpy as np
from scipy.stats import rankdata

from fit import Opened
from scenarios import usable_scores


def disagreement(scores, plan, ids):
    """Examples that all models of the target have, and those of them on which it and its base differ."""
    side = Opened(scores, plan, ids)
    return len(side.ids), len(side.d)


def weights_on_d(scores, plan, calibration, sizes):
    """Per M: (w_n, m_n) of the examples of D of one calibration split, and the margins' rounding; DS of every S."""
    side = Opened(scores, plan, calibration)
    z, d = side.z, side.d
    if len(d) == 0:
        return {}, {}, False
    means = side.mean_support()
    gap = np.where(z.mask, z.z - z.top()[:, None], 0.0)
    excess = np.where(z.mask, side.base.probs() - 1 / z.count[:, None], 0.0) * gap
    margins = np.array([math.fsum(row) for row in excess])[d]
    rounding = np.abs(excess).sum(axis=1)[d] * 1e-14
    weights, combinations = {}, {}
    for size in sizes:
        combinations[size] = {c: math.fsum(means[r] for r in c) / size for c in itertools.combinations(sorted(means), size)}
        weights[size] = (np.exp(side.log_weights(side.chosen(size)[0])[d]), margins)
    close = np.diff(np.sort(margins))
    unsure = bool((np.abs(margins) <= rounding).any() or (close <= rounding.max()).any())
    return weights, combinations, unsure


def check_diagnostics(report, name, s, splits, targets, bases, given, near_ties):
    scores = usable_scores(s)
    ids = sorted({i for rows in s["rows"].values() for i in rows})
    rows_of = lambda key: [r for r in given.get(key, []) if r["dataset"] == name]
    rates, by_size, unsure = [], defaultdict(dict), False
    ds_rows = {(r["target"], r["seed"], r["combinationSize"], tuple(r["references"])): r for r in rows_of("combinations")}
    wanted = 0
    for target, own in targets.items():
        plan = {"target": target, "ownBase": own, "pool": [b for b in bases if b != own]}
        count, differ = disagreement(scores, plan, ids)
        if count == 0:
            continue
        row = next(r for r in rows_of("disagreement") if r["target"] == target)
        report.exact(f"{name} {target}", "disagreement", (count, differ), (row["examples"], row["disagreements"]))
        report.number(f"{name} {target}", "disagreement rate", differ / count, row["rate"], 1e-15)
        rates.append(differ / count)
        for seed, split in splits.items():
            weights, combinations, doubt = weights_on_d(scores, plan, split["calibration"], s["sizes"])
            unsure |= bool(doubt)
            for size, sample in weights.items():
                by_size[size].setdefault(target, []).append(sample)
            for size, all_of in combinations.items():
                for combo, ds in all_of.items():
                    wanted += 1
                    got = ds_rows.get((target, int(seed), size, combo))
                    report.number(f"{name} {target} {seed} {combo}", "DS", ds, got and got["disagreementSupport"], 1e-12)
    report.exact(name, "combinations", wanted, len(ds_rows))
    if rates:
        median = next(r for r in given["disagreementMedians"] if r["dataset"] == name)["median"]
        report.number(name, "median disagreement", float(np.median(rates)), median, 1e-15)
    if unsure or any(t[0] == name for t in near_ties):
        return
    for size, samples in by_size.items():
        for target in [None, *samples]:
            own = [x for t, xs in samples.items() if target in (None, t) for x in xs]
            check_margins(report, f"{name} {target} M={size}", own,
                          [r for r in rows_of("weightByMargin") if r["target"] == target and r["combinationSize"] == size],
                          [r for r in rows_of("weightBySign") if r["target"] == target and r["combinationSize"] == size])


def check_margins(report, where, samples, by_margin, by_sign):
    bins = np.concatenate([np.minimum(np.floor(10 * (rankdata(m) - 0.5) / len(m)), 9) for _, m in samples])
    w, m = (np.concatenate([sample[i] for sample in samples]) for i in (0, 1))
    for b, got in enumerate(by_margin[0]["bins"]):
        inside = bins == b
        report.exact(f"{where} bin {b}", "count", int(inside.sum()), got["count"])
        for field, values in (("meanWeight", w), ("meanMargin", m)):
            want = math.fsum(values[inside]) / inside.sum() if inside.any() else None
            report.number(f"{where} bin {b}", field, want, got[field], 1e-9, scale=max(1.0, abs(want or 0)))
    for sign, value in (("negative", -1), ("zero", 0), ("positive", 1)):
        own = w[np.sign(m) == value]
        got = next(r for r in by_sign if r["sign"] == sign)
        report.exact(f"{where} {sign}", "count", len(own), got["count"])
        report.number(f"{where} {sign}", "meanWeight", math.fsum(own) / len(own) if len(own) else None, got["meanWeight"], 1e-12)
        report.number(f"{where} {sign}", "medianWeight", float(np.median(own)) if len(own) else None, got["medianWeight"], 1e-12)


def check_sensitivity(report, name, runs, given):
    """`runs`: SupportCal of the oracle at every M. A curve's point: mean over targets in a seed, then over seeds."""
    for curve in (c for c in given.get("sensitivity", []) if c["dataset"] == name):
        for point in curve["points"]:
            own = [r for r in runs if r["combinationSize"] == point["x"] and curve["target"] in (None, r["target"])]
            seeds = defaultdict(list)
            for r in own:
                if r["ece"] is not None:
                    seeds[r["seed"]].append(r["ece"])
            means = [math.fsum(v) / len(v) for v in seeds.values()]
            where = f"{name} {curve['target']} sensitivity M={point['x']}"
            want = math.fsum(means) / len(means) if means else None
            report.number(where, "eceMean", want, point["eceMean"], 1e-9)
            kinds = [r["temperatureKind"] for r in own]
            report.exact(where, "kinds", (len(own), kinds.count("infinite"), kinds.count("none")),
                         (point["fits"], point["infinite"], point["none"]))
