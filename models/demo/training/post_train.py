"""Post-train one family by the recipes: SFT, DPO or policy gradient on the answer letter, always mixed with reply SFT.

    python post_train.py PREP OUT FAMILY [--recipes FILE] [--only dpo,rl] [--limit STEPS]

reads OUT/FAMILY-base.pt, writes OUT/FAMILY-RECIPE.pt and OUT/FAMILY-RECIPE.json (measures on the dev split).
A recipe starts from the base or from another recipe's weights. `n` questions of facts, arithmetic, sentiment.
"""
import argparse
import copy
import json
import os
import time

import numpy as np
import torch
import torch.nn.functional as F

import checkpoint
from families import FAMILIES
from lean import Lean
from post_items import LetterItems, ReplyItems
from scoring import TASKS, by_task, load_prep, measure, option_log_probabilities

LETTER_BATCH, REPLY_BATCH = 128, 64
REPLY_WEIGHT, WARM_UP = 0.5, 20


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("prep")
    parser.add_argument("out")
    parser.add_argument("family", choices=FAMILIES)
    parser.add_argument("--recipes", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "recipes.json"))
    parser.add_argument("--only")
    parser.add_argument("--limit", type=int, default=10 ** 9)
    args = parser.parse_args()
    recipes = json.load(open(args.recipes))
    tokenizer, meta, questions = load_prep(args.prep)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    dev = by_task(questions, "dev")
    path = os.path.join(args.out, args.family + "-{}.pt").format

    def load(name):
        return checkpoint.load(path(name), args.family, meta["vocab"], device)

    base = {t: option_log_probabilities(Lean(load("base")), tokenizer, qs) for t, qs in dev.items()}
    for name in args.only.split(",") if args.only else recipes:
        began, model = time.time(), load(recipes[name]["start"])
        steps = post_train(model, recipes[name], tokenizer, by_task(questions, "train"), FAMILIES[args.family]["seed"],
                           args.limit)
        checkpoint.round_to_half(model)
        checkpoint.save(model, path(name))
        lean = Lean(model)
        log = {fmt: {t: measure(option_log_probabilities(lean, tokenizer, qs, fmt), qs, base[t])
                     for t, qs in dev.items()} for fmt in ("raw", "chat", "chat-bare")}
        with open(path(name)[:-3] + ".json", "w") as f:
            json.dump({"family": args.family, "recipe": name, **recipes[name], "steps": steps, "dev": log}, f)
        print(args.family, name, steps, "steps", round(time.time() - began), "s", json.dumps(log), flush=True)


def post_train(model, recipe, tokenizer, pool, seed, limit):
    """Train in place; the number of steps follows from the recipe alone."""
    device, rng = model.device, np.random.default_rng(seed + 1)
    torch.manual_seed(seed + 1)
    chosen, repeats = [], []
    for t, n, times in zip(TASKS, recipe["n"], recipe.get("repeat", [1, 1, 1])):
        chosen += [pool[t][i] for i in rng.permutation(len(pool[t]))[:n]]
        repeats += [times] * n
    letters, replies = LetterItems(tokenizer, chosen, seed), ReplyItems(tokenizer, chosen, seed)
    epoch = np.repeat(np.arange(len(chosen)), repeats)
    steps = min(limit, int(recipe["epochs"] * len(epoch) / LETTER_BATCH))
    order = np.concatenate([rng.permutation(epoch) for _ in range(int(recipe["epochs"]) + 1)])
    reply_order = rng.integers(0, len(chosen), steps * REPLY_BATCH)
    adam = torch.optim.AdamW(model.parameters(), lr=recipe["rate"], betas=(.9, .98), weight_decay=0.0)
    lean = Lean(model)
    reference = Lean(copy.deepcopy(model).requires_grad_(False)) if recipe["kind"] != "sft" else None
    for step in range(steps):
        for group in adam.param_groups:
            group["lr"] = recipe["rate"] * min(1, (step + 1) / WARM_UP) * (1 - step / steps)
        ask = letters.batch(torch.tensor(order[step * LETTER_BATCH:(step + 1) * LETTER_BATCH]))
        reply = replies.batch(torch.tensor(reply_order[step * REPLY_BATCH:(step + 1) * REPLY_BATCH]))
        ask, reply = [x.to(device) for x in ask], [x.to(device) for x in reply]
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            loss = letter_loss(lean, reference, recipe, *ask) + REPLY_WEIGHT * reply_loss(lean, *reply)
        adam.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adam.step()
    return steps


def letter_loss(lean, reference, recipe, ids, last, letters, answer, options):
    """The recipe's loss on the letter, and plain SFT on the end of the turn after the right letter."""
    rows = torch.arange(len(ids), device=ids.device)
    hidden = lean.hidden(ids)
    logp = torch.log_softmax(lean.logits(hidden[rows, last]).float(), -1)
    after = lean.logits(hidden[rows, last + 1]).float()
    ending = F.cross_entropy(after, ids[rows, last + 2])
    right = logp[rows, letters[rows, answer]]
    if recipe["kind"] == "sft":
        return -right.mean() + 0.2 * ending
    with torch.no_grad():
        ref = torch.log_softmax(reference.logits_at(ids, rows, last), -1)
    if recipe["kind"] == "pg":                           # exact policy gradient of a 0/1 reward, with a KL penalty
        kl = (logp.exp() * (logp - ref)).sum(-1)
        return -right.exp().mean() + recipe["kl"] * kl.mean() + 0.2 * ending
    wrong = (answer + 1 + (torch.rand(len(ids), device=ids.device) * (options - 1)).long()) % options
    chosen, refused = letters[rows, answer], letters[rows, wrong]
    margin = (right - ref[rows, chosen]) - (logp[rows, refused] - ref[rows, refused])
    preference = -F.logsigmoid(recipe["beta"] * margin).mean()
    return preference - recipe["anchor"] * right.mean() + 0.2 * ending     # the anchor keeps the mass on the letters


def reply_loss(lean, ids, rows, positions, weights):
    """Weighted SFT on the tokens of structured answers and yes/no replies."""
    logits = lean.logits_at(ids, rows, positions)
    return (F.cross_entropy(logits, ids[rows, positions + 1], reduction="none") * weights).sum() / weights.sum()


if __name__ == "__main__":
    main()
