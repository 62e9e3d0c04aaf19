"""Score the shipped weights on the eval split in fp32 and write the tables of the model card.

    python measure.py PREP WEIGHTS_DIR OUT.json --models tern-base,tern-rl,... [--split eval] [--chat]
    python measure.py --table OUT.json

A post-trained model FAMILY-RECIPE is compared with FAMILY-base, which always sees the raw prompt.
"""
import argparse
import json
import os

import torch

import checkpoint
from lean import Lean
from scoring import TASKS, by_task, load_prep, measure, option_log_probabilities


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("paths", nargs="*", metavar="PREP WEIGHTS_DIR OUT.json")
    parser.add_argument("--models", default="")
    parser.add_argument("--split", default="eval")
    parser.add_argument("--chat", action="store_true", help="score chat prompts of post-trained models too")
    parser.add_argument("--table", metavar="OUT.json")
    args = parser.parse_args()
    if args.table:
        print(tables(json.load(open(args.table))))
        return
    prep, folder, out = args.paths
    tokenizer, meta, questions = load_prep(prep)
    split, rows, bases = by_task(questions, args.split), [], {}
    device = "cuda" if torch.cuda.is_available() else "cpu"
    for name in sorted(args.models.split(","), key=lambda n: (not n.endswith("-base"), n)):
        family, recipe = name.split("-", 1)
        lean = Lean(checkpoint.load(os.path.join(folder, name + ".pt"), family, meta["vocab"], device))
        for fmt in ["raw", "chat"] if args.chat and recipe != "base" else ["raw"]:
            for task, qs in split.items():
                logits = option_log_probabilities(lean, tokenizer, qs, fmt)
                bases.setdefault((family, task), logits)
                base = None if recipe == "base" else bases[family, task]
                rows.append({"model": name, "prompt": fmt, "task": task, **measure(logits, qs, base)})
        print(name, flush=True)
    with open(out, "w") as f:
        f.write("[\n" + ",\n".join(" " + json.dumps(row) for row in rows) + "\n]\n")


def tables(rows):
    """Markdown, one table a data set."""
    parts = []
    for task in TASKS:
        lines = ["| model | prompt | accuracy | gain | mean confidence | ECE | disagreement | labelled temperature |",
                 "|---|---|---|---|---|---|---|---|"]
        for r in (r for r in rows if r["task"] == task):
            gain, apart = (f"{r['gain']:+.1f}", f"{r['disagree']:.1f}") if "gain" in r else ("", "")
            lines.append(f"| {r['model']} | {r['prompt']} | {r['acc']:.1f} | {gain} | {r['conf']:.1f} | {r['ece']:.1f} | "
                         f"{apart} | {r['tau']:.1f} |")
        parts.append(f"### demo-{task}\n\n" + "\n".join(lines))
    return "\n\n".join(parts)


if __name__ == "__main__":
    main()
