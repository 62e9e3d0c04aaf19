"""Random data sets, each kind aimed at one hard spot. A scenario: {n, sizes, rows: {model: {id: logits}}, labels}.

One of copies has contents too: {id: number}, the same for examples with the same text.
"""

from __future__ import annotations

import math

import numpy as np

BASES = ["b0", "b1", "b2", "b3", "b4"]
TARGETS = {"t0": "b0", "t1": "b1", "t2": "b0"}  # model -> own base
KINDS = [
    "plain", "ties", "d-empty", "a-empty", "m-w-negative", "constant", "constant-base", "constant-references",
    "huge", "tiny", "minus-900", "reference-is-target", "twin-references", "unlabelled", "none-labelled", "gaps",
    "big-ids", "always-right", "always-wrong", "two-options", "over-confident", "few", "permuted-support",
    "huge-disagreement", "base-overflow", "extreme-mix", "copies",
]


def scenario(kind: str, rng: np.random.Generator, n: int | None = None):
    n = int(n if n is not None else rng.choice([5, 9, 10, 20, 40, 90, 150, 300, 700]))
    if kind == "few":
        n = int(rng.integers(1, 8))
    k_choice = [[3], [4], [5], [2, 3, 4, 5], list(range(2, 13)), [2], [10]][int(rng.integers(7))]
    if kind == "two-options":
        k_choice = [2]
    counts = rng.choice(k_choice, size=n)
    contents = rng.integers(0, max(1, n // 2), size=n) if kind == "copies" else None
    if contents is not None:
        counts = counts[contents]
    scale = float(rng.choice([0.3, 1, 3]))
    truth = [rng.normal(size=k) for k in counts]
    base = {b: [t * 0.8 * scale + rng.normal(size=len(t)) * scale for t in truth] for b in BASES}
    target = {}
    for name, own in TARGETS.items():
        sharp = rng.uniform(0.7, 4)
        target[name] = [sharp * (v + rng.normal(size=len(v)) * scale * 0.7) for v in base[own]]
    labels = [int(np.argmax(t + rng.normal(size=len(t)) * 0.5)) for t in truth]
    models = {**base, **target}

    def change(f, names=None):
        for m in names or list(models):
            models[m] = [f(v) for v in models[m]]

    if kind == "ties":
        change(lambda v: np.round(v))
    elif kind == "d-empty":
        for name, own in TARGETS.items():
            models[name] = [np.round(v * 2.5, 6) for v in models[own]]
    elif kind == "a-empty":
        for name, own in TARGETS.items():
            models[name] = [-v * 1.5 for v in models[own]]
    elif kind == "m-w-negative":
        for name, own in TARGETS.items():
            flip = rng.random(n) < 0.85
            models[name] = [-2 * v if f else v * 0.1 for v, f in zip(models[own], flip)]
    elif kind == "constant":
        change(lambda v: np.full(len(v), 1.7), list(TARGETS))
    elif kind == "constant-base":
        change(lambda v: np.full(len(v), -3.3), ["b0", "b1"])
    elif kind == "constant-references":
        change(lambda v: np.zeros(len(v)), ["b2", "b3", "b4"])
    elif kind == "huge":
        change(lambda v: v * 1e4)
    elif kind == "tiny":
        change(lambda v: v * 1e-4)
    elif kind == "minus-900":
        for m in models:
            for v in models[m]:
                if rng.random() < 0.3:
                    v[int(rng.integers(len(v)))] = -900.0
    elif kind == "reference-is-target":
        models["b2"] = [v.copy() for v in models["t0"]]
    elif kind == "twin-references":
        models["b3"] = [v.copy() for v in models["b4"]]
        models["b2"] = [v.copy() for v in models["b4"]]
    elif kind == "always-right":
        labels = [int(np.argmax(v)) for v in models["t0"]]
    elif kind == "always-wrong":
        labels = [int(np.argmin(v)) for v in models["t0"]]
    elif kind == "over-confident":
        change(lambda v: v * 15, list(TARGETS))
    elif kind == "permuted-support":
        # b2 and b3 have the same relative supports in another order over the rows: equal means up to rounding.
        models["b2"] = [np.round(v, 1) for v in models["b2"]]
        models["b3"] = [v.copy() for v in models["b2"]]
        for v in models["b3"]:
            v += 0.0
        models["b4"] = [-np.abs(np.arange(len(v)) * 0.25) for v in models["b4"]]
    elif kind == "huge-disagreement":
        # Nothing agrees and every weight underflows in plain float64.
        for name, own in TARGETS.items():
            models[own] = [v * 2000 for v in models[own]]
        for name, own in TARGETS.items():
            models[name] = [np.roll(v, 1) / 500 for v in models[own]]
    elif kind == "base-overflow":
        change(lambda v: v * 3000, ["b0", "b1"])
    elif kind == "extreme-mix":
        for m in models:
            models[m] = [v * float(10 ** rng.uniform(-4, 4)) for v in models[m]]

    ids = [f"q{i}" for i in range(n)]
    if kind == "big-ids":
        ids = [str(9007199254740990 + i) for i in range(n)]
    elif rng.random() < 0.2:
        ids = [f"é-{i} x" if i % 2 else f"Z{i}" for i in range(n)]
    rows = {m: {i: [float(x) for x in v] for i, v in zip(ids, models[m])} for m in models}
    label_of = dict(zip(ids, labels))
    if kind == "unlabelled":
        label_of = {i: (None if rng.random() < 0.4 else y) for i, y in label_of.items()}
    if kind == "none-labelled":
        label_of = dict.fromkeys(ids)
    if kind == "gaps":
        for m in models:
            for i in ids:
                luck = rng.random()
                if luck < 0.03 and len(rows[m]) > 2:
                    del rows[m][i]
                elif luck < 0.06:
                    rows[m][i] = [*rows[m][i][:-1], float(rng.choice([np.nan, np.inf, -np.inf]))]
    sizes = [[1, 2], [2, 3], [1, 2, 3], [3]][int(rng.integers(4))]
    texts = {} if contents is None else {"contents": dict(zip(ids, map(int, contents)))}
    return {"kind": kind, "n": n, "sizes": sizes, "rows": rows, "labels": label_of, **texts}


def usable_scores(s):
    """{model: {id: logits}} with None for logits that are not all finite."""
    return {m: {i: v if all(map(math.isfinite, v)) else None for i, v in rows.items()} for m, rows in s["rows"].items()}
