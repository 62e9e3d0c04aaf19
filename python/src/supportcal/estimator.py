"""The same fit in the manner of scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping

from .calibrate import Calibration, calibrate
from .rows import Floats, Ints, Logits, Rows, apply_temperature


class SupportCal:
    """``SupportCal().fit(target, own_base, references).predict_proba(new_logits)``.

    method: one of ``METHODS``. combination_size: M, the number of references that are chosen.
    """

    #: Set by ``fit``.
    calibration_: Calibration

    def __init__(self, method: str = "supportcal", combination_size: int = 1) -> None:
        self.method = method
        self.combination_size = combination_size

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """The settings, as scikit-learn asks for them."""
        return {"method": self.method, "combination_size": self.combination_size}

    def set_params(self, **settings: object) -> SupportCal:
        """Changes settings, as scikit-learn does it."""
        for name, value in settings.items():
            if name not in self.get_params():
                raise ValueError(f"unknown setting {name}; known: method, combination_size")
            setattr(self, name, value)
        return self

    def fit(
        self,
        target: Logits,
        own_base: Logits,
        references: Mapping[str, Logits] | None = None,
        labels: Ints | None = None,
    ) -> SupportCal:
        """Fits the temperature; only ``oracle-ts`` reads labels."""
        self.calibration_ = calibrate(
            target,
            own_base,
            references,
            method=self.method,
            combination_size=self.combination_size,
            labels=labels,
        )
        return self

    def predict_proba(self, logits: Logits) -> Floats:
        """Calibrated probabilities, N x max(K). Raises where the fit has no temperature."""
        beta = self.calibration_.temperature.inverse_temperature
        if beta is None:
            raise ValueError(f"there is no temperature: {self.calibration_.temperature.reason}")
        return apply_temperature(logits, beta)

    def predict(self, logits: Logits) -> Ints:
        """The model's own answers, which no temperature changes."""
        return Rows(logits).predictions()
