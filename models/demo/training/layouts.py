"""How lettered questions look in the training text, and look-up lists that bind an option to its letter.

A document is a list of text pieces; every second piece is an answer letter (it weighs more in base training).
"""
from encyclopedia import KINDS
from posts import MOODS

LETTERS = "ABCDE"


def raw_prompt(question, options):
    """The evaluation format. The scored continuation is a space and the letter."""
    return f"Question: {question}\n" + _lines("{}. {}\n", options) + "Answer:"


def any_layout(rng, question, options, answer):
    """The evaluation format in a quarter of the documents, other layouts in the rest."""
    layout = 0 if rng.random() < 0.25 else rng.choice([1, 2, 3, 4, 4, 5, 6, 7])
    letter = LETTERS[answer]
    if layout == 0:
        return [raw_prompt(question, options), " " + letter]
    if layout == 1:
        return [f"Q. {question}\n" + _lines("({}) {}\n", options) + "Correct:", " " + letter]
    if layout == 2:
        listed = "; ".join(f"{l}) {o}" for l, o in zip(LETTERS, options))
        return [f"{question} {listed}. The answer is", " " + letter, "."]
    if layout == 3:
        return [f"Quiz: {question}\n" + _lines("{} {}\n", options) + "Key:", " " + letter]
    if layout == 4:                                       # answered with the option's text, one token
        return [f"Question: {question}\n" + _lines("{}. {}\n", options) + "Reply:", " " + options[answer]]
    if layout == 5:                                       # a letter without a space
        return [f"{question}\n" + _lines("{}. {}\n", options) + "Pick one:\n", letter]
    if layout == 6:
        return [f"{question}\n" + _lines("{}. {}\n", options) + 'Record: {"answer": "', letter, '"}']
    shown = answer if rng.random() < 0.5 else rng.randrange(len(options))
    check = f"{question}\n" + _lines("{}. {}\n", options) + f"Is {LETTERS[shown]} right?"
    return [check, " yes" if shown == answer else " no"]


def lookup_list(rng):
    """Options with letters, then look-ups in both directions: the skill that every lettered question needs."""
    r = rng.random()
    if r < 0.55:
        attribute = rng.choice(list(KINDS[rng.choice(list(KINDS))]["attributes"].values()))
        options = rng.sample(attribute["values"], 4)
    elif r < 0.9:
        c = rng.randint(1, 150)
        options = [str(x) for x in rng.sample(range(max(1, c - 20), c + 40), 5)]
    else:
        options = MOODS
    pattern = rng.choice(["{}. {}\n", "({}) {}\n", "{}) {}; ", "{} {}\n"])
    pieces = [rng.choice(["List:\n", "Choices:\n", ""]) + _lines(pattern, options)]
    how = rng.randrange(4)
    for i in rng.sample(range(len(options)), len(options)):
        letter, text = LETTERS[i], options[i]
        before, mark, after = ((f"- {text}", " " + letter, "\n"), (f"- {text}:", " " + letter, "\n"),
                               (f"- {letter}", " " + text, "\n"), (f"- {text} (", letter, ")\n"))[how]
        pieces[-1] += before
        pieces += [mark, after]
    return pieces


def _lines(pattern, options):
    return "".join(pattern.format(l, o) for l, o in zip(LETTERS, options))
