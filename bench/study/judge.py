"""Judges `auto` on targets that it was not designed on.

    python judge.py [--fresh FOLDER] [--shipped shipped.jsonl.gz] [--chat chat.jsonl.gz]

FOLDER holds FAMILY.npz of judge/train_judge.py. Five 30/70 splits a target; temperatures without labels see the logits of the
30 %, those with labels also the first 20, 50, 100 or 200 labels of it.

Rules, written before any of these logits was fitted: a target counts where it is right in at least 10 pp more than chance (a
model that cannot answer has nothing to calibrate); references are the other bases of the bucket (`bound` or `weak`; all of
them where said). The bar: in no regime of the true gain is auto more than 0.5 pp above the better of DACA and SupportCal (1),
and over all targets it closes at least half of the gap from that better one to the fit on all labels of the split.
"""
import argparse
import os

import numpy as np
from auto import GRID, auto, log_likelihood, with_labels
from data import Target, shipped_targets
from fits import confidence_fit, ece, kl_fit, softmax
from methods import daca, full_kl, supportcal
from signs import Split, base_confidence, gain_mass

SEEDS, LABELS = 5, (20, 50, 100, 200)
REGIMES = {"a loss": (-99, 0), "0 to 1": (0, 1), "under 1": (-99, 1), "1 to 4": (1, 4), "over 4": (4, 99), "all": (-99, 99)}
TASKS = ["facts", "arithmetic", "sentiment", "patterns", "forecasts"]
BUCKETS = {"bound": ["wren", "dipper", "rook"], "weak": ["finch", "egret", "siskin", "linnet"]}
ABOVE_CHANCE = 0.1


def fresh_targets(folder, pool="bucket"):
    names = [f for bucket in BUCKETS.values() for f in bucket]
    files = {f: dict(np.load(os.path.join(folder, f"{f}.npz"))) for f in names}
    for bucket, own in BUCKETS.items():
        for family in own:
            others = [f for f in (own if pool == "bucket" else names) if f != family]
            for recipe in files[family]:
                if recipe in ("label", "task", "k", "base"):
                    continue
                for t, task in enumerate(TASKS):
                    rows = files[family]["task"] == t
                    k = int(files[family]["k"][rows][0])
                    take = lambda f, name: files[f][name][rows][:, :k].astype(float)
                    yield Target(f"{task} {family}-{recipe}", bucket, task, family, take(family, recipe), take(family, "base"),
                                 [take(f, "base") for f in others], files[family]["label"][rows].astype(int))


def measured(t):
    n, k = t.z.shape
    found, logs = {}, {}
    clipped = lambda beta: float(np.clip(-np.log(max(beta, 1e-300)), GRID[0], GRID[-1]))
    matched = lambda s, gain: clipped(confidence_fit(s.z, float(np.clip(base_confidence(s) + gain, 1 / k, 1 - 1e-9))))
    for seed in range(SEEDS):
        order = np.random.default_rng(1000 + seed).permutation(n)
        c, e = order[:int(0.3 * n)], order[int(0.3 * n):]
        s = Split(t.z[c], t.base[c], [r[c] for r in t.refs])
        free = {"vanilla": 0.0, "DACA": clipped(daca(s)), "SupportCal (1)": clipped(supportcal(s)), "full KL": clipped(full_kl(s)),
                "confidence-matched": matched(s, 0), "accuracy-matched": matched(s, gain_mass(s)), "auto": auto(s),
                "labels: all of the 30 %": clipped(kl_fit(t.z[c], np.eye(k)[t.y[c]]))}
        for m in LABELS:
            likelihood = log_likelihood(t.z[c[:m]], t.y[c[:m]])
            free[f"labels: {m}"] = float(GRID[likelihood.argmax()])
            free[f"auto with {m} labels"] = with_labels(free["auto"], likelihood)
        for name, log in free.items():
            found.setdefault(name, []).append(ece(softmax(t.z[e] * np.exp(-log)), t.y[e]))
            logs.setdefault(name, []).append(log)
    ok, base_ok = np.mean(t.z.argmax(1) == t.y), np.mean(t.base.argmax(1) == t.y)
    return dict(name=t.name, part=t.part, task=t.task, family=t.family, gain=100 * (ok - base_ok), usable=ok >= 1 / k + ABOVE_CHANCE,
                base=100 * base_ok, ece={name: np.mean(v) for name, v in found.items()}, log={name: np.mean(v) for name, v in logs.items()})


def table(rows, title):
    gains = np.array([r["gain"] for r in rows])
    inside = {name: (gains >= low) & (gains < high) for name, (low, high) in REGIMES.items()}
    value = lambda name: np.array([r["ece"][name] for r in rows])
    print(f"\n### {title}\n\n| ECE, by the true gain in pp | " + " | ".join(f"{name} ({mask.sum()})" for name, mask in inside.items()) + " |")
    print("|---|" + "---|" * len(inside))
    for name in rows[0]["ece"]:
        print(f"| {name} | " + " | ".join(f"{value(name)[mask].mean():.2f}" if mask.any() else "" for mask in inside.values()) + " |")
    better = {name: min(value("DACA")[m].mean(), value("SupportCal (1)")[m].mean()) for name, m in inside.items() if m.any()}
    above = {name: value("auto")[inside[name]].mean() - b for name, b in better.items()}
    gap = better["all"] - value("labels: all of the 30 %").mean()
    keys = np.array([f"{r['part']} {r['task']} {r['family']}" for r in rows])
    cluster = lambda v: np.array([v[keys == key].mean() for key in dict.fromkeys(keys)])
    off = lambda other: cluster(value("auto") - value(other))
    print("\nauto less the better of DACA and SupportCal (1): " + ", ".join(f"{name} {v:+.2f}" for name, v in above.items())
          + f"; share of the gap to labels closed: {(better['all'] - value('auto').mean()) / gap:.0%}")
    for other in ("DACA", "SupportCal (1)", "accuracy-matched"):
        d = off(other)
        print(f"auto less {other}: {(value('auto') - value(other)).mean():+.2f} ± {d.std(ddof=1) / np.sqrt(len(d)):.2f} (clustered), lower in "
              f"{(value('auto') < value(other)).sum()} of {len(rows)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fresh")
    parser.add_argument("--shipped")
    parser.add_argument("--chat")
    args = parser.parse_args()
    parts = {}
    if args.fresh:
        rows = [measured(t) for t in fresh_targets(args.fresh)]
        usable = [r for r in rows if r["usable"]]
        print(f"{len(rows)} targets of new families, {len(usable)} of them answer")
        parts["new families"] = usable
    for part, path in (("shipped", args.shipped), ("chat", args.chat)):
        if path:
            parts[part] = [measured(t) for t in shipped_targets(path, part)]
    for title, rows in parts.items():
        table(rows, f"{title}: {len(rows)} targets")
        for field in ("part", "task") if title == "new families" else ():
            for of in dict.fromkeys(r[field] for r in rows):
                table([r for r in rows if r[field] == of], f"{title}, {of}")
    if len(parts) > 1:
        table([r for rows in parts.values() for r in rows], "all")
    if args.fresh:
        rows = [r for r in map(measured, fresh_targets(args.fresh, "all")) if r["usable"]]
        table(rows, "new families with all six other bases as references")


if __name__ == "__main__":
    main()
