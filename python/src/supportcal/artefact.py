"""A temperature that `supportcal export` wrote, for use in a program."""

from __future__ import annotations

import json
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from .rows import Floats, Ints, Logits, Rows, apply_temperature


@dataclass(frozen=True)
class Artefact:
    """One temperature for one model on one kind of question; ``document`` is the whole file."""

    target: str
    method: str
    inverse_temperature: float
    document: dict[str, Any]

    @property
    def temperature(self) -> float | None:
        """tau; None where it is infinite, so that every option has 1/K."""
        return None if self.inverse_temperature == 0 else 1 / self.inverse_temperature

    def predict_proba(self, logits: Logits) -> Floats:
        """Calibrated probabilities of N questions, N x max(K)."""
        return apply_temperature(logits, self.inverse_temperature)

    def predict(self, logits: Logits) -> Ints:
        """The model's own answers, which no temperature changes."""
        return Rows(logits).predictions()


def read_artefact(path: str | PathLike[str]) -> Artefact:
    """Reads a calibration artefact; raises ValueError with the file and field where it is none."""
    document = _read_json(path)
    if not isinstance(document, dict) or document.get("kind") != "supportcal-calibration":
        raise ValueError(f"{path}: kind: is no calibration artefact; `supportcal export` writes them")
    if document.get("schemaVersion") != 1:
        raise ValueError(f"{path}: schemaVersion: expected 1, found {document.get('schemaVersion')!r}")
    beta = document.get("inverseTemperature")
    if not isinstance(beta, (int, float)) or isinstance(beta, bool) or not 0 <= beta < float("inf"):
        raise ValueError(f"{path}: inverseTemperature: expected a number of 0 or more, found {beta!r}")
    try:
        target, method = str(document["target"]["id"]), str(document["method"]["name"])
    except (KeyError, TypeError) as error:
        raise ValueError(f"{path}: expected target.id and method.name") from error
    return Artefact(target, method, float(beta), document)


def _read_json(path: str | PathLike[str]) -> Any:
    text = Path(path).read_text(encoding="utf-8-sig")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}: expected a JSON document, but {error}") from error
