"""What a run wrote."""

from __future__ import annotations

from os import PathLike
from typing import Any

from .artefact import _read_json


def read_results(path: str | PathLike[str]) -> dict[str, Any]:
    """results.json of a run as a dictionary; raises ValueError with the file where it is none."""
    document = _read_json(path)
    if not isinstance(document, dict) or not isinstance(document.get("runs"), list):
        raise ValueError(f"{path}: is no results.json of a run: it has no list of runs")
    return document
