"""Two tasks that no model of this repository was trained on before: number patterns, and forecasts of known odds."""
import math

WEATHER = ["rain", "sunshine", "thunder", "frost"]

# Each sign of the evening moves the odds of tomorrow's weather; the drawn label follows them, so nobody can be always right.
_WEIGHTS = {
    "swallows fly low": (1.1, -0.9, 0.6, -0.5), "swallows fly high": (-0.9, 1.2, -0.3, 0.1),
    "the glass falls": (0.9, -1.0, 1.0, -0.4), "the glass rises": (-0.8, 1.1, -0.8, 0.4),
    "fog lies on the fields": (0.2, 0.3, -0.6, 0.5), "the moon has a ring": (0.9, -0.5, 0.1, -0.1),
    "the stars are sharp": (-0.7, 0.3, -0.6, 1.3), "the hills look near": (1.0, -0.6, 0.5, -0.6),
    "wind comes from the west": (0.9, -0.3, 0.3, -0.8), "wind comes from the east": (-0.7, 0.6, -0.6, 0.8),
    "wind comes from the south": (0.1, 0.3, 0.9, -1.1), "wind comes from the north": (-0.2, -0.1, -0.8, 1.3),
    "the air is heavy": (0.3, -0.5, 1.5, -1.2), "the air is dry": (-0.9, 0.8, -0.7, 0.5),
    "ants close their nests": (0.8, -0.7, 0.9, -0.4), "bees stay out late": (-0.6, 1.0, -0.1, -0.7),
    "the sky is red": (-0.4, 0.9, 0.0, -0.1), "the sky is green": (0.5, -0.7, 1.2, -0.5),
    "smoke sinks": (0.8, -0.6, 0.3, 0.0), "smoke stands straight": (-0.7, 0.8, -0.5, 0.7),
    "cats wash their ears": (0.6, -0.3, 0.2, -0.1), "the ice in the ditch sings": (-0.8, -0.2, -1.0, 1.6),
}
_OVERALL = (0.3, 0.2, -0.2, -0.3)
_LEADS = ["Which weather comes tomorrow when {}?", "{}: what comes tomorrow?", "Tonight {}. What does the morning bring?"]


def forecast_question(rng):
    """(question, four kinds of weather in any order, index of the label)"""
    signs = rng.sample(list(_WEIGHTS), rng.choice([2, 3, 3, 4]))
    scores = [1.3 * (o + sum(_WEIGHTS[s][w] for s in signs)) for w, o in enumerate(_OVERALL)]
    odds = [0.92 * math.exp(s - max(scores)) for s in scores]
    odds = [o / sum(odds) * 0.92 + 0.02 for o in odds]             # 8 % of the labels are drawn at random
    label = rng.choices(WEATHER, odds)[0]
    options = rng.sample(WEATHER, 4)
    return rng.choice(_LEADS).format(" and ".join(signs)), options, options.index(label)


def pattern_question(rng):
    """(question, five numbers below 200, index of the one that continues the row)"""
    while True:
        row, slips = _row(rng)
        if all(0 < x < 200 for x in row):
            break
    right = row[-1]
    options = [x for x in dict.fromkeys(slips) if 0 < x < 200 and x != right]
    near = [right + d for d in (-10, -4, -3, -2, -1, 1, 2, 3, 4, 5, 10) if 0 < right + d < 200]
    rng.shuffle(options)
    rng.shuffle(near)
    options = list(dict.fromkeys(options[:rng.choice([1, 2, 2, 3])] + near))
    options = [x for x in options if x != right][:4] + [right]
    rng.shuffle(options)
    lead = rng.choice(["Which number comes next: {}?", "How does the row go on: {}?"])
    return lead.format(", ".join(map(str, row[:-1]))), [str(x) for x in options], options.index(right)


def _row(rng):
    """Five numbers by one of six rules, and what wrong rules would give as the fifth."""
    rule, start, step = rng.randrange(6), rng.randint(1, 60), rng.randint(2, 12)
    if rule == 0:
        row = [start + step * i for i in range(5)]
        slips = [row[3] + step + 1, row[3] + 1, row[3] + 2 * step]
    elif rule == 1:
        row = [start + 90 - step * i for i in range(5)]
        slips = [row[3] + step, row[3] - 1, row[3] - 2 * step]
    elif rule == 2:                                                # the step grows by one
        row = [start + step * i + i * (i - 1) // 2 for i in range(5)]
        slips = [2 * row[3] - row[2], row[4] + 1, row[3] + step]
    elif rule == 3:                                                # two steps in turn
        other = rng.randint(2, 12)
        row = [start, start + step, start + step + other, start + 2 * step + other, start + 2 * (step + other)]
        slips = [row[3] + step, row[3] + step + other, 2 * row[3] - row[1]]
    elif rule == 4:                                                # each is the sum of the two before it
        row = [rng.randint(1, 14), rng.randint(1, 14)]
        while len(row) < 5:
            row.append(row[-1] + row[-2])
        slips = [2 * row[3], row[3] + row[1], 2 * row[3] - row[2]]
    else:                                                          # doubled, less or more a little
        row, less = [rng.randint(2, 11)], rng.choice([0, 0, 1, -1])
        while len(row) < 5:
            row.append(2 * row[-1] - less)
        slips = [2 * row[3], row[3] + row[2], 2 * row[3] - row[2]]
    return row, slips
