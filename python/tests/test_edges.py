"""What has no temperature, and what is refused."""

import hashlib
import json

import numpy as np
import pytest

from supportcal import apply_temperature, calibrate, ece, read_artefact, read_entry, read_results, reliability


def test_a_base_that_prefers_other_answers_gives_an_infinite_temperature():
    found = calibrate([[2.0, 0.0], [1.0, 0.0]], [[0.0, 3.0], [0.0, 2.0]], method="full-kl")
    assert (found.temperature.kind, found.temperature.inverse_temperature) == ("infinite", 0.0)


def test_nothing_agreed_on_gives_no_temperature_for_daca():
    found = calibrate([[2.0, 0.0]], [[0.0, 3.0]], method="daca")
    assert (found.temperature.kind, found.temperature.reason) == ("none", "no-examples")


def test_right_answers_alone_are_separable():
    found = calibrate([[2.0, 0.0]], [[2.0, 1.0]], method="oracle-ts", labels=np.array([0]))
    assert (found.temperature.kind, found.temperature.reason) == ("none", "separable")


def test_rows_that_a_model_is_certain_of_take_part_in_no_fit():
    z, v = [[2.0, 0.0], [1.0, -1.0]], [[1.0, 0.0], [0.5, 0.0]]
    with_certain = calibrate([*z, [0.0, -np.inf]], [*v, [1.0, 0.0]], method="full-kl")
    assert with_certain.left_out == 1
    assert with_certain.temperature == calibrate(z, v, method="full-kl").temperature


def test_an_infinite_temperature_gives_every_option_the_same():
    assert apply_temperature([[5.0, 1.0, -2.0]], 0) == pytest.approx(np.full((1, 3), 1 / 3))


@pytest.mark.parametrize(
    ("logits", "message"),
    [([], "at least one row"), ([[1.0]], "1 options"), ([[1.0, float("nan")]], "row 0"), ([[1.0, np.inf]], "row 0")],
)
def test_strange_logits_are_refused(logits, message):
    with pytest.raises(ValueError, match=message):
        apply_temperature(logits, 1)


def test_wrong_names_and_shapes_are_refused():
    with pytest.raises(ValueError, match="unknown method"):
        calibrate([[1.0, 0.0]], [[1.0, 0.0]], method="other")
    with pytest.raises(ValueError, match="own_base: its rows differ"):
        calibrate([[1.0, 0.0]], [[1.0, 0.0, 2.0]], method="daca")
    with pytest.raises(ValueError, match="from 1 to 0"):
        calibrate([[1.0, 0.0]], [[1.0, 0.0]])


def test_bins_own_their_left_edge():
    found = reliability([0.0, 0.1, 0.2, 1.0], [1, 0, 1, 1])
    assert [each.count for each in found] == [1, 1, 1, 0, 0, 0, 0, 0, 0, 1]
    assert ece([0.75, 0.75], [1, 0]) == pytest.approx(0.25)
    with pytest.raises(ValueError, match="at least one"):
        ece([], [])


def test_an_artefact_is_read_and_applied(tmp_path):
    file = tmp_path / "a.json"
    document = {
        "kind": "supportcal-calibration",
        "schemaVersion": 1,
        "inverseTemperature": 0.5,
        "target": {"id": "t"},
        "method": {"name": "daca"},
    }
    file.write_text(json.dumps(document))
    artefact = read_artefact(file)
    assert (artefact.target, artefact.method, artefact.temperature) == ("t", "daca", 2.0)
    assert artefact.predict_proba([[2.0, 0.0]]) == pytest.approx(apply_temperature([[1.0, 0.0]], 1))
    for change, message in [({"kind": "x"}, "kind"), ({"schemaVersion": 2}, "found 2"), ({"inverseTemperature": -1}, "found -1")]:
        file.write_text(json.dumps({**document, **change}))
        with pytest.raises(ValueError, match=message):
            read_artefact(file)


def test_results_without_runs_are_refused(tmp_path):
    file = tmp_path / "results.json"
    file.write_text('{"runs": []}')
    assert read_results(file) == {"runs": []}
    file.write_text("[]")
    with pytest.raises(ValueError, match="no results.json"):
        read_results(file)


def test_an_entry_of_the_cache_is_read_and_a_changed_one_refused(tmp_path):
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"id": ["q1", "q2"], "logits": pa.array([[1.0, 2.0], None], pa.list_(pa.float32())), "status": ["ok", "failed"]})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    content = sink.getvalue().to_pybytes()
    (tmp_path / "e.arrow").write_bytes(content)
    manifest = {"arrowFile": "e.arrow", "checksum": hashlib.sha256(content).hexdigest(), "model": "m", "dataset": "d"}
    (tmp_path / "e.json").write_text(json.dumps(manifest))
    entry = read_entry(tmp_path / "e.json")
    ids, logits = entry.usable()
    assert (entry.model, ids, logits[0].tolist()) == ("m", ["q1"], [1.0, 2.0])
    (tmp_path / "e.arrow").write_bytes(content[:-1] + b"x")
    with pytest.raises(ValueError, match="the manifest says"):
        read_entry(tmp_path / "e.json")
