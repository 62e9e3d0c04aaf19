"""Consistency under option rotation as a sign, on the shipped targets (read before: exploration, not a verdict).

    npm run pipeline -- --suite rotations --models bench/study/rotation-models.yaml
    npx tsx bench/study/export-logits.ts rotations rotations.jsonl.gz bench/study/rotation-models.yaml
    python rotations.py rotations.jsonl.gz
"""
import gzip, json, sys
import numpy as np
from fits import ece, kl_fit, softmax
from methods import daca, matched, supportcal
from signs import Split, base_confidence, gain_mass
from study import auc

SIGNS = {
    "answers that no rotation changes": lambda s, votes, p: (votes == 1).mean(),
    "rotations that keep the answer": lambda s, votes, p: votes.mean(),
    "the same on D": lambda s, votes, p: votes[s.D].mean(),
    "on D less on A": lambda s, votes, p: votes[s.D].mean() - votes[~s.D].mean(),
    "rotated confidence less base confidence": lambda s, votes, p: p.max(1).mean() - base_confidence(s),
    "rotated probability of the answer, D less A": lambda s, votes, p: s.at(p, s.yt)[s.D].mean() - s.at(p, s.yt)[~s.D].mean(),
    "kept answers less base confidence": lambda s, votes, p: votes.mean() - base_confidence(s),
    "(gain by references' probabilities)": lambda s, votes, p: gain_mass(s),
}


def main(path):
    rows, extra = [], {}
    for line in gzip.open(path, "rt"):
        row = json.loads(line)
        if row["rotations"] is None: continue
        z, base, y = (np.array(row[k]) for k in ("targetLogits", "ownBaseLogits", "labels"))
        n, k = z.shape
        turned = np.array(row["rotations"]).reshape(n, k, k)
        refs = [np.array(r) for r in row["references"]]
        votes = (turned.argmax(2) == z.argmax(1)[:, None]).mean(1)
        p = np.mean([softmax(turned[:, j]) for j in range(k)], 0)
        out = dict(name=row["target"], task=row["dataset"], gain=100 * ((z.argmax(1) == y).mean() - (base.argmax(1) == y).mean()), signs={}, worse=[])
        for seed in range(5):
            order = np.random.default_rng(1000 + seed).permutation(n)
            c, e = order[:int(0.3 * n)], order[int(0.3 * n):]
            s = Split(z[c], base[c], [r[c] for r in refs])
            measure = lambda beta: ece(softmax(min(beta, 1e6) * z[e]), y[e])
            out["worse"].append(measure(supportcal(s)) - measure(daca(s)))
            for name, sign in SIGNS.items(): out["signs"].setdefault(name, []).append(sign(s, votes[c], p[c]))
            for name, beta in [("DACA", daca(s)), ("accuracy-matched", matched(lambda s: base_confidence(s) + gain_mass(s))(s)),
                               ("matched to the share of kept answers", matched(lambda s: votes[c].mean())(s)),
                               ("matched to CAPE's confidence", matched(lambda s: p[c].max(1).mean())(s)),
                               ("KL to CAPE", kl_fit(s.z, p[c])), ("oracle-ts", kl_fit(s.z, np.eye(k)[y[c]]))]: extra.setdefault(name, []).append(measure(beta))
        rows.append(out)
    gain = np.array([r["gain"] for r in rows])
    worse = np.array([np.mean(r["worse"]) for r in rows])
    tasks = np.array([r["task"] for r in rows])
    centred = lambda v: v - np.array([v[tasks == t].mean() for t in tasks])
    print(f"{len(rows)} targets, {', '.join(sorted(set(tasks)))}\n\n| sign | r with gain | within task | r with ECE(SC1) - ECE(DACA) | AUC SC(1) worse |\n|---|---|---|---|---|")
    for name in SIGNS:
        v = np.array([np.mean(r["signs"][name]) for r in rows])
        r = lambda a, b: f"{np.corrcoef(a, b)[0, 1]:.2f}"
        print(f"| {name} | {r(v, gain)} | {r(centred(v), centred(gain))} | {r(v, worse)} | {auc(v, worse > 0):.2f} |")
    print("\n| temperature | ECE |\n|---|---|")
    for name, v in extra.items(): print(f"| {name} | {np.mean(v):.2f} |")


if __name__ == "__main__":
    main(sys.argv[1])
