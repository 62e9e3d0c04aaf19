"""Option logits of letter questions, and the measures reported for them."""
import json
import os

import numpy as np
import torch
from tokenizers import Tokenizer

from layouts import LETTERS
from prompts import BOS, letter_prompts

TASKS = ["facts", "arithmetic", "sentiment"]


def load_prep(prep):
    """(tokenizer, meta, questions)"""
    tokenizer = Tokenizer.from_file(os.path.join(prep, "tokenizer", "tokenizer.json"))
    meta = json.load(open(os.path.join(prep, "meta.json")))
    questions = [json.loads(line) for line in open(os.path.join(prep, "questions.jsonl"))]
    return tokenizer, meta, questions


def encode(tokenizer, texts):
    """Token ids with BOS in front; the special tokens of the chat format are recognised."""
    bos = tokenizer.token_to_id(BOS)
    return [[bos] + e.ids for e in tokenizer.encode_batch(texts)]


def option_ids(tokenizer, space):
    """Token ids of the letters A to E after `space` (a space in raw prompts, nothing in chat prompts)."""
    ids = [tokenizer.encode(space + letter).ids for letter in LETTERS]
    assert all(len(x) == 1 for x in ids)
    return [x[0] for x in ids]


def pad(rows):
    """Right-padded ids [N, S]."""
    out = torch.zeros(len(rows), max(map(len, rows)), dtype=torch.long)
    for i, row in enumerate(rows):
        out[i, :len(row)] = torch.tensor(row)
    return out


@torch.no_grad()
def option_log_probabilities(lean, tokenizer, questions, fmt="raw", batch=256):
    """One float64 array [K] a question: log-probability of each option's letter over the whole vocabulary."""
    prompts = [letter_prompts(q["question"], q["options"])[fmt] for q in questions]
    ids, letters = encode(tokenizer, [p for p, _ in prompts]), option_ids(tokenizer, prompts[0][1])
    device, out = lean.model.device, []
    for start in range(0, len(ids), batch):
        rows = ids[start:start + batch]
        last = torch.tensor([len(r) - 1 for r in rows], device=device)
        logits = lean.logits_at(pad(rows).to(device), torch.arange(len(rows), device=device), last)
        z = torch.log_softmax(logits, -1)[:, letters].double().cpu().numpy()
        out += [z[i, :len(q["options"])] for i, q in enumerate(questions[start:start + batch])]
    return out


def ece(confidence, correct, bins=10):
    """Expected calibration error in percentage points; equal widths, a bin owns its left edge."""
    index = np.clip(np.searchsorted(np.linspace(0, 1, bins + 1), confidence, side="right") - 1, 0, bins - 1)
    return 100 * sum((index == b).mean() * abs(correct[index == b].mean() - confidence[index == b].mean())
                     for b in range(bins) if (index == b).any())


def labelled_temperature(logits, questions):
    """The temperature of least negative log-likelihood, on a grid from 0.5 to 50: how hard the post-training was."""
    z = np.full((len(logits), len(LETTERS)), -np.inf)
    for row, values in zip(z, logits):
        row[:len(values)] = values - values.max()
    right = z[np.arange(len(z)), [q["answer"] for q in questions]]
    grid = np.geomspace(0.5, 50, 93)
    return grid[np.argmin([(np.log(np.exp(z / t).sum(1)) - right / t).mean() for t in grid])]


def measure(logits, questions, base=None):
    """Accuracy, mean confidence, ECE, mass on the options (in %), tau; against a base also gain and disagreement."""
    probabilities = [np.exp(z - z.max()) / np.exp(z - z.max()).sum() for z in logits]
    picked = np.array([p.argmax() for p in probabilities])
    correct = picked == np.array([q["answer"] for q in questions])
    confidence = np.array([p.max() for p in probabilities])
    out = {"acc": 100 * correct.mean(), "conf": 100 * confidence.mean(), "ece": ece(confidence, correct),
           "mass": 100 * np.mean([np.exp(z).sum() for z in logits]), "tau": labelled_temperature(logits, questions)}
    if base is not None:
        base_picked = np.array([z.argmax() for z in base])
        base_correct = base_picked == np.array([q["answer"] for q in questions])
        out |= {"gain": out["acc"] - 100 * base_correct.mean(), "disagree": 100 * (picked != base_picked).mean()}
    return {k: round(float(v), 2) for k, v in out.items()}


def by_task(questions, split):
    return {task: [q for q in questions if q["split"] == split and q["task"] == task] for task in TASKS}
