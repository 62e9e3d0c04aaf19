"""An invented encyclopedia: entities, facts, sentences about them and four-option questions.

The value of a fact depends on one of four hidden classes that the ending of the name shows, so a model that
never read the fact can still make an educated guess. How often a fact is read is log-normal, as in real text.
"""
import json
import math
import os
import re

KINDS = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "text", "encyclopedia.json")))
OPTION_WORDS = sorted({v for kind in KINDS.values() for a in kind["attributes"].values() for v in a["values"]})


def make_world(rng, per_kind):
    """Return (entities, odds): `odds[kind, attribute]` are the overall odds of the attribute's values."""
    entities, odds = [], {}
    for kind, spec in KINDS.items():
        class_odds, names = {}, set()
        for a, attribute in spec["attributes"].items():
            base = [rng.gauss(0, 0.5) for _ in attribute["values"]]
            odds[kind, a] = [math.exp(b) for b in base]
            for c in range(4):
                class_odds[a, c] = [math.exp(b + rng.gauss(0, 1.0)) for b in base]
        while len(names) < per_kind:
            c = rng.randrange(4)
            extra = rng.choice(spec["middles"]) if rng.random() < 0.6 else ""
            name = rng.choice(spec["heads"]) + rng.choice(spec["middles"]) + extra + rng.choice(spec["endings"][c])
            if name in names:
                continue
            names.add(name)
            entities.append({
                "kind": kind, "name": name,
                "values": {a: rng.choices(range(len(s["values"])), class_odds[a, c])[0]
                           for a, s in spec["attributes"].items()},
                "popularity": math.exp(rng.gauss(0, 1.1)),
                "fact_popularity": {a: math.exp(rng.gauss(0, 0.6)) for a in spec["attributes"]}})
    return entities, odds


def statement(rng, entity, attribute, template=None):
    """One sentence that states the fact."""
    spec = KINDS[entity["kind"]]["attributes"][attribute]
    text = spec["statements"][template] if template is not None else rng.choice(spec["statements"])
    return _sentence(text.format(n=entity["name"], v=spec["values"][entity["values"][attribute]]))


def fact_question(rng, entity, attribute, odds):
    """(question, four options, index of the right one); wrong options follow the overall odds."""
    spec = KINDS[entity["kind"]]["attributes"][attribute]
    question = rng.choice(spec["questions"]).format(n=entity["name"])
    right = entity["values"][attribute]
    others = [i for i in range(len(spec["values"])) if i != right]
    weights = [odds[entity["kind"], attribute][i] for i in others]
    options = [right]
    for _ in range(3):
        i = rng.choices(range(len(others)), weights)[0]
        options.append(others.pop(i))
        weights.pop(i)
    rng.shuffle(options)
    return _sentence(question), [spec["values"][i] for i in options], options.index(right)


def reading_question(rng, odds):
    """(passage, question, options, index): about an entity that is named nowhere else."""
    kind = rng.choice(list(KINDS))
    spec = KINDS[kind]
    name = rng.choice(spec["heads"]) + "".join(rng.choice(spec["middles"]) for _ in range(3))
    name += rng.choice(rng.choice(spec["endings"]))
    entity = {"kind": kind, "name": name,
              "values": {a: rng.randrange(len(s["values"])) for a, s in spec["attributes"].items()}}
    told = rng.sample(list(spec["attributes"]), rng.choice([1, 1, 2, 3]))
    passage = " ".join(statement(rng, entity, a) for a in told) + "\n"
    return (passage, *fact_question(rng, entity, rng.choice(told), odds))


def fact_ease(entity, attribute):
    """0 (never read about) to 1 (read about all the time)."""
    seen = entity["popularity"] * entity["fact_popularity"][attribute]
    return seen / (seen + 1)


def _sentence(text):
    text = re.sub(r"\b([Aa]) (?=[aeiou])", r"\1n ", text)
    return text[0].upper() + text[1:]
