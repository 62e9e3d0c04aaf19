"""Invented one- and two-step word problems with five numeric options; every number is below 200."""
import json
import os
import re

_TEXT = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "text", "arithmetic.json")))
EASE = [0.6, 0.7, 0.7, 0.8, 0.4, 0.35, 0.3, 0.5, 0.35, 0.4, 0.4]      # by template, known to the generator


def problem(rng):
    """(stem, right result, results of plausible slips, template number)"""
    while True:
        t = rng.randrange(11)
        drawn = _draw(rng, t)
        if drawn is None:
            continue
        stem, right, slips = drawn
        if 0 < right < 200 and all(int(x) < 200 for x in re.findall(r"\d+", stem)):
            return stem, right, slips, t


def arithmetic_question(rng):
    """(question, five options, index of the right one, template number)"""
    stem, right, slips, t = problem(rng)
    slips = [x for x in slips if 0 < x < 200 and x != right]
    rng.shuffle(slips)
    near = [right + d for d in (-10, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 10) if 0 < right + d < 200]
    rng.shuffle(near)
    options = []
    for x in slips[:rng.choice([1, 2, 2, 3])] + near:
        if x not in options and len(options) < 4:
            options.append(x)
    options.append(right)
    rng.shuffle(options)
    return stem, [str(x) for x in options], options.index(right), t


def sum_sentence(rng):
    """One plain sentence of arithmetic."""
    t = rng.randrange(4)
    if t == 0:
        a, b = rng.randint(2, 99), rng.randint(2, 99)
        return f"We find that {a} plus {b} is {a + b}."
    if t == 1:
        a = rng.randint(5, 120)
        b = rng.randint(1, a - 1)
        return f"We find that {a} minus {b} is {a - b}."
    a, b = rng.randint(2, 16), rng.randint(2, 12)
    return f"We find that {a} times {b} is {a * b}." if t == 2 else f"We find that {a * b} divided by {b} is {a}."


def _draw(rng, t):
    """Fill template t: (stem, right, slips), or None where the numbers do not work out."""
    p, p2 = rng.sample(_TEXT["people"], 2)
    it, bx = rng.choice(_TEXT["items"]), rng.choice(_TEXT["boxes"])
    n = rng.randint
    if t == 0:
        a, b = n(11, 99), n(11, 99)
        stems = [f"{p} has {a} {it} and buys {b} more. How many {it} does {p} have now?",
                 f"There are {a} {it} on the table and {b} {it} on the floor. How many {it} are there in all?"]
        return rng.choice(stems), a + b, [abs(a - b), a + b + 10, a + b - 10]
    if t == 1:
        a = n(40, 190)
        b = n(11, a - 5)
        stems = [f"{p} had {a} {it} and gave {b} to {p2}. How many {it} are left?",
                 f"Of {a} {it} {b} were broken. How many {it} were whole?"]
        return rng.choice(stems), a - b, [a + b, a - b + 10, b]
    if t == 2:
        a, b = n(5, 16), n(3, 12)
        stems = [f"There are {b} {bx} with {a} {it} each. How many {it} are there?",
                 f"One of the {bx} holds {a} {it}. How many {it} do {b} such {bx} hold?"]
        return rng.choice(stems), a * b, [a + b, a * (b + 1), a * (b - 1), (a + 1) * b]
    if t == 3:
        b, r = n(3, 12), n(4, 16)
        stems = [f"{b * r} {it} are shared equally by {b} children. How many {it} does each get?",
                 f"{p} packs {b * r} {it} into {b} {bx}, the same number in each. How many {it} are in one?"]
        return rng.choice(stems), r, [b * r - b, r + 2, r * 2, b]
    if t == 4:
        a, b = n(10, 95), n(5, 95)
        c = n(2, a + b - 3)
        stem = f"{p} had {a} {it}, found {b} more and then lost {c}. How many {it} does {p} have now?"
        return stem, a + b - c, [a + b + c, a + b, a - c]
    if t == 5:
        a, b, c = n(3, 12), n(3, 14), n(2, 25)
        stem = f"{p} fills {a} {bx} with {b} {it} each and has {c} {it} left over. How many {it} did {p} start with?"
        return stem, a * b + c, [a * b - c, a + b + c, a * b, a * (b + c)]
    if t == 6:
        a, c, r = n(2, 14), n(2, 10), n(1, 40)
        b = a * c + r
        stem = f"One {it[:-1]} costs {a} coins. {p} pays for {c} with {b} coins. How many coins come back?"
        return stem, r, [b - a, b - c, a * c, b + a * c]
    if t == 7:
        pc, m = rng.choice([5, 10, 15, 20, 25, 30, 40, 60, 75, 80]), n(2, 19) * rng.choice([4, 5, 10, 20])
        if m * pc % 100:
            return None
        stems = [f"{pc} percent of the {m} {it} are red. How many {it} are red?",
                 f"{p} sells {pc} percent of {m} {it}. How many {it} does {p} sell?"]
        return rng.choice(stems), m * pc // 100, [m - m * pc // 100, m * pc // 50, m // 10]
    if t == 8:
        v, h, d = n(6, 30), n(2, 6), n(2, 30)
        stem = f"A cart travels {v} miles an hour for {h} hours and then {d} more miles. How many miles does it go?"
        return stem, v * h + d, [v * h, v * (h - 1) + d, v + h + d, v * h + d + 10]
    if t == 9:
        r = n(8, 95)
        d = n(1, min(40, r - 1))
        stem = f"{p} has {r - d} {it} and {p2} has {r + d}. They share all of them equally. How many {it} does each get?"
        return stem, r, [2 * r, d, r + 2, 2 * d]
    a, c = n(6, 40), n(2, 7)
    b = n(2, a - 2)
    stem = f"Each of {c} children had {a} {it} and lost {b}. How many {it} do they have together?"
    return stem, (a - b) * c, [a * c, a * c - b, a - b, (a + b) * c]
