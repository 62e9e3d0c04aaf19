"""Writes test/fixtures/import: small scenarios, the tool's splits, and the oracle's numbers for them.

python make_fixture.py [--root CHECKOUT]   (writes nothing when the tool and the oracle differ)
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

import check

KINDS = ["plain", "ties", "d-empty", "a-empty", "m-w-negative", "constant", "huge", "tiny", "minus-900", "gaps",
         "unlabelled", "twin-references", "huge-disagreement"]
LEFT_OUT = ["labelledCount", "coverage", "estimatedAccuracy"]
COLUMNS = [n for n in [*check.KEY, *check.EXACT, "temperature", *check.NUMBERS] if n not in LEFT_OUT]
MODELS = ["b0", "b1", "b2", "b3", "t0", "t1"]
HERE = Path(__file__).resolve()


def rounded(row):
    return [float(f"{v:.5g}") for v in row]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", default=str(HERE.parents[2]))
    root = parser.parse_args().root
    check.METHODS[:] = ["vanilla", "daca", "full-kl", "relative-only", "supportcal", "oracle-ts"]
    datasets = {}
    for j, kind in enumerate(KINDS):
        s = check.scenario(kind, np.random.default_rng(700 + j), 20)
        rows = {m: {i: rounded(v) for i, v in s["rows"][m].items()} for m in MODELS}
        datasets[kind] = {**s, "sizes": [1, 2], "rows": rows}
    check.BASES[:] = [m for m in MODELS if m.startswith("b")]
    for target in [t for t in check.TARGETS if t not in MODELS]:
        del check.TARGETS[target]
    report = check.Report()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        jobs = check.jobs_of(folder, datasets, np.random.default_rng(1))
        check.write_world(folder, datasets)
        models = (folder / "models.yaml").read_text().split("  asked:\n")[0].replace("  s:\n", "  s:\n    seeds: [1, 2]\n")
        (folder / "models.yaml").write_text(models)
        check.import_world(root, folder, jobs)
        results, splits = check.calibrate(root, folder)
    check.compare(report, datasets, results, splits)
    if report.faults:
        sys.exit("\n".join(report.faults[:50]))
    runs = [r for name, s in datasets.items() for r in check.expected_runs(name, s, splits[name])]
    summary, macro = check.oracle.summarise(runs, check.TARGETS)
    out = HERE.parents[2] / "test" / "fixtures" / "import"
    out.mkdir(parents=True, exist_ok=True)
    (out / "models.yaml").write_text("# Written by bench/oracle/make_fixture.py\n" + models)
    lines = [
        json.dumps({"dataset": name, "model": m, "id": i, "logits": v, "label": s["labels"][i]})
        for name, s in datasets.items() for m, rows in s["rows"].items() for i, v in rows.items()
    ]
    (out / "logits.jsonl").write_text("\n".join(lines) + "\n")
    table = ",\n".join(json.dumps([r[c] for c in COLUMNS]) for r in runs)
    (out / "expected.json").write_text(
        f'{{"columns": {json.dumps(COLUMNS)},\n"splits": {json.dumps(splits)},\n"summary": {json.dumps(summary)},\n'
        f'"macro": {json.dumps(macro)},\n"runs": [\n{table}\n]}}\n')
    print(f"{len(runs)} runs, {report.compared} values compared, {len(lines)} rows")


if __name__ == "__main__":
    main()
