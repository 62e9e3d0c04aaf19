"""Text, tokens and questions for the judging models: another world than the demo's, and two tasks more.

    python make_judge.py OUT            # about a minute; OUT/prep is what train_judge.py reads

OUT/prep/pool.npz, meta.json, tokenizer/ as models/demo/training/make_tokens.py makes them, and OUT/prep/questions.jsonl with
1,200 questions a task to judge on (split eval) and those for post-training (split train).
"""
import json
import os
import random
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TRAINING = os.path.join(HERE, "..", "..", "..", "models", "demo", "training")
sys.path[:0] = [HERE, TRAINING]

import make_corpus  # noqa: E402
from arithmetic import arithmetic_question  # noqa: E402
from encyclopedia import OPTION_WORDS, fact_question, make_world  # noqa: E402
from judge_tasks import WEATHER, forecast_question, pattern_question  # noqa: E402
from layouts import any_layout  # noqa: E402
from posts import MOODS, mood_question  # noqa: E402

SEED = 20261
EVAL, TRAIN = 1200, 14000
POOL = 60000                                           # documents of each new task


def main():
    out = sys.argv[1]
    os.makedirs(out, exist_ok=True)
    rng = random.Random(SEED)
    world, odds = make_world(rng, make_corpus.ENTITIES_PER_KIND)
    facts = [(i, a) for i, entity in enumerate(world) for a in entity["values"]]
    rng.shuffle(facts)
    held, asked = facts[:EVAL], facts[int(make_corpus.NEVER_ASKED * len(facts)):]
    questions, reserved = [], set()
    for split, count, of in (("eval", EVAL, held), ("train", TRAIN, rng.sample(asked, TRAIN))):
        rows = [("facts", fact_question(rng, world[i], a, odds)) for i, a in of]
        for task, draw in DRAW.items():
            found = 0
            while found < count:
                question = draw(rng)
                if question[0] in reserved:
                    continue
                if split == "eval":
                    reserved.add(question[0])
                rows.append((task, question))
                found += 1
        questions += [{"task": t, "split": split, "question": q, "options": o, "answer": a} for t, (q, o, a) in rows]
    make_corpus.write_lines(os.path.join(out, "questions.jsonl"), questions)
    pool = list(make_corpus.documents(rng, world, odds, asked, reserved | posts_of(questions), 0.7))
    for task in ("patterns", "forecasts"):
        for _ in range(POOL):
            question = DRAW[task](rng)
            if question[0] not in reserved:
                pool.append({"g": task, "e": -1, "w": 1.0, "t": any_layout(rng, *question)})
    make_corpus.write_lines(os.path.join(out, "pool.jsonl"), pool)
    with open(os.path.join(out, "meta.json"), "w") as f:
        popularity = [round(e["popularity"], 4) for e in world]
        json.dump({"words": OPTION_WORDS + MOODS + WEATHER, "popularity": popularity}, f)
    print(len(pool), "documents,", len(questions), "questions", flush=True)
    tokens = os.path.join(TRAINING, "make_tokens.py")
    subprocess.run([sys.executable, tokens, out, os.path.join(out, "prep")], check=True)


def posts_of(questions):
    """The posts of the held-out mood questions, which plain text must not show either."""
    return {q["question"].split('"')[1] for q in questions if q["task"] == "sentiment" and q["split"] == "eval"}


DRAW = {
    "arithmetic": lambda rng: arithmetic_question(rng)[:3],
    "sentiment": lambda rng: mood_question(rng)[:3],
    "patterns": pattern_question,
    "forecasts": forecast_question,
}

if __name__ == "__main__":
    main()
