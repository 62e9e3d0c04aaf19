"""Runs SupportCal on random imported logits and compares every number of results.json with oracle.py.

python check.py [--rounds 2] [--seed 0] [--keep DIR] [--kinds plain,ties] [--root CHECKOUT]
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np

import curves
import draws
import oracle
from bins import Bins
from diagnostics import check_diagnostics, check_sensitivity
from scenarios import BASES, KINDS, TARGETS, scenario, usable_scores

METHODS = ["vanilla", "own-base-average", "base-confidence", "daca", "full-kl", "relative-only", "supportcal",
           "confidence-matched", "accuracy-matched", "oracle-ts"]
ASKED = ["vanilla", "cape", "cape-log", "cape-consistency", "daca", "supportcal", "cape+daca", "cape+supportcal", "p-true",
         "elicitation", "elicitation-unparsed-wrong", "elicitation-ensemble", "elicitation-ensemble-unparsed-wrong"]
ASKED_KINDS = ["plain", "ties", "two-options", "huge", "d-empty", "a-empty", "m-w-negative", "unlabelled", "gaps", "few"]
ASKED_SUITES = {"asked": ("avg-conf", 0.5), "asked-otherwise": ("consistency", 0)}  # aggregator, least coverage
EXACT = ["calibrationCount", "evaluationCount", "labelledCount", "temperatureKind", "selectedReferences", "ownBase"]
NUMBERS = ["coverage", "weightedBoundaryMargin", "disagreementSupport", "estimatedAccuracy", "disagreementRate", "accuracy", "ownBaseAccuracy",
           "meanConfidence", "overconfidence", "ece", "mce", "rmsCe", "debiasedEce", "debiasedRmsCe", "adaptiveEce",
           "classwiseEce", "brier", "brierReliability", "brierResolution", "brierUncertainty", "brierWithinBinVariance",
           "brierWithinBinCovariance", "nll", "auroc", "aurc", "excessAurc"]


def json_line(example_id, values, label, rng, field="logits"):
    shown = ["null" if math.isnan(v) and rng.random() < 0.5 else json.dumps(v) for v in values]
    tail = "" if label is None and rng.random() < 0.5 else f', "label": {json.dumps(label)}'
    return f'{{"id": {json.dumps(example_id)}, "{field}": [{", ".join(shown)}]{tail}}}'


def write_jsonl(path, rows, labels, rng, shuffle=False, with_labels=True):
    lines = [json_line(i, v, labels[i] if with_labels else None, rng) for i, v in rows.items()]
    if shuffle:
        rng.shuffle(lines)
    path.write_text("\n".join(lines) + "\n", encoding="utf8")


def write_csv(path, rows, labels):
    widest = max(len(v) for v in rows.values())
    lines = ["id,label," + ",".join(f"logit_{k}" for k in range(widest))]
    for i, v in rows.items():
        cells = ["" if labels[i] is None else str(labels[i]), *[repr(x) for x in v], *[""] * (widest - len(v))]
        lines.append(",".join([f'"{i}"', *cells]))
    path.write_text("\r\n".join(lines) + "\r\n", encoding="utf8")


def log_probs(values):
    z = np.array(values)
    return z - z.max() - np.log(np.exp(z - z.max()).sum())


QUESTIONS = """source: {}.jsonl
fields: {{id: id, options: choices, label: {{field: answer, labelBase: 0}}}}
prompt: {{template: "{{question}}\\n{{options}}\\nAnswer:", option: "{{label}}. {{text}}"}}
"""


def write_questions(path, s):
    """Rows of their own for a data set, so that copies are known."""
    options = next(iter(s["rows"].values()))
    lines = [json.dumps({"id": i, "question": f"question {c}", "choices": [f"{c}-{k}" for k in range(len(options[i]))],
                         "answer": s["labels"][i]}) for i, c in s["contents"].items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf8")


def write_world(folder: Path, datasets):
    (folder / "datasets").mkdir(parents=True)
    for name, s in datasets.items():
        (folder / "datasets" / f"{name}.yaml").write_text(f"title: {name}\n" + (QUESTIONS.format(name) if "contents" in s else ""))
        if "contents" in s:
            write_questions(folder / "datasets" / f"{name}.jsonl", s)
    lines = ["models:"]
    lines += [f"  - {{id: {b}, role: base, bucket: small}}" for b in BASES]
    lines += ["  - {id: elsewhere, role: base, bucket: large}"]
    lines += [f"  - {{id: {t}, role: post-trained, base: {b}, bucket: small}}" for t, b in TARGETS.items()]
    sizes = [f"      {name}: {s['sizes']}" for name, s in datasets.items()]
    for suite, methods in {"s": METHODS, **dict.fromkeys(ASKED_SUITES, ASKED)}.items():
        lines += ["suites:"] if suite == "s" else []
        lines += [f"  {suite}:", f"    datasets: [{', '.join(datasets)}]", f"    methods: [{', '.join(methods)}]"]
        lines += ["    combinationSizes:", *sizes]
        if suite in ASKED_SUITES:
            lines += ["    elicitation: {{aggregator: {}, minimumCoverage: {}}}".format(*ASKED_SUITES[suite])]
    (folder / "models.yaml").write_text("\n".join(lines) + "\n")


def run(root, *args, check=(0,)):
    done = subprocess.run(["npx", "tsx", *args], cwd=root, capture_output=True, text=True)
    if done.returncode not in check:
        sys.exit(f"{' '.join(args)}: exit {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
    return done


def places(folder):
    return {"models": str(folder / "models.yaml"), "datasets": str(folder / "datasets"), "cache": str(folder / "cache")}


def flags(folder):
    return [x for k, v in places(folder).items() for x in (f"--{k}", v)]


def import_world(root, folder, jobs, through_cli=0):
    for job in jobs[:through_cli]:
        run(root, "src/main.ts", "import", job["file"], "--model", job["model"], "--dataset", job["dataset"],
            "--unit", job["unit"], *flags(folder))
    (folder / "jobs.json").write_text(json.dumps([{**j, **places(folder)} for j in jobs[through_cli:]]))
    run(root, "bench/oracle/import-all.ts", str(folder / "jobs.json"))


def calibrate(root, folder, *more):
    done = run(root, "src/main.ts", "calibrate", "--suite", "s", "--out", str(folder / "out"), "--json",
               "--bootstrap", str(RESAMPLES), *more, *flags(folder), check=(0, 4))
    results = json.loads((folder / "out" / "results.json").read_text())
    if json.loads(done.stdout)["runs"] != results["runs"]:
        sys.exit("--json and results.json differ")
    return results, json.loads((folder / "out" / "splits.json").read_text())


class Report:
    def __init__(self):
        self.faults, self.worst, self.compared, self.near_ties = [], defaultdict(float), 0, set()

    def number(self, where, field, want, got, tolerance, scale=1.0):
        self.compared += 1
        if want is None or got is None:
            if want is not got:
                self.faults.append(f"{where} {field}: expected {want}, got {got}")
            return
        error = abs(want - got) / scale
        self.worst[field] = max(self.worst[field], error)
        if not error <= tolerance:
            self.faults.append(f"{where} {field}: expected {want!r}, got {got!r} (off by {error:.3g})")

    def exact(self, where, field, want, got):
        self.compared += 1
        if want != got:
            self.faults.append(f"{where} {field}: expected {want!r}, got {got!r}")


def expected_runs(name, s, splits, methods=None, bins=Bins()):
    scores = usable_scores(s)
    out = []
    for target, own in TARGETS.items():
        plan = {"target": target, "ownBase": own, "pool": [b for b in BASES if b != own]}
        for asked in ("rotated", "replies", "truth"):
            if asked in s:
                plan[asked] = s[asked][target]
        plan["aggregator"], plan["minimumCoverage"] = s.get("settings", ("avg-conf", 0.5))
        for seed, split in splits.items():
            for r in oracle.runs_of_split(scores, s["labels"], split, plan, methods or METHODS, s["sizes"], bins):
                out.append({"dataset": name, "seed": int(seed), **r})
    return out


def check_splits(report, name, s, splits):
    ids = {i for rows in s["rows"].values() for i in rows}
    for seed, got in splits.items():
        report.exact(f"{name} seed {seed}", "split", draws.split(ids, int(seed), 0.3, s.get("contents")), got)


KEY = ("dataset", "target", "method", "combinationSize", "seed")
RESAMPLES = 40


def compare(report, datasets, results, splits, bins=Bins()):
    got = {tuple(r[k] for k in KEY): r for r in results["runs"]}
    report.exact("results", "repeated runs", len(results["runs"]), len(got))
    want_all = []
    for name, s in datasets.items():
        check_splits(report, name, s, splits[name])
        want_all += expected_runs(name, s, splits[name], bins=bins)
    report.exact("results", "runs", sorted(map(str, (tuple(r[k] for k in KEY) for r in want_all))),
                 sorted(map(str, got)))
    for want in want_all:
        key = tuple(want[k] for k in KEY)
        if key not in got:
            continue
        where = f"{datasets[key[0]]['kind']} {key}"
        compare_run(report, where, want, got[key])
    summary, macro = oracle.summarise(want_all, TARGETS)
    compare_means(report, summary, results["summary"], ("dataset", "target", "method", "combinationSize"), "seeds")
    compare_means(report, macro, results["macro"], ("dataset", "method", "combinationSize"), "targets")
    return want_all, summary, macro


def compare_run(report, where, want, got):
    # Two combinations whose DS is equal to 12 digits: the tool breaks the tie by id, the enumeration by rounding.
    chosen, ds = want["selectedReferences"], want["disagreementSupport"]
    if ds is not None and chosen != got["selectedReferences"] and abs(ds - got["disagreementSupport"]) <= 1e-12 * ds:
        report.near_ties.add((want["dataset"], want["method"], want["combinationSize"]))
        return
    if (want.get("slack") or {}).get("ece"):  # its means and differences hang on the same bins
        report.near_ties.add((want["dataset"], want["method"], want["combinationSize"]))
    for field in EXACT:
        report.exact(where, field, want[field], got[field])
    tau = want["temperature"]
    report.number(where, "temperature", tau, got["temperature"], 1e-6, scale=abs(tau or 1) or 1)
    for field in NUMBERS:
        slack = (want.get("slack") or {}).get(field, 0.0)
        report.number(where, field, want[field], got[field], 1e-9 + slack, scale=max(1.0, abs(want[field] or 0)))
    if "smoothEce" in want:
        report.number(where, "smoothEce", want["smoothEce"], got["smoothEce"], 1e-9)


def compare_means(report, want, got, key, count):
    table = {tuple(g[k] for k in key): g for g in got}
    report.exact("results", f"{count} rows", len(want), len(got))
    for w in want:
        k = tuple(w[x] for x in key)
        g = table.get(k)
        if g is None:
            report.exact(f"mean {k}", "row", w, None)
            continue
        if (w["dataset"], w["method"], w["combinationSize"]) in report.near_ties:
            continue
        report.exact(f"mean {k}", count, w[count], g[count])
        for field in ("eceMeanPp", "eceSePp"):
            if field in w:
                report.number(f"mean {k}", field, w[field], g[field], 1e-7)


def check_asked(report, root, folder, rng):
    """CAPE and its kin, replies, P(True). Replies cannot be imported, so all go to the calibration of a data set directly."""
    datasets = {f"r{j}-{kind}": scenario(kind, rng) for j, kind in enumerate(ASKED_KINDS)}
    for s in datasets.values():
        s.pop("contents", None)  # known of rows that a data set has itself
    world = folder / "asked"
    write_world(world, datasets)
    for s in datasets.values():
        of_all = lambda make: {t: {i: make(v, s["kind"], rng) for i, v in s["rows"][t].items()} for t in TARGETS}
        s["rows"] = {m: {i: v for i, v in rows.items() if all(map(math.isfinite, v))} for m, rows in s["rows"].items()}
        s["rotated"] = of_all(rotations)
        unreadable = {t: float(rng.choice([0, 0.1, 0.6, 1], p=[0.3, 0.4, 0.2, 0.1])) for t in TARGETS}
        asked = {kind: {t: {i: replies(len(v), samples, unreadable[t], rng) for i, v in s["rows"][t].items()} for t in TARGETS}
                 for kind, samples in (("elicitation", 1), ("elicitation-ensemble", 5))}
        s["replies"] = {t: {kind: asked[kind][t] for kind in asked} for t in TARGETS}
        s["truth"] = {t: {i: v for i, v in rows.items() if rng.random() < 0.95} for t, rows in of_all(truth).items()}
    shown = lambda r: {t: {k: {i: [a and list(a) for a in each] for i, each in rows.items()} for k, rows in kinds.items()}
                       for t, kinds in r.items()}
    given = [{"dataset": n, "models": s["rows"], "rotated": s["rotated"], "labels": s["labels"], "truth": s["truth"],
              "replies": shown(s["replies"])} for n, s in datasets.items()]
    (world / "given.json").write_text(
        json.dumps({"models": str(world / "models.yaml"), "suites": list(ASKED_SUITES), "datasets": given}))
    done = run(root, "bench/oracle/calibrate-asked.ts", str(world / "given.json"))
    for suite, found in json.loads(done.stdout).items():
        check_asked_suite(report, suite, datasets, found)


def check_asked_suite(report, suite, datasets, found):
    got = {tuple(r[k] for k in KEY): r for r in found["runs"]}
    want = []
    for n, s in datasets.items():
        answered = {t: {kind: {i: [a or (None, 0) for a in each] for i, each in rows.items()} for kind, rows in kinds.items()}
                    for t, kinds in s["replies"].items()}
        check_splits(report, n, s, found["splits"][n])
        want += expected_runs(n, {**s, "replies": answered, "settings": ASKED_SUITES[suite]}, found["splits"][n], ASKED)
    report.exact(suite, "runs", sorted(str(tuple(r[k] for k in KEY)) for r in want), sorted(map(str, got)))
    for r in want:
        key = tuple(r[k] for k in KEY)
        if key in got:
            compare_run(report, f"{suite} {datasets[key[0]]['kind']} {key}", r, got[key])
    check_pairs(report, suite, want, found["comparisons"])


def check_pairs(report, suite, runs, comparisons):
    """Methods are compared where both were measured on the same examples of the same seeds, and on more than one."""
    groups = defaultdict(list)
    for r in runs:
        if r["ece"] is not None:
            groups[r["dataset"], r["target"], r["method"], r["combinationSize"]].append(r)
    examples = {k: [(r["seed"], tuple(r["evaluated"])) for r in rs] for k, rs in groups.items()}
    keys = [k for k in groups if len({i for _, ids in examples[k] for i in ids}) > 1]
    want = {(*a, *b[2:]) for n, a in enumerate(keys) for b in keys[:n] if a[:2] == b[:2] and examples[a] == examples[b]}
    got = {(c["dataset"], c["target"], c["methodA"], c["combinationSizeA"], c["methodB"], c["combinationSizeB"])
           for c in comparisons if c["target"] is not None}
    report.exact(suite, "compared pairs", sorted(map(str, want)), sorted(map(str, got)))


def replies(options, samples, unreadable, rng):
    """Answers near one option with round percentages, so that votes and sums tie; None: could not be read."""
    favourite = int(rng.integers(options))
    answer = lambda: favourite if rng.random() < 0.5 else int(rng.integers(options))
    percent = lambda: int(rng.choice([0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 100]))
    return [None if rng.random() < unreadable else (answer(), percent()) for _ in range(samples)]


def truth(row, kind, rng):
    """"Right" and "not right" for each option."""
    return [float(x) for x in np.repeat(row, 2) + rng.normal(size=2 * len(row))]


def rotations(row, kind, rng):
    """K x K logits near a row, one line per order of the options; whole numbers where ties are wanted."""
    turned = np.asarray(row) + rng.normal(size=(len(row), len(row))) * max(1.0, np.abs(row).max() / 3)
    return [[float(x) for x in line] for line in (np.round(turned) if kind == "ties" else turned)]


def round_of(root, folder, rng, report, curves_of):
    datasets = {f"d{j}-{kind}": scenario(kind, rng) for j, kind in enumerate(KINDS)}
    datasets["large"] = scenario("plain", rng, 2000)
    datasets["one"] = scenario("plain", rng, 1)
    jobs = jobs_of(folder, datasets, rng)
    write_world(folder, datasets)
    import_world(root, folder, jobs, through_cli=2)
    results, splits = calibrate(root, folder, "--diagnostics", "full", "--list-combinations")
    runs, summary, macro = compare(report, datasets, results, splits)
    found = json.loads((folder / "out" / "diagnostics.json").read_text())
    for key, rows in results["diagnostics"].items():
        report.exact("results", f"diagnostics {key}", found[key], rows)
    for number, (name, s) in enumerate(datasets.items()):
        curves.check_reliability(report, name, runs, found, report.near_ties)
        curves.check_models(report, name, s, found)
        curves.check_loss(report, name, s, splits[name], TARGETS, BASES, found)
        if not any(t[0] == name for t in report.near_ties):
            curves.check_relative_only(report, name, summary, macro, found)
            if s["n"] <= 300 and (number - curves_of) % 3 == 0:  # slow: every third data set of a round
                curves.check_curves(report, name, s, splits[name], TARGETS, BASES, found, METHODS)
        check_diagnostics(report, name, s, splits[name], TARGETS, BASES, found, report.near_ties)
        if s["n"] <= 300 and not any(t[0] == name for t in report.near_ties):
            every = {**s, "sizes": list(range(1, len(BASES)))}
            check_sensitivity(report, name, expected_runs(name, every, splits[name], ["supportcal"]), found)
    check_asked(report, root, folder, rng)
    return datasets, results


def jobs_of(folder, datasets, rng):
    (folder / "in").mkdir(parents=True)
    jobs = []
    for name, s in datasets.items():
        for model, rows in s["rows"].items():
            path = folder / "in" / f"{name}.{model}.jsonl"
            write_jsonl(path, rows, s["labels"], rng, with_labels=model != "b4")
            jobs.append({"file": str(path), "model": model, "dataset": name, "unit": "logits"})
    return jobs


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def same_results(report, what, want, got, tolerance):
    """Two result files: equal kinds and references, numbers within `tolerance`."""
    table = {tuple(r[k] for k in KEY): r for r in got["runs"]}
    for r in want["runs"]:
        where = f"{what} {tuple(r[k] for k in KEY)}"
        other = table[tuple(r[k] for k in KEY)]
        for field, value in r.items():
            if field == "fitIterations":
                continue
            if is_number(value) and is_number(other[field]) and field not in EXACT:
                report.number(where, field + f" ({what})", value, other[field], tolerance, scale=max(1.0, abs(value)))
            elif field != "temperatureReason":
                report.exact(where, field, value, other[field])


def other_forms(root, folder, datasets, results, rng, report):
    """The same distributions in other files: units, CSV, an offset on every row, another order of lines."""
    names = [n for n, s in datasets.items() if s["kind"] in ("plain", "over-confident", "two-options", "twin-references",
             "unlabelled", "big-ids", "always-right", "ties", "minus-900")]
    part = {n: datasets[n] for n in names}
    # Log-probabilities of tied logits are rounded, so their ties are gone; probability 0 has no logarithm.
    smooth = [n for n in names if datasets[n]["kind"] != "ties"]
    plain = [n for n in smooth if all(np.exp(log_probs(v)).min() > 0 for rows in datasets[n]["rows"].values() for v in rows.values())]
    base = {**results, "runs": [r for r in results["runs"] if r["dataset"] in part]}
    most = {**results, "runs": [r for r in results["runs"] if r["dataset"] in smooth]}
    few = {**results, "runs": [r for r in results["runs"] if r["dataset"] in plain]}
    forms = {"permuted": (part, base, 0.0), "csv": (part, base, 0.0), "offset": (part, base, 1e-9),
             "logprobs": ({n: datasets[n] for n in smooth}, most, 1e-9), "probabilities": ({n: datasets[n] for n in plain}, few, 1e-8)}
    for form, (chosen, want, tolerance) in forms.items():
        where = folder / form
        (where / "in").mkdir(parents=True)
        write_world(where, chosen)
        jobs = []
        for name, s in chosen.items():
            for model, rows in s["rows"].items():
                path = where / "in" / f"{name}.{model}.{'csv' if form == 'csv' else 'jsonl'}"
                new = rows
                if form == "offset":
                    new = {i: [x + 5 for x in v] for i, v in rows.items()}
                elif form == "logprobs":
                    new = {i: [min(0.0, float(x)) for x in log_probs(v)] for i, v in rows.items()}
                elif form == "probabilities":
                    new = {i: [float(x) for x in np.exp(log_probs(v))] for i, v in rows.items()}
                if form == "csv":
                    write_csv(path, new, s["labels"])
                else:
                    write_jsonl(path, new, s["labels"], rng, shuffle=form == "permuted")
                unit = form if form in ("logprobs", "probabilities") else "logits"
                jobs.append({"file": str(path), "model": model, "dataset": name, "unit": unit})
        import_world(root, where, jobs, through_cli=1)
        got, splits = calibrate(root, where)
        same_results(report, form, want, got, tolerance)
        if form == "permuted":
            check_basic(report, where, chosen, splits)
            check_binnings(report, root, where, chosen)


def check_basic(report, folder, datasets, splits):
    """Curves as they are by default."""
    found = json.loads((folder / "out" / "diagnostics.json").read_text())
    for name, s in datasets.items():
        if s["n"] <= 90 or name == "large":
            curves.check_curves(report, name, s, splits[name], TARGETS, BASES, found, METHODS, full=False)


def check_binnings(report, root, folder, datasets):
    small = {n: s for n, s in datasets.items() if s["n"] <= 300}
    names = [x for n in small for x in ("--dataset", n)]
    for bins in (Bins(15, right=True), Bins(7, mass=True), Bins(1), Bins(2, right=True, mass=True)):
        flags = ["--bins", str(bins.count), "--edge-rule", "right-owned" if bins.right else "left-owned",
                 "--bin-edges", "equal-mass" if bins.mass else "equal-width"]
        results, splits = calibrate(root, folder, *names, "--seeds", "6,7", *flags, "--bootstrap", "0")
        compare(report, small, results, splits, bins)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep")
    parser.add_argument("--kinds", help="comma-separated, in place of all: a quick look")
    parser.add_argument("--root", default=str(Path(__file__).resolve().parents[2]))
    options = parser.parse_args()
    report = Report()
    for kinds in (KINDS, ASKED_KINDS) if options.kinds else ():
        kinds[:] = options.kinds.split(",")
    with tempfile.TemporaryDirectory() as temporary:
        for i in range(options.rounds):
            rng = np.random.default_rng(options.seed + i)
            folder = Path(options.keep or temporary) / f"round-{options.seed + i}"
            folder.mkdir(parents=True)
            datasets, results = round_of(options.root, folder, rng, report, options.seed + i)
            if i == 0:
                other_forms(options.root, folder, datasets, results, rng, report)
    for fault in report.faults:
        print(fault)
    print(f"{report.compared} values compared, {len(report.faults)} differ, {len(report.near_ties)} near-tied "
          "selections left out; largest differences:")
    print("  " + ", ".join(f"{k} {v:.2g}" for k, v in sorted(report.worst.items())))
    sys.exit(1 if report.faults else 0)


if __name__ == "__main__":
    main()
