"""What a base of another family costs where a model's own is not to be had: every other base in its place.

    python other_base.py shipped.jsonl.gz          # the lines of export-logits.ts

Five 30/70 splits a target; references are the bases that are left, the own one not among them.
"""
import sys

import numpy as np
from auto import auto
from data import shipped_targets
from fits import ece, softmax
from methods import daca, supportcal
from signs import Split

SEEDS = 5


def measured(t, base, refs):
    """ECE of vanilla, DACA, SupportCal (1) and auto with a base, and the base's own ECE and disagreement; means over splits."""
    found, n = [], len(t.z)
    for seed in range(SEEDS):
        order = np.random.default_rng(1000 + seed).permutation(n)
        c, e = order[:int(0.3 * n)], order[int(0.3 * n):]
        s = Split(t.z[c], base[c], [r[c] for r in refs])
        at = lambda beta: ece(softmax(beta * t.z[e]), t.y[e])
        found.append([at(1.0), at(daca(s)), at(supportcal(s)), at(np.exp(-auto(s))), ece(softmax(base), t.y), 100 * s.D.mean()])
    return np.mean(found, 0)


def main():
    rows = []
    for t in shipped_targets(sys.argv[1]):
        right = lambda z: 100 * np.mean(z.argmax(1) == t.y)
        own = measured(t, t.base, t.refs)
        rows.append(("own", t.task, *own, right(t.base) - right(t.z)))
        for i, other in enumerate(t.refs):
            rest = [r for j, r in enumerate(t.refs) if j != i]
            away = right(other) - right(t.z)
            rows.append(("other, within 5 pp of the model's accuracy" if abs(away) < 5 else
                         "other, 5 pp or more below" if away < 0 else "other, 5 pp or more above", t.task, *measured(t, other, rest), away))
    print("| base | pairs | its accuracy less the model's, pp | disagreement, % | Vanilla | DACA | SupportCal (1) | auto |\n|---|---|---|---|---|---|---|---|")
    for kind in sorted({r[0] for r in rows}, key=lambda name: (name != "own", name)):
        these = np.array([r[2:] for r in rows if r[0] == kind])
        vanilla, d, sc, a, _, dis, away = these.mean(0)
        print(f"| {kind} | {len(these)} | {away:+.1f} | {dis:.0f} | {vanilla:.2f} | {d:.2f} | {sc:.2f} | {a:.2f} |")


if __name__ == "__main__":
    main()
