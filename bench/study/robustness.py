"""After the verdict: how the kept method behaves with fewer references, with its slope bounded below by 0, and with few
unlabelled examples. Nothing here chose anything.

    python robustness.py SPIKE_LOGITS_FOLDER --shipped shipped.jsonl.gz
"""
import argparse
import numpy as np
from data import shipped_targets, spike_targets
from fits import confidence_fit, ece, kl_fit, softmax
from methods import daca, supportcal
from signs import Split, base_confidence, gain_mass


def cross_support(s):
    """S[g, i] = mean of p_g(answer of i) over the split; rows: base, references; columns: base, references, target."""
    P = [s.po] + s.pr
    return np.array([[s.at(p, y).mean() for y in [q.argmax(1) for q in P] + [s.yt]] for p in P])


def slope_of(S):
    """Gain of confidence per unit of the others' mass, over pairs of bases; None with fewer than two references."""
    b = len(S)
    if b < 3: return None
    x, y = [], []
    for i in range(b):
        for j in range(i):
            others = [g for g in range(b) if g not in (i, j)]
            x.append(np.mean(S[others, i] - S[others, j]))
            y.append(S[i, i] - S[j, j])
    return float(np.dot(x, y) / np.dot(x, x)) if np.dot(x, x) > 0 else 0.0


def kept(s, bounded=True):
    S = cross_support(s)
    slope = slope_of(S)
    if slope is None: slope = 1.0
    if bounded: slope = max(0.0, slope)
    return float(np.clip(S[0, 0] + slope * np.mean(S[1:, -1] - S[1:, 0]), 1 / s.k, 1 - 1e-6)), slope


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--shipped", required=True)
    args = parser.parse_args()
    targets = [t for t in list(spike_targets(args.folder)) + list(shipped_targets(args.shipped)) if t.part != "design"]
    rows, slopes = {}, {}
    add = lambda name, value: rows.setdefault(name, []).append(value)
    for t in targets:
        n = len(t.z)
        for seed in range(5):
            order = np.random.default_rng(1000 + seed).permutation(n)
            c, e = order[:int(0.3 * n)], order[int(0.3 * n):]
            measure = lambda beta: ece(softmax(min(beta, 1e6) * t.z[e]), t.y[e])
            split = lambda rows, refs: Split(t.z[rows], t.base[rows], [r[rows] for r in refs])
            s = split(c, t.refs)
            add("daca", measure(daca(s))), add("supportcal(1)", measure(supportcal(s)))
            add("oracle-ts", measure(kl_fit(s.z, np.eye(s.k)[t.y[c]])))
            add("confidence-matched", measure(confidence_fit(s.z, base_confidence(s))))
            add("accuracy-matched, slope 1", measure(confidence_fit(s.z, base_confidence(s) + gain_mass(s))))
            add("accuracy-matched, slope not bounded", measure(confidence_fit(s.z, kept(s, False)[0])))
            slopes.setdefault(f"{t.part} {t.task}", []).append(kept(s, False)[1])
            for m in (1, 2, 3, 4):
                draw = np.random.default_rng(7 * seed + m).permutation(len(t.refs))[:m]
                add(f"accuracy-matched, {m} references", measure(confidence_fit(s.z, kept(split(c, [t.refs[i] for i in draw]))[0])))
            for few in (30, 60, 120, 240):
                f = split(c[:few], t.refs)
                for name, beta in [("daca", daca(f)), ("supportcal(1)", supportcal(f)), ("confidence-matched", confidence_fit(f.z, base_confidence(f))),
                                   ("accuracy-matched", confidence_fit(f.z, kept(f)[0])), ("oracle-ts", kl_fit(f.z, np.eye(f.k)[t.y[c[:few]]]))]:
                    add(f"{name}, {few} examples", measure(beta))
    oracle = np.array(rows["oracle-ts"]).reshape(-1, 5).mean(1)
    print(f"{len(targets)} held-out targets\n\n| method | ECE | mean abs(ECE - oracle) |\n|---|---|---|")
    for name, values in rows.items():
        v = np.array(values).reshape(-1, 5).mean(1)
        print(f"| {name} | {v.mean():.2f} | {np.abs(v - oracle).mean():.2f} |")
    print("\n| data | slope: smallest, median, largest | below 0 |\n|---|---|---|")
    for name, v in slopes.items(): print(f"| {name} | {min(v):.2f}, {np.median(v):.2f}, {max(v):.2f} | {np.mean(np.array(v) < 0):.0%} |")


if __name__ == "__main__":
    main()
