"""The rule `auto`, as src/calibration has it: a temperature without labels, and one with a few."""
import numpy as np
from fits import confidence_fit, softmax
from signs import base_confidence, gain_mass

# Fixed on the trial's 135 targets (auto_design.py), before any target of judge.py was looked at.
GAIN_FACTOR = 1.5              # references are unsure: their probabilities understate what they know of the gain
LABEL_SCALE = 0.1              # of the Cauchy law of ln(best temperature / auto)
GRID = np.linspace(np.log(0.05), np.log(400), 600)


def auto(split):
    """ln temperature at which the mean confidence is the own base's plus GAIN_FACTOR times the references' gain."""
    gain = gain_mass(split) if split.pr else 0.0
    accuracy = min(base_confidence(split) + GAIN_FACTOR * gain, 1 - 1e-9)
    beta = confidence_fit(split.z, accuracy) if accuracy > 1 / split.k else 0.0
    return float(np.clip(-np.log(max(beta, 1e-300)), GRID[0], GRID[-1]))


def log_likelihood(z, y):
    """Of every temperature of GRID, on labelled rows."""
    d = z - z.max(1, keepdims=True)
    beta = np.exp(-GRID)[:, None]
    norms = np.log(np.exp(beta[:, :, None] * d[None]).sum(2))
    return (beta * d[np.arange(len(y)), y][None] - norms).sum(1)


def with_labels(prior, likelihood):
    """Posterior mean of ln temperature: a Cauchy law around `prior`, and the likelihood of the labels there are."""
    log = likelihood - np.log1p(((GRID - prior) / LABEL_SCALE) ** 2)
    weight = np.exp(log - log.max())
    return float(weight @ GRID / weight.sum())
