"""Temperatures of SupportCal in Python: apply what was fitted, read what a run wrote, fit on arrays in memory.

The numbers are those of the TypeScript project: both sides meet one table of fixtures to 1e-12.
"""

from .artefact import Artefact, read_artefact
from .cache import CacheEntry, read_entry
from .calibrate import METHODS, Calibration, calibrate
from .estimator import SupportCal
from .fit import Temperature
from .metrics import Bin, ece, reliability
from .results import read_results
from .rows import apply_temperature

__all__ = [
    "METHODS",
    "Artefact",
    "Bin",
    "CacheEntry",
    "Calibration",
    "SupportCal",
    "Temperature",
    "apply_temperature",
    "calibrate",
    "ece",
    "read_artefact",
    "read_entry",
    "read_results",
    "reliability",
]
