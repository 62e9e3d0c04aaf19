"""The numbers of the TypeScript project, within 1e-12."""

import json
from pathlib import Path

import numpy as np
import pytest

from supportcal import SupportCal, apply_temperature, calibrate, ece

CASES = json.loads((Path(__file__).parent / "fixtures.json").read_text())["cases"]
CLOSE = 1e-12


@pytest.mark.parametrize("case", CASES)
def test_every_method_finds_the_same_temperature(case):
    for outcome in case["outcomes"]:
        found = calibrate(
            case["target"],
            case["ownBase"],
            case["references"],
            method=outcome["method"],
            combination_size=outcome["combinationSize"] or 1,
            labels=np.array(case["labels"]),
        )
        where = (outcome["method"], outcome["combinationSize"])
        assert found.temperature.kind == outcome["kind"], where
        assert found.disagreements == case["disagreementCount"], where
        assert list(found.references or []) == (outcome["selectedReferences"] or []), where
        if outcome["disagreementSupport"] is not None:
            assert found.disagreement_support == pytest.approx(outcome["disagreementSupport"], rel=CLOSE), where
        if outcome["inverseTemperature"] is not None:
            assert found.temperature.inverse_temperature == pytest.approx(outcome["inverseTemperature"], rel=CLOSE), where
        if outcome["margin"] is not None:
            assert found.temperature.weighted_boundary_margin == pytest.approx(outcome["margin"], rel=CLOSE, abs=1e-13)


@pytest.mark.parametrize("case", CASES)
def test_probabilities_and_ece_are_the_same(case):
    for row, expected in zip(case["target"], case["probabilities"]):
        assert apply_temperature([row], 0.37)[0] == pytest.approx(expected, rel=CLOSE)
    raw = apply_temperature(case["target"], 1)
    right = [int(np.argmax(row)) == label for row, label in zip(case["target"], case["labels"])]
    assert ece(raw.max(axis=1), right) == pytest.approx(case["ece"], rel=CLOSE)


def test_the_estimator_is_the_same_fit():
    case = CASES[0]
    model = SupportCal(combination_size=2).fit(case["target"], case["ownBase"], case["references"])
    one = calibrate(case["target"], case["ownBase"], case["references"], combination_size=2)
    assert model.calibration_ == one
    q = model.predict_proba(case["target"])
    assert q.sum(axis=1) == pytest.approx(np.ones(len(q)))
    assert (q.argmax(axis=1) == model.predict(case["target"])).all()
    assert SupportCal(**model.get_params()).get_params() == model.get_params()
