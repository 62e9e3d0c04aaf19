"""Label-free signs of the target's gain. Each takes the logits of a calibration split and gives one number; a larger
number should mean a larger gain of the target's accuracy over its base's (unit of `gain_*`: share of examples)."""
import numpy as np
from fits import confidence_fit, kl_fit, softmax


class Split:
    """What a label-free rule may look at."""
    def __init__(self, z, base, refs):
        self.z, self.base, self.refs = z, base, refs
        self.n, self.k = z.shape
        self.rows = np.arange(self.n)
        self.yt, self.yo = z.argmax(1), base.argmax(1)
        self.D = self.yt != self.yo
        self.q, self.po, self.pr = softmax(z), softmax(base), [softmax(r) for r in refs]
        self.pool = np.mean(self.pr, 0)
    def at(self, p, y): return p[self.rows, y]


def mean(values): return float(values.mean()) if len(values) else 0.0


def entropy(p): return -(p * np.log(np.maximum(p, 1e-300))).sum(1)


def chance_corrected(a, k): return (k * a - 1) / (k - 1)


def votes(s):
    """Mean over D and references of [reference answers like the target] - [reference answers like the base]."""
    return float(np.mean([mean((p.argmax(1) == s.yt)[s.D] * 1.0) - mean((p.argmax(1) == s.yo)[s.D] * 1.0) for p in s.pr]))


def mass(s): return mean((s.at(s.pool, s.yt) - s.at(s.pool, s.yo))[s.D])


def corroboration(s):
    u = lambda p, y: s.at(p, y) / p.max(1)
    return float(np.mean([mean((u(p, s.yt) - u(p, s.yo))[s.D]) for p in s.pr]))


def agreement_ratio(s):
    """One-coin model without the pair target/base: agreement above chance of i and r is s_i s_r, so the references'
    agreement with the target over theirs with the base is s_target / s_base; s_base from the base's mean confidence."""
    t = sum(chance_corrected(np.mean(p.argmax(1) == s.yt), s.k) for p in s.pr)
    o = sum(chance_corrected(np.mean(p.argmax(1) == s.yo), s.k) for p in s.pr)
    skill = chance_corrected(s.po.max(1).mean(), s.k)
    return (t / o - 1) * skill * (s.k - 1) / s.k


def triplets(s):
    """Platanios-like: skills of target, base and references from pairwise agreement alone (rank-1 fit, the pair
    target/base left out), as accuracies."""
    preds = [s.yt, s.yo] + [p.argmax(1) for p in s.pr]
    m = len(preds)
    A = np.array([[chance_corrected(np.mean(a == b), s.k) for b in preds] for a in preds])
    use = ~np.eye(m, dtype=bool)
    use[0, 1] = use[1, 0] = False
    v = np.full(m, 0.5)
    for _ in range(500):
        v = np.array([(A[i, use[i]] @ v[use[i]]) / (v[use[i]] @ v[use[i]]) for i in range(m)])
    return (v * (s.k - 1) + 1) / s.k


def dawid_skene(s, own=True):
    """One-coin Dawid-Skene by EM over hard votes of target, base and references; returns accuracies and posterior."""
    preds = [s.yt] + ([s.yo] if own else []) + [p.argmax(1) for p in s.pr]
    onehot = [np.eye(s.k)[p] for p in preds]
    acc = np.full(len(preds), 0.7)
    for _ in range(200):
        log = sum(h * np.log(a / ((1 - a) / (s.k - 1))) for h, a in zip(onehot, acc))
        post = softmax(log)
        acc = np.clip([np.mean(s.at(post, p)) for p in preds], 1 / s.k + 1e-3, 1 - 1e-3)
    return acc, post


def placebo(s):
    """`mass` less what it is for two bases whose mean confidences say that they are equally good: over all ordered
    pairs (i, j) of bases, the others' mass difference on their disagreement, regressed on the confidence difference."""
    P = [s.po] + s.pr
    xs, ys = [], []
    for i in range(len(P)):
        for j in range(len(P)):
            if i == j: continue
            yi, yj = P[i].argmax(1), P[j].argmax(1)
            d = yi != yj
            if not d.any(): continue
            pool = np.mean([p for g, p in enumerate(P) if g not in (i, j)], 0)
            ys.append((P[i].max(1).mean() - P[j].max(1).mean()))
            xs.append(d.mean() * mean((s.at(pool, yi) - s.at(pool, yj))[d]))
    xs, ys = np.array(xs), np.array(ys)
    slope = (xs @ ys) / (xs @ xs) if xs @ xs > 0 else 0
    return slope * s.D.mean() * mass(s)


def runner_up(s):
    """`mass` against the base's own second choices: pool(target's answer) less the pool's mean over the options other
    than the base's, weighted by the base. A target that only flips to what its base half believed gets 0."""
    rest = s.po.copy()
    rest[s.rows, s.yo] = 0
    expected = (rest * s.pool).sum(1) / rest.sum(1)
    return mean((s.at(s.pool, s.yt) - expected)[s.D])


def ln_tau_ratio(above, below):
    return lambda s: float(np.log(max(below(s), 1e-9) / max(above(s), 1e-9)))


def daca(s): return kl_fit(s.z[~s.D], s.po[~s.D])
def geometric_pool(s): return softmax(np.mean(np.log([s.po] + s.pr), 0))
def base_confidence(s): return s.po.max(1).mean()
def matched(s, accuracy): return confidence_fit(s.z, float(np.clip(accuracy, 1 / s.k, 1 - 1e-6)))
def gain_mass(s): return s.D.mean() * mass(s)


SIGNS = {
    "disagreement rate": lambda s: s.D.mean(),
    "votes on D": votes,
    "mass on D": mass,
    "corroboration T - O": corroboration,
    "gain_votes": lambda s: s.D.mean() * votes(s),
    "gain_mass": lambda s: s.D.mean() * mass(s),
    "gain_corroboration": lambda s: s.D.mean() * corroboration(s),
    "own base's loss": lambda s: s.D.mean() * mean((s.at(s.po, s.yt) - s.at(s.po, s.yo))[s.D]),
    "all bases' mass": lambda s: s.D.mean() * mean((s.at(np.mean([s.po] + s.pr, 0), s.yt) - s.at(np.mean([s.po] + s.pr, 0), s.yo))[s.D]),
    "agreement ratio": agreement_ratio,
    "triplets": lambda s: float(np.subtract(*triplets(s)[:2])),
    "dawid-skene": lambda s: float(np.subtract(*dawid_skene(s)[0][:2])),
    "placebo": placebo,
    "target confidence D / A": lambda s: mean(s.q.max(1)[s.D]) / max(mean(s.q.max(1)[~s.D]), 1e-9),
    "base entropy D - A": lambda s: mean(entropy(s.po)[s.D]) - mean(entropy(s.po)[~s.D]),
    "base entropy on D": lambda s: mean(entropy(s.po)[s.D]) / np.log(s.k),
    "base confidence": lambda s: -s.po.max(1).mean(),
    "pool sharper than base": lambda s: np.mean([s.po] + s.pr, 0).max(1).mean() - s.po.max(1).mean(),
    "mass against runner-up": runner_up,
    "ln tau full / DACA": ln_tau_ratio(lambda s: kl_fit(s.z, s.po), daca),
    "ln tau DACA / matched base confidence": ln_tau_ratio(daca, lambda s: matched(s, base_confidence(s))),
    "ln tau DACA / matched pool confidence": ln_tau_ratio(daca, lambda s: matched(s, geometric_pool(s).max(1).mean())),
    "ln tau DACA / matched base + gain_mass": ln_tau_ratio(daca, lambda s: matched(s, base_confidence(s) + gain_mass(s))),
    "ln tau DACA / matched base + placebo": ln_tau_ratio(daca, lambda s: matched(s, base_confidence(s) + placebo(s))),
    "-ln tau DACA": ln_tau_ratio(lambda s: 1.0, daca),
}
