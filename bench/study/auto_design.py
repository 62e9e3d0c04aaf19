"""What `auto` was chosen by: the trial's targets alone, five 30/70 splits each.

    python auto_design.py LOGITS         # the folder of the trial's FAMILY.logits.npz; 2 minutes
"""
import sys

import numpy as np
from auto import GRID, log_likelihood
from data import spike_targets
from fits import confidence_fit, ece, kl_fit, softmax
from methods import daca, supportcal
from signs import Split, base_confidence, gain_mass, placebo

SEEDS, LABELS = 5, (20, 50, 100, 200)
REGIMES = {"under 1": (-99, 1), "1 to 4": (1, 4), "over 4": (4, 99), "all": (-99, 99)}


def clipped(beta):
    return float(np.clip(-np.log(max(beta, 1e-300)), GRID[0], GRID[-1]))


def matched(s, gain):
    return clipped(confidence_fit(s.z, float(np.clip(base_confidence(s) + gain, 1 / s.k, 1 - 1e-9))))


def measured(t):
    """ECE of every candidate, mean over splits."""
    n, k = t.z.shape
    found = {}
    for seed in range(SEEDS):
        order = np.random.default_rng(1000 + seed).permutation(n)
        c, e = order[:int(0.3 * n)], order[int(0.3 * n):]
        s = Split(t.z[c], t.base[c], [r[c] for r in t.refs])
        gain = gain_mass(s)
        free = {"DACA": clipped(daca(s)), "SupportCal (1)": clipped(supportcal(s)), "confidence-matched": matched(s, 0),
                **{f"gain x {f}": matched(s, f * gain) for f in (1, 1.5, 2)}, "placebo": matched(s, placebo(s))}
        free["mean ln of gain x 1, placebo"] = (free["gain x 1"] + free["placebo"]) / 2
        free["mean ln of gain x 1, DACA"] = (free["gain x 1"] + free["DACA"]) / 2
        free["median of gain x 1, confidence-matched, DACA"] = float(np.median([free["gain x 1"], free["confidence-matched"], free["DACA"]]))
        free["labels: all 450"] = clipped(kl_fit(t.z[c], np.eye(k)[t.y[c]]))
        for m in LABELS:
            likelihood = log_likelihood(t.z[c[:m]], t.y[c[:m]])
            free[f"labels: {m}"] = float(GRID[likelihood.argmax()])
            for law in (("normal", 0.2), ("normal", 0.4), ("t3", 0.15), ("cauchy", 0.05), ("cauchy", 0.1), ("cauchy", 0.2)):
                free[f"{m} labels, {law[0]} {law[1]}"] = posterior(free["gain x 1.5"], likelihood, *law)
        for name, log in free.items():
            found.setdefault(name, []).append(ece(softmax(t.z[e] * np.exp(-log)), t.y[e]))
    gain = 100 * (np.mean(t.z.argmax(1) == t.y) - np.mean(t.base.argmax(1) == t.y))
    return gain, {name: np.mean(values) for name, values in found.items()}


def posterior(prior, likelihood, law, scale):
    x = ((GRID - prior) / scale) ** 2
    log = likelihood + {"normal": -x / 2, "t3": -2 * np.log1p(x / 3), "cauchy": -np.log1p(x)}[law]
    weight = np.exp(log - log.max())
    return float(weight @ GRID / weight.sum())


def main():
    rows = [measured(t) for t in spike_targets(sys.argv[1])]
    gains = np.array([gain for gain, _ in rows])
    inside = {name: (gains >= low) & (gains < high) for name, (low, high) in REGIMES.items()}
    print("| temperature | " + " | ".join(f"{name} ({mask.sum()})" for name, mask in inside.items()) + " |\n|---|" + "---|" * len(inside))
    for name in rows[0][1]:
        values = np.array([eces[name] for _, eces in rows])
        print(f"| {name} | " + " | ".join(f"{values[mask].mean():.2f}" for mask in inside.values()) + " |")


if __name__ == "__main__":
    main()
