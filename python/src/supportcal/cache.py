"""Tables of scores in the cache folder; needs pyarrow (`pip install 'supportcal[cache]'`)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from .artefact import _read_json
from .rows import Floats


@dataclass(frozen=True)
class CacheEntry:
    """Scores of one model on one data set. A failed row has no logits."""

    model: str
    dataset: str
    ids: list[str]
    logits: list[Floats | None]
    manifest: dict[str, Any]

    def usable(self) -> tuple[list[str], list[Floats]]:
        """Ids and logits of the rows that were scored."""
        found = [(row, each) for row, each in zip(self.ids, self.logits) if each is not None]
        return [row for row, _ in found], [each for _, each in found]


def read_entry(manifest: str | PathLike[str]) -> CacheEntry:
    """Reads an entry by its manifest (`cache/NAME.json`); a file that is not the one it names is refused."""
    import pyarrow as pa

    document = _read_json(manifest)
    if not isinstance(document, dict) or "arrowFile" not in document:
        raise ValueError(f"{manifest}: is no manifest of a cache entry")
    file = Path(manifest).parent / Path(str(document["arrowFile"])).name
    content = file.read_bytes()
    checksum = hashlib.sha256(content).hexdigest()
    if checksum != document.get("checksum"):
        raise ValueError(f"{file}: its sha256 is {checksum}, but the manifest says {document.get('checksum')}")
    table = pa.ipc.open_file(pa.BufferReader(content)).read_all()
    status, logits = table.column("status").to_pylist(), table.column("logits").to_pylist()
    rows = [
        None if state == "failed" or values is None or len(values) == 0 else np.asarray(values, dtype=np.float64)
        for state, values in zip(status, logits)
    ]
    return CacheEntry(str(document["model"]), str(document["dataset"]), table.column("id").to_pylist(), rows, document)
