"""The paper's label-free methods on arrays in memory."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .fit import Temperature, fit_temperature
from .rows import Flags, Floats, Ints, Logits, Rows

#: Methods that this package fits, in the order of the report's columns. Only ``oracle-ts`` reads labels.
METHODS = ("vanilla", "daca", "full-kl", "relative-only", "supportcal", "oracle-ts")


@dataclass(frozen=True)
class Calibration:
    """A fitted temperature with what it was fitted on."""

    method: str
    temperature: Temperature
    #: Questions that the fit could use, and those of them on which target and own base disagree.
    examples: int
    disagreements: int
    #: S* of Eq. (selector) in id order; None: the method chooses none, or nothing is disagreed on.
    references: tuple[str, ...] | None
    #: DS(S*) of Eq. (ds).
    disagreement_support: float | None
    #: Questions left out of the fit, since some model gives an option the probability 0.
    left_out: int


def calibrate(
    target: Logits,
    own_base: Logits,
    references: Mapping[str, Logits] | None = None,
    *,
    method: str = "supportcal",
    combination_size: int = 1,
    labels: Ints | None = None,
) -> Calibration:
    """Fits one temperature to a post-trained model.

    target, own_base: N rows of option logits (or log-probabilities) of the model and of its pretrained base.
    references: the same rows by other pretrained models, by id; ``supportcal`` needs ``combination_size`` or more.
    labels: N indexes of the right options, -1 where unknown; read by ``oracle-ts`` alone.
    """
    if method not in METHODS:
        raise ValueError(f'method: unknown method "{method}"; known: {", ".join(METHODS)}')
    pool = {name: Rows(rows, f"reference {name}") for name, rows in (references or {}).items()}
    z, v = Rows(target, "target"), Rows(own_base, "own_base")
    for name, rows in {"own_base": v, **{f"reference {name}": rows for name, rows in pool.items()}}.items():
        if not rows.same_shape(z):
            raise ValueError(f"{name}: its rows differ in number or in options from those of the target")
    if method == "vanilla":
        return Calibration(method, Temperature("finite", 1.0, 1.0), len(z.values), _differ(z, v), None, None, 0)
    fittable = z.finite & v.finite
    for rows in pool.values():
        fittable = fittable & rows.finite
    left_out = int((~fittable).sum())
    z, v = z.take(fittable), v.take(fittable)
    pool = {name: rows.take(fittable) for name, rows in pool.items()}
    chosen: tuple[str, ...] | None = None
    support: float | None = None
    if len(z.values) == 0:
        fitted = Temperature("none", None, None, None, "no-examples")
        return Calibration(method, fitted, 0, 0, None, None, left_out)
    if method == "oracle-ts":
        fitted = _fit_labels(z, labels if labels is None else np.asarray(labels)[fittable])
    else:
        weights, chosen, support = _log_weights(method, z, v, pool, combination_size)
        fitted = fit_temperature(z.gaps(), z.present, _log_softmax(v), weights)
    return Calibration(method, fitted, len(z.values), _differ(z, v), chosen, support, left_out)


def _differ(z: Rows, v: Rows) -> int:
    return int((z.predictions() != v.predictions()).sum())


def _log_softmax(rows: Rows) -> Floats:
    gaps = rows.gaps()
    totals = np.log(np.where(rows.present, np.exp(gaps), 0.0).sum(axis=1, keepdims=True))
    return np.asarray(gaps - totals)


def _fit_labels(z: Rows, labels: Ints | None) -> Temperature:
    if labels is None or not (labels >= 0).any():
        return Temperature("none", None, None, None, "no-labels")
    known = labels >= 0
    if (labels[known] >= z.counts[known]).any():
        raise ValueError("labels: expected an index of an option, or -1 for none")
    rows = z.take(known)
    teacher = np.full(rows.values.shape, -np.inf)
    teacher[np.arange(len(rows.values)), labels[known]] = 0.0
    return fit_temperature(rows.gaps(), rows.present, teacher, np.zeros(len(rows.values)))


def _log_relative_support(rows: Rows, predictions: Ints) -> Floats:
    """ln u_n of Eq. (relsupport): how far the model's logit of the prediction is below its largest one."""
    at = rows.values[np.arange(len(predictions)), predictions]
    return np.asarray(at - rows.values.max(axis=1))


def _log_weights(
    method: str, z: Rows, v: Rows, pool: Mapping[str, Rows], size: int
) -> tuple[Floats, tuple[str, ...] | None, float | None]:
    """ln w_n of Eq. (weights), with S* and DS(S*) where the method chooses references."""
    predictions = z.predictions()
    differs: Flags = predictions != v.predictions()
    none = np.zeros(len(predictions))
    if method == "full-kl":
        return none, None, None
    if method == "daca":
        return np.where(differs, -np.inf, 0.0), None, None
    own = np.where(differs, _log_relative_support(v, predictions), 0.0)
    if method == "relative-only":
        return own, None, None
    if not 1 <= size <= len(pool):
        raise ValueError(
            f"combination_size: expected a whole number from 1 to {len(pool)}, the number of references, not {size}"
        )
    if not differs.any():
        return own, None, None
    log_supports = {name: _log_relative_support(rows, predictions) for name, rows in pool.items()}
    means = {name: math.fsum(np.exp(each[differs])) / int(differs.sum()) for name, each in log_supports.items()}
    # Means that are equal to 12 significant digits are a tie, which the lower id wins.
    ranked = sorted(means, key=lambda name: (-float(f"{means[name]:.11e}"), name))
    chosen = tuple(sorted(ranked[:size]))
    logs = np.stack([log_supports[name] for name in chosen])
    top = logs.max(axis=0)
    corroboration = top + np.log(np.exp(logs - top).sum(axis=0)) - math.log(size)
    support = math.fsum(means[name] for name in chosen) / size
    return np.where(differs, own + corroboration, 0.0), chosen, support
