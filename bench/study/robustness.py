"""After the verdict: accuracy-matched with fewer references and fewer unlabelled examples, with the steps that lead to it
taken one at a time, and with its gain scaled by what support is worth among the bases. Nothing here chose anything but
what README.md says it did.

    python robustness.py SPIKE_LOGITS_FOLDER --shipped shipped.jsonl.gz --chat chat.jsonl.gz
"""
import argparse
import numpy as np
from data import shipped_targets, spike_targets
from fits import confidence_fit, ece, kl_fit, softmax
from methods import METHODS, daca, matched, supportcal
from signs import Split, base_confidence, gain_mass, placebo

STEPS = {
    "DACA: KL to the base, on A": daca,
    "mean confidence of the base, on A (matched on A)": METHODS["matched on A"],
    "mean confidence of the base, everywhere (confidence-matched)": matched(base_confidence),
    "the base's own probability of the target's answers instead": METHODS["matched: base mass on target's answer"],
    "base on A, the references' probability of the target's answers on D":
        matched(lambda s: np.where(s.D, s.at(s.pool, s.yt), s.po.max(1)).mean()),
    "+ gain by references' probabilities (accuracy-matched)": matched(lambda s: base_confidence(s) + gain_mass(s)),
    "+ gain by references' votes": METHODS["matched: + gain_votes"],
    "+ gain scaled by its worth among the bases": METHODS["matched: + placebo"],
    "+ that gain, never below 0 times the support": matched(lambda s: base_confidence(s) + bounded(s)),
}


def bounded(s):
    gain, raw = placebo(s), gain_mass(s)
    return gain if gain * raw > 0 else 0.0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--shipped", required=True)
    parser.add_argument("--chat", required=True)
    args = parser.parse_args()
    targets = [t for t in spike_targets(args.folder) if t.part != "design"]
    targets += list(shipped_targets(args.shipped)) + list(shipped_targets(args.chat, "fresh"))
    rows, worth = {}, {}
    add = lambda name, value: rows.setdefault(name, []).append(value)
    accuracy_matched = matched(lambda s: base_confidence(s) + gain_mass(s))
    for t in targets:
        n = len(t.z)
        for seed in range(5):
            order = np.random.default_rng(1000 + seed).permutation(n)
            c, e = order[:int(0.3 * n)], order[int(0.3 * n):]
            measure = lambda beta: ece(softmax(min(beta, 1e6) * t.z[e]), t.y[e])
            split = lambda rows, refs: Split(t.z[rows], t.base[rows], [r[rows] for r in refs])
            s = split(c, t.refs)
            oracle = lambda rows: kl_fit(t.z[rows], np.eye(t.z.shape[1])[t.y[rows]])
            add("oracle-ts", measure(oracle(c)))
            add("SupportCal (1)", measure(supportcal(s)))
            for name, step in STEPS.items(): add(name, measure(step(s)))
            if gain_mass(s) != 0: worth.setdefault(f"{t.part} {t.task}", []).append(placebo(s) / gain_mass(s))
            for m in (1, 2, 3):
                draw = np.random.default_rng(7 * seed + m).permutation(len(t.refs))[:m]
                add(f"accuracy-matched, {m} of the references", measure(accuracy_matched(split(c, [t.refs[i] for i in draw]))))
            for few in (30, 60, 120, 240):
                f = split(c[:few], t.refs)
                for name, beta in [("DACA", daca(f)), ("SupportCal (1)", supportcal(f)), ("accuracy-matched", accuracy_matched(f)),
                                   ("oracle-ts", oracle(c[:few]))]: add(f"{name}, {few} examples", measure(beta))
    oracle = np.array(rows["oracle-ts"]).reshape(-1, 5).mean(1)
    print(f"{len(targets)} targets that nothing was designed on\n\n| temperature | ECE | mean abs(ECE - oracle) | spread over splits |\n|---|---|---|---|")
    for name, values in rows.items():
        v = np.array(values).reshape(-1, 5)
        print(f"| {name} | {v.mean():.2f} | {np.abs(v.mean(1) - oracle).mean():.2f} | {v.std(1, ddof=1).mean():.2f} |")
    gains = np.array([100 * np.mean((t.z.argmax(1) == t.y) * 1.0 - (t.base.argmax(1) == t.y)) for t in targets])
    five = {short: np.array(rows[name]).reshape(-1, 5).mean(1) for short, name in {
        "DACA": "DACA: KL to the base, on A", "SupportCal (1)": "SupportCal (1)",
        "confidence-matched": "mean confidence of the base, everywhere (confidence-matched)",
        "accuracy-matched": "+ gain by references' probabilities (accuracy-matched)", "oracle-ts": "oracle-ts"}.items()}
    print(f"\n| true gain | targets | {' | '.join(five)} | accuracy-matched below DACA | below SupportCal (1) |\n|---|---|" + "---|" * 7)
    for title, low, high in (("a loss", -100, 0), ("0 to 1 pp", 0, 1), ("1 to 4 pp", 1, 4), ("over 4 pp", 4, 100)):
        at = (gains >= low) & (gains < high)
        below = lambda name: (five["accuracy-matched"] < five[name])[at].sum()
        print(f"| {title} | {at.sum()} | " + " | ".join(f"{v[at].mean():.2f}" for v in five.values()) + f" | {below('DACA')} | {below('SupportCal (1)')} |")
    print("\n| data | worth of support: smallest, median, largest | below 0 |\n|---|---|---|")
    for name, v in worth.items(): print(f"| {name} | {min(v):.2f}, {np.median(v):.2f}, {max(v):.2f} | {np.mean(np.array(v) < 0):.0%} |")


if __name__ == "__main__":
    main()
