"""Targets of the study and the halves they belong to. Decided before any logit of the study was looked at.

DESIGN: signs and methods are chosen on these and on nothing else.
HELD-OUT: looked at once, with the list of signs and methods frozen (the commit before says which).
  task     demo "arith" is held out wholly, for every family and recipe
  family   curlew and dunlin are held out as targets (their bases stay references of the others: no labels in that)
  recipe   rl2 (sampled REINFORCE) and dpo3 (gentle DPO) are held out
  shipped  the models of models/demo with their own data sets: other weights, other questions (export-logits.ts)
"""
import gzip, json, os
from dataclasses import dataclass
import numpy as np

FAMILIES = ["tern", "plover", "heron", "curlew", "dunlin"]
TASKS = ["facts", "arith", "sentiment"]
RECIPES = ["rl", "dpo", "sft", "rl2", "pg0", "dpo0", "dpo3", "sft3", "sftw"]
HELD_TASKS, HELD_FAMILIES, HELD_RECIPES = ["arith"], ["curlew", "dunlin"], ["rl2", "dpo3"]


@dataclass
class Target:
    name: str
    part: str          # "design", or why it is held out: "task", "family", "recipe", "shipped", "fresh"
    task: str
    family: str
    z: np.ndarray      # N x K logits of the target
    base: np.ndarray   # N x K logits of its own base
    refs: list         # N x K logits of every other base
    y: np.ndarray      # N labels


def part_of(task, family, recipe):
    if task in HELD_TASKS: return "task"
    if family in HELD_FAMILIES: return "family"
    return "recipe" if recipe in HELD_RECIPES else "design"


def spike_targets(folder):
    """The trial's logits: FAMILY.logits.npz with label, task, k, z_base and z_RECIPE."""
    files = {f: dict(np.load(os.path.join(folder, f"{f}.logits.npz"))) for f in FAMILIES}
    for t, task in enumerate(TASKS):
        for family in FAMILIES:
            for recipe in RECIPES:
                own = files[family]
                rows = own["task"] == t
                k = int(own["k"][rows][0])
                take = lambda f, name: files[f][name][rows][:, :k].astype(float)
                yield Target(f"{task} {family}-{recipe}", part_of(task, family, recipe), task, family,
                             take(family, f"z_{recipe}"), take(family, "z_base"),
                             [take(f, "z_base") for f in FAMILIES if f != family], own["label"][rows].astype(int))


def shipped_targets(path, part="shipped"):
    """The lines of export-logits.ts: {dataset, target, ownBase, labels, targetLogits, ownBaseLogits, references}."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as lines:
        for line in lines:
            row = json.loads(line)
            matrix = lambda m: np.array(m, float)
            yield Target(f"{row['dataset']} {row['target']}", part, row["dataset"], row["target"].split("-")[0],
                         matrix(row["targetLogits"]), matrix(row["ownBaseLogits"]),
                         [matrix(m) for m in row["references"]], np.array(row["labels"]))
