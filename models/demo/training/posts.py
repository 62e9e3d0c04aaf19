"""Invented short posts with a sampled mood. The label is drawn from known odds, so no model can be right every time."""
import json
import math
import os

_TEXT = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "text", "posts.json")))
MOODS = ["negative", "neutral", "positive"]
_RANKS = [1.0 / (i + 2) for i in range(max(len(_TEXT["good"]), len(_TEXT["bad"])))]


def post(rng):
    """(text, probabilities of negative, neutral, positive)"""
    text, s1 = _clause(rng, rng.choice(_TEXT["things"]))
    score, r = s1, rng.random()
    if r < 0.58:
        more, s2 = _clause(rng, rng.choice(_TEXT["things"]))
        if r < 0.30:
            text, score = f"{text} but {more}", 0.4 * s1 + s2
        elif r < 0.50:
            text, score = f"{text} and {more}", 0.8 * (s1 + s2)
        else:
            text, score = f"{text} although {more}", s1 + 0.4 * s2
    r = rng.random()
    if r < 0.08:
        text, score = text + " :)", score + 0.5
    elif r < 0.16:
        text, score = text + " :(", score - 0.5
    elif r < 0.20:
        text, score = text + " lol", score * 0.5
    elif r < 0.24:
        text, score = text + ", thanks a lot", score - 0.5 if score < 0.2 else score + 0.3
    if rng.random() < 0.3:
        text += " " + rng.choice(_TEXT["tags"])
    text = f"{rng.choice(_TEXT['openings'])} {text}".strip()
    return text, _odds(score)


def mood_question(rng, shuffled=0.0):
    """(question, the three moods, index of the label, post, highest probability); `shuffled` = share in another order."""
    text, odds = post(rng)
    label = rng.choices(MOODS, odds)[0]
    options = list(MOODS)
    if rng.random() < shuffled:
        rng.shuffle(options)
    lead = rng.choice(["What is the mood of this post?", "Which mood does this post have?"])
    return f'{lead} "{text}"', options, options.index(label), text, max(odds)


def _clause(rng, thing):
    """(words about the thing, their mood score)"""
    if rng.random() < 0.22:
        return f"the {thing} {rng.choice(_TEXT['plain'])}", 0.0
    words = _TEXT["good"] if rng.random() < 0.52 else _TEXT["bad"]
    word, s = rng.choices(list(words.items()), _RANKS[:len(words)])[0]
    m = rng.random()
    for limit, pattern, factor in ((0.12, "not {}", -0.6), (0.20, "not exactly {}", -0.8), (0.32, "very {}", 1.4),
                                   (0.42, "kind of {}", 0.55), (0.48, "never {}", -0.9),
                                   (0.54, "too {}", -0.3 / s if s > 0 else 1.2),
                                   (0.58, "less {} than before", -0.5)):
        if m < limit:
            word, s = pattern.format(word), factor * s
            break
    return rng.choice(_TEXT["clauses"]).format(t=thing, w=word), s


def _odds(score):
    z = [-4.2 * score, 1.5, 4.2 * score]
    e = [math.exp(x - max(z)) for x in z]
    return [0.94 * x / sum(e) + 0.02 for x in e]          # 6 % of the labels are drawn at random
