"""The token stream that one family reads: a weighted, seeded sample of the pool."""
import os

import numpy as np

SHARES = dict(stmt=.28, profile=.12, bind=.13, readq=.12, factq=.05, openq=.02, arithq=.145, sums=.02, moodq=.07,
              post=.045)               # of the tokens


def token_stream(prep, meta, total, rng):
    """About `total` tokens as one uint16 array (answer letters flagged).

    Each family reads more of some entities than of others, and a random three quarters of the other documents.
    Look-up lists come earlier on average: letters are bound first.
    """
    pool = np.load(os.path.join(prep, "pool.npz"))
    flat, lens, group = pool["flat"], pool["lens"].astype(np.int64), pool["group"]
    popularity = np.array(meta["popularity"])
    mine = popularity * np.exp(rng.normal(0, 0.8, len(popularity)))
    kept = rng.random(len(lens)) < 0.75
    chosen = []
    for name, share in SHARES.items():
        index = np.flatnonzero(group == meta["groups"].index(name))
        if name in ("stmt", "profile"):
            weight = mine[pool["entity"][index]] * pool["weight"][index]
            odds = weight / weight.sum()
            count = int(total * share / (odds * lens[index]).sum())
            chosen.append(rng.choice(index, count, p=odds))
        else:
            index = index[kept[index]]
            count = int(total * share / lens[index].mean())
            passes = [rng.permutation(index) for _ in range(count // len(index) + 1)]
            chosen.append(np.concatenate(passes)[:count])
    chosen = np.concatenate(chosen)
    key = rng.random(len(chosen))
    early = group[chosen] == meta["groups"].index("bind")
    key[early] **= 1.5
    return _join(flat, lens, chosen[np.argsort(key, kind="stable")])


def _join(flat, lens, docs):
    offset = np.concatenate([[0], np.cumsum(lens)[:-1]])
    out = []
    for start in range(0, len(docs), 200000):
        part = docs[start:start + 200000]
        n = lens[part]
        first = np.repeat(offset[part] - np.concatenate([[0], np.cumsum(n)[:-1]]), n)
        out.append(flat[first + np.arange(n.sum())])
    return np.concatenate(out)
