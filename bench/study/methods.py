"""Label-free temperatures tried in the study: each takes a Split and gives beta = 1/tau."""
import numpy as np
from fits import confidence_fit, kl_fit, softmax
import signs as S


def daca(s): return kl_fit(s.z[~s.D], s.po[~s.D])
def full_kl(s): return kl_fit(s.z, s.po)


def support_weights(s, m=1):
    u = lambda p: s.at(p, s.yt) / p.max(1)
    best = sorted(s.pr, key=lambda p: -S.mean(u(p)[s.D]))[:m]
    return np.where(s.D, u(s.po) * np.mean([u(p) for p in best], 0), 1.0)


def supportcal(s): return kl_fit(s.z, s.po, support_weights(s))


def arithmetic_pool(s): return np.mean([s.po] + s.pr, 0)
def geometric_pool(s): return softmax(np.mean(np.log([s.po] + s.pr), 0))


def pool_on_d(s): return np.where(s.D[:, None], arithmetic_pool(s), s.po)


def matched(estimate):
    return lambda s: confidence_fit(s.z, float(np.clip(estimate(s), 1 / s.k, 1 - 1e-6)))


def base_confidence(s): return s.po.max(1).mean()


def switch(sign, off=full_kl):
    return lambda s: daca(s) if S.SIGNS[sign](s) > 0 else off(s)


def voted_teacher(s):
    """Own base, updated by every reference's and the target's vote as one-coin evidence; skills from `triplets`."""
    acc = np.clip(S.triplets(s), 1 / s.k + 1e-3, 1 - 1e-3)
    log = np.log(np.mean([s.po] + s.pr, 0))
    log = log + np.eye(s.k)[s.yt] * np.log(acc[0] * (s.k - 1) / (1 - acc[0])) * 0.5
    return softmax(log)


def swapped(s, p):
    """p with the mass of its own top option and of the target's answer exchanged: as sure as p, of the target's answer."""
    out, top = p.copy(), p.argmax(1)
    out[s.rows, s.yt], out[s.rows, top] = p[s.rows, top], p[s.rows, s.yt]
    return out


def capped(gain): return max(0.0, gain)


def when(sign, threshold, high, low): return lambda s: high(s) if S.SIGNS[sign](s) > threshold else low(s)


METHODS = {
    "daca": daca, "full-kl": full_kl, "supportcal(1)": supportcal,
    "pool teacher (arithmetic)": lambda s: kl_fit(s.z, arithmetic_pool(s)),
    "pool teacher (geometric)": lambda s: kl_fit(s.z, geometric_pool(s)),
    "pool teacher, references only": lambda s: kl_fit(s.z, s.pool),
    "pool teacher on A": lambda s: kl_fit(s.z[~s.D], geometric_pool(s)[~s.D]),
    "pool teacher (geometric), SupportCal weights": lambda s: kl_fit(s.z, geometric_pool(s), support_weights(s)),
    "own base on A, pool on D": lambda s: kl_fit(s.z, pool_on_d(s)),
    "dawid-skene teacher": lambda s: kl_fit(s.z, S.dawid_skene(s)[1]),
    "voted teacher": lambda s: kl_fit(s.z, voted_teacher(s)),
    "matched: base confidence": matched(base_confidence),
    "matched: base mass on target's answer": matched(lambda s: s.at(s.po, s.yt).mean()),
    "matched: pool mass on target's answer": matched(lambda s: s.at(geometric_pool(s), s.yt).mean()),
    "matched: arithmetic pool confidence": matched(lambda s: arithmetic_pool(s).max(1).mean()),
    "matched: geometric pool confidence": matched(lambda s: geometric_pool(s).max(1).mean()),
    "matched: + gain_votes": matched(lambda s: base_confidence(s) + S.SIGNS["gain_votes"](s)),
    "matched: + gain_mass": matched(lambda s: base_confidence(s) + S.SIGNS["gain_mass"](s)),
    "matched: + agreement ratio": matched(lambda s: base_confidence(s) + S.agreement_ratio(s)),
    "matched: + placebo": matched(lambda s: base_confidence(s) + S.placebo(s)),
    "matched: triplets": matched(lambda s: S.triplets(s)[0]),
    "matched: dawid-skene": matched(lambda s: S.dawid_skene(s)[0][0]),
    "matched: + max(0, gain_mass)": matched(lambda s: base_confidence(s) + capped(S.SIGNS["gain_mass"](s))),
    "matched: + max(0, placebo)": matched(lambda s: base_confidence(s) + capped(S.placebo(s))),
    "matched: mean of base and pool confidence": matched(lambda s: (base_confidence(s) + geometric_pool(s).max(1).mean()) / 2),
    "matched on A": lambda s: confidence_fit(s.z[~s.D], float(s.po[~s.D].max(1).mean())),
    "swapped teacher: own base": lambda s: kl_fit(s.z, swapped(s, s.po)),
    "swapped teacher: geometric pool": lambda s: kl_fit(s.z, swapped(s, geometric_pool(s))),
    "swapped teacher: own base on A, pool on D": lambda s: kl_fit(s.z, swapped(s, np.where(s.D[:, None], geometric_pool(s), s.po))),
    "min tau(DACA, matched base)": lambda s: max(daca(s), matched(base_confidence)(s)),
    "min tau(SC, matched base)": lambda s: max(supportcal(s), matched(base_confidence)(s)),
    "DACA if tau DACA > tau matched base, else supportcal": when("ln tau DACA / matched base confidence", 0, daca, supportcal),
    "DACA if tau DACA > tau matched base + gain_mass, else supportcal": when("ln tau DACA / matched base + gain_mass", 0, daca, supportcal),
    "DACA if tau DACA > tau matched base + placebo, else supportcal": when("ln tau DACA / matched base + placebo", 0, daca, supportcal),
    "DACA if ln tau full / DACA is large, else supportcal": when("ln tau full / DACA", 0.08, daca, supportcal),
    "switch on votes": switch("votes on D"), "switch on mass": switch("mass on D"),
    "switch on votes (off: supportcal)": switch("votes on D", supportcal),
    "switch on own base's loss + votes": lambda s: daca(s) if S.votes(s) + S.SIGNS["own base's loss"](s) > 0 else full_kl(s),
}
