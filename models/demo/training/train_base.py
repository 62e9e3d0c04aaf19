"""Train one base family from scratch: next-token loss, fixed seed, fixed number of steps (a GPU is needed in practice).

    python train_base.py PREP OUT FAMILY [--steps N]

writes OUT/FAMILY-base.pt (fp16 weights) and OUT/FAMILY-base.json (log and measures on the dev split).
"""
import argparse
import json
import math
import os
import time

import numpy as np
import torch
import torch.nn.functional as F

import checkpoint
from families import FAMILIES, build, start_weights
from lean import Lean
from muon import Muon
from scoring import by_task, load_prep, measure, option_log_probabilities
from stream import token_stream

BATCH, CONTEXT = 64, 160
RATE, WARM_UP = 3e-3, 300
LETTER_WEIGHT, LATER_WEIGHT, LATER = 15.0, 5.0, 0.45      # of answer letters, before and after 45 % of the run
FLAG, MASK = 15, 0x7FFF


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("prep")
    parser.add_argument("out")
    parser.add_argument("family", choices=FAMILIES)
    parser.add_argument("--steps", type=int)
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    spec = FAMILIES[args.family]
    steps = args.steps or spec["steps"]
    tokenizer, meta, questions = load_prep(args.prep)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(spec["seed"])
    model = build(args.family, meta["vocab"]).to(device)
    start_weights(model)
    lean = Lean(model)
    data = token_stream(args.prep, meta, (steps + 10) * BATCH * CONTEXT * 1.01, np.random.default_rng(spec["seed"]))
    dev = by_task(questions, "dev")
    log = {"family": args.family, "parameters": sum(p.numel() for p in model.parameters()), "steps": steps,
           "tokens": steps * BATCH * CONTEXT, "history": []}
    trainer, began = Trainer(lean, data, steps), time.time()
    for step in range(steps):
        trainer.step(step)
        if (step + 1) % max(1, steps // 6) == 0:
            log["history"].append({"step": step + 1, **trainer.losses(), **dev_measures(lean, tokenizer, dev)})
            print(args.family, round(time.time() - began), "s", json.dumps(log["history"][-1]), flush=True)
    checkpoint.round_to_half(model)
    log["dev"] = dev_measures(lean, tokenizer, dev)
    checkpoint.save(model, os.path.join(args.out, f"{args.family}-base.pt"))
    with open(os.path.join(args.out, f"{args.family}-base.json"), "w") as f:
        json.dump(log, f)
    print(args.family, "BASE", round(time.time() - began), "s", json.dumps(log["dev"]), flush=True)


def dev_measures(lean, tokenizer, dev):
    return {task: measure(option_log_probabilities(lean, tokenizer, qs), qs) for task, qs in dev.items()}


class Trainer:
    """One training step, captured as a CUDA graph after three plain ones."""

    def __init__(self, lean, data, steps):
        self.lean, self.steps, device = lean, steps, lean.model.device
        self.data = torch.tensor(data.astype(np.int32), device=device)
        self.rate = torch.tensor(RATE, device=device)
        self.weight = torch.tensor(LETTER_WEIGHT, device=device)
        named = list(lean.model.named_parameters())
        matrices = [p for n, p in named if p.ndim == 2 and "embed" not in n]
        self.muon = Muon(matrices, self.rate)
        groups = [dict(params=[p for n, p in named if "embed" in n], weight_decay=0.01),
                  dict(params=[p for n, p in named if p.ndim < 2], weight_decay=0.0)]
        self.adam = torch.optim.AdamW(groups, lr=self.rate, betas=(.9, .95), fused=True, capturable=device.type == "cuda")
        self.buffer = torch.zeros(BATCH, CONTEXT + 1, dtype=torch.long, device=device)
        self.sums, self.count, self.graph = torch.zeros(2, device=device), 0, None

    def step(self, n):
        cosine = 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * n / self.steps))
        self.rate.fill_(RATE * min(1, (n + 1) / WARM_UP) * cosine)
        self.weight.fill_(LETTER_WEIGHT if n < LATER * self.steps else LATER_WEIGHT)
        windows = torch.arange(n * BATCH, (n + 1) * BATCH, device=self.data.device) * CONTEXT
        self.buffer.copy_(self.data[windows[:, None] + torch.arange(CONTEXT + 1, device=self.data.device)])
        self.count += 1
        if self.data.device.type != "cuda":
            self.lean.model.zero_grad(set_to_none=True)
            self._update()
        elif n < 3:                                  # warm up outside the graph, on a side stream
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                self.lean.model.zero_grad(set_to_none=True)
                self._update()
            torch.cuda.current_stream().wait_stream(side)
        else:
            if self.graph is None:
                self.graph = torch.cuda.CUDAGraph()
                self.lean.model.zero_grad(set_to_none=True)
                torch.cuda.synchronize()
                with torch.cuda.graph(self.graph):
                    self._update()
            self.graph.replay()
            if n % 20 == 0:
                torch.cuda.synchronize()

    def losses(self):
        """Mean loss over all tokens and over answer letters since the last call."""
        out = dict(zip(("loss", "letter_loss"), (round(x / self.count, 3) for x in self.sums.tolist())))
        self.sums.zero_()
        self.count = 0
        return out

    def _update(self):
        ids, flags = self.buffer & MASK, (self.buffer[:, 1:] >> FLAG).float()
        device = self.buffer.device.type
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda", cache_enabled=False):
            logits = self.lean.logits(self.lean.hidden(ids[:, :-1]))
        loss = F.cross_entropy(logits.float().flatten(0, 1), ids[:, 1:].flatten(), reduction="none").view(flags.shape)
        weights = 1 + (self.weight - 1) * flags
        ((loss * weights).sum() / weights.sum()).backward()
        torch.nn.utils.clip_grad_norm_(self.lean.model.parameters(), 1.0)
        self.adam.step()
        self.muon.step()
        loss = loss.detach()
        self.sums.add_(torch.stack([loss.mean(), (loss * flags).sum() / flags.sum().clamp(min=1)]))


if __name__ == "__main__":
    main()
