"""Greedy replies of post-trained models to dev questions: does the structured answer parse, is it right, does it stop?

    python check_generation.py PREP WEIGHTS.pt [WEIGHTS.pt ...] [--count 60] [--out FILE.json]

Prints and writes, for each model and prompt format, the share of replies that are exactly one JSON object with a
listed letter and a confidence 0 to 100 and end with <|im_end|>; accuracy and mean confidence of the parsed ones;
the share of chat letter replies that are one listed letter; accuracy of yes/no checks.
"""
import argparse
import json
import os
import random
import re

import torch

import checkpoint
from layouts import LETTERS
from lean import Lean
from prompts import END, json_prompts, letter_prompts, truth_prompts
from scoring import by_task, encode, load_prep, pad

REPLY = re.compile(r'\s*\{"answer": "([A-E])", "confidence": (\d{1,3})\}' + re.escape(END))
LONGEST = 20                                       # tokens of a reply


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("prep")
    parser.add_argument("weights", nargs="+")
    parser.add_argument("--count", type=int, default=60, help="questions a task")
    parser.add_argument("--out")
    args = parser.parse_args()
    torch.set_grad_enabled(False)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tokenizer, meta, questions = load_prep(args.prep)
    dev = by_task(questions, "dev")
    report = {}
    for path in args.weights:
        name = os.path.basename(path).removesuffix(".pt")
        lean = Lean(checkpoint.load(path, name.split("-")[0], meta["vocab"], device))
        report[name] = {task: check(lean, tokenizer, qs[:args.count]) for task, qs in dev.items()}
        print(name, json.dumps(report[name]), flush=True)
    if args.out:
        with open(args.out, "w") as f:
            json.dump(report, f, indent=1)


def check(lean, tokenizer, questions):
    out = {}
    for fmt in ("raw", "raw-bare", "chat"):
        replies = greedy(lean, tokenizer, [json_prompts(q["question"], q["options"])[fmt][0] for q in questions])
        parsed = [(q, m[1], int(m[2])) for q, m in zip(questions, map(REPLY.fullmatch, replies))
                  if m and m[1] in LETTERS[:len(q["options"])] and int(m[2]) <= 100]
        out[f"json {fmt}"] = {"parsed": percent(len(parsed), len(questions)),
                              "right": percent(sum(LETTERS[q["answer"]] == a for q, a, _ in parsed), len(parsed)),
                              "confidence": round(sum(c for _, _, c in parsed) / max(1, len(parsed)), 1)}
    replies = greedy(lean, tokenizer, [letter_prompts(q["question"], q["options"])["chat"][0] for q in questions])
    good = [r in [letter + END for letter in LETTERS[:len(q["options"])]] for q, r in zip(questions, replies)]
    out["chat letter"] = percent(sum(good), len(good))
    rng = random.Random(1)
    proposed = [q["answer"] if rng.random() < 0.5 else rng.randrange(len(q["options"])) for q in questions]
    for fmt in ("raw", "chat"):
        replies = greedy(lean, tokenizer, [truth_prompts(q["question"], q["options"], p)[fmt][0]
                                           for q, p in zip(questions, proposed)])
        good = [r.strip() == ("yes" if p == q["answer"] else "no") + END for q, p, r in zip(questions, proposed, replies)]
        out[f"truth {fmt}"] = percent(sum(good), len(good))
    return out


def greedy(lean, tokenizer, prompts):
    """Most likely continuations, up to the end of the turn, with special tokens written out."""
    rows, end = encode(tokenizer, prompts), tokenizer.token_to_id(END)
    starts, live, device = [len(r) for r in rows], set(range(len(rows))), lean.model.device
    for _ in range(LONGEST):
        part = sorted(live)
        if not part:
            break
        last = torch.tensor([len(rows[i]) - 1 for i in part], device=device)
        ids = pad([rows[i] for i in part]).to(device)
        best = lean.logits_at(ids, torch.arange(len(part), device=device), last).argmax(-1).tolist()
        for i, token in zip(part, best):
            rows[i].append(token)
            if token == end:
                live.discard(i)
    return [tokenizer.decode(r[s:], skip_special_tokens=False) for r, s in zip(rows, starts)]


def percent(part, whole):
    return round(100 * part / max(1, whole), 1)


if __name__ == "__main__":
    main()
