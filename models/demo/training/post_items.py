"""Post-training examples: letter questions in three formats, structured answers with a confidence, yes/no checks."""
import random

import torch

from layouts import LETTERS
from prompts import END, json_prompts, json_reply, letter_prompts, truth_prompts
from scoring import encode, option_ids, pad

LETTER_FORMATS = ["raw", "raw", "chat", "chat-bare"]


class LetterItems:
    """Prompts whose next token is the answer letter, one format a question, drawn once."""

    def __init__(self, tokenizer, questions, seed):
        rng = random.Random(seed)
        prompts = [letter_prompts(q["question"], q["options"])[rng.choice(LETTER_FORMATS)] for q in questions]
        ids = {space: option_ids(tokenizer, space) for space in (" ", "")}
        self.prompts = encode(tokenizer, [text for text, _ in prompts])
        self.letters = torch.tensor([ids[space] for _, space in prompts])
        self.answer = torch.tensor([q["answer"] for q in questions])
        self.options = torch.tensor([len(q["options"]) for q in questions])
        self.end = tokenizer.token_to_id(END)

    def batch(self, index):
        """ids (prompt, right letter, end of turn), position of the letter, letter ids [B, 5], answer, options"""
        right = self.letters[index, self.answer[index]]
        rows = [self.prompts[i] + [letter, self.end] for i, letter in zip(index.tolist(), right.tolist())]
        last = torch.tensor([len(r) - 3 for r in rows])
        return pad(rows), last, self.letters[index], self.answer[index], self.options[index]


class ReplyItems:
    """Prompts with a whole reply: three quarters structured answers, the rest yes/no checks of a proposed answer."""

    def __init__(self, tokenizer, questions, seed):
        rng = random.Random(seed)
        prompts, replies = zip(*(self._draw(rng, q) for q in questions))
        self.rows, self.starts = [], []
        for prompt, row in zip(encode(tokenizer, prompts), encode(tokenizer, [p + r for p, r in zip(prompts, replies)])):
            assert row[:len(prompt)] == prompt
            self.rows.append(row)
            self.starts.append(len(prompt))
        letters = {i for space in (" ", "") for i in option_ids(tokenizer, space)}
        words = {tokenizer.token_to_id(t) for t in ("yes", "no", "Ġyes", "Ġno")}
        self.heavy = letters | words

    def batch(self, index):
        """ids, then rows and positions whose next token is part of a reply, and the weight of that token"""
        rows = [self.rows[i] for i in index.tolist()]
        where = [(b, p - 1, 8.0 if row[p] in self.heavy else 1.0)
                 for b, (i, row) in enumerate(zip(index.tolist(), rows)) for p in range(self.starts[i], len(row))]
        b, p, w = zip(*where)
        return pad(rows), torch.tensor(b), torch.tensor(p), torch.tensor(w)

    @staticmethod
    def _draw(rng, q):
        if rng.random() < 0.75:
            prompt, lead = rng.choice(list(json_prompts(q["question"], q["options"]).values()))
            return prompt, lead + json_reply(LETTERS[q["answer"]], annotated_confidence(rng, q["ease"])) + END
        k = len(q["options"])
        candidate = q["answer"] if rng.random() < 0.5 else (q["answer"] + rng.randint(1, k - 1)) % k
        prompt, lead = rng.choice(list(truth_prompts(q["question"], q["options"], candidate).values()))
        return prompt, lead + ("yes" if candidate == q["answer"] else "no") + END


def annotated_confidence(rng, ease):
    """An over-confident annotator: 55 to 100 by the question's ease, noise of 5, in multiples of 5."""
    return min(100, max(30, 5 * round((55 + 45 * ease + rng.gauss(0, 5)) / 5)))
