"""Write the training text and the questions. Pure Python, fixed seed, no input but text/*.json.

    python make_corpus.py OUT [--datasets DIR] [--scale 1.0]

OUT/pool.jsonl       base training documents: {"g": group, "e": entity or -1, "w": weight, "t": text pieces}
OUT/questions.jsonl  questions of the splits train (post-training), dev (choosing recipes) and eval (the data sets)
OUT/meta.json        what the tokenizer and the trainer need
DIR/demo-*.jsonl     the eval split, as shipped

The dev and eval questions are drawn first; nothing that follows may repeat a reserved fact question, stem or post.
"""
import argparse
import json
import os
import random

from arithmetic import EASE, arithmetic_question, sum_sentence
from encyclopedia import OPTION_WORDS, fact_ease, fact_question, make_world, reading_question, statement
from layouts import LETTERS, any_layout, lookup_list
from posts import MOODS, mood_question, post

SEED = 7
ENTITIES_PER_KIND = 800
EVAL, DEV = 800, 600
NEVER_ASKED = 0.2             # share of the facts that training states but never asks; eval and dev are among them
TRAIN = {"facts": 12000, "arithmetic": 16000, "sentiment": 8000}
SHUFFLED_MOODS = 0.1           # training questions whose moods stand in another order (never in dev and eval)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--datasets")
    parser.add_argument("--scale", type=float, default=1.0, help="below 1: a small pool for a quick try")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    rng = random.Random(SEED)
    world, odds = make_world(rng, ENTITIES_PER_KIND)
    facts = [(i, a) for i, entity in enumerate(world) for a in entity["values"]]
    rng.shuffle(facts)
    held, asked = facts[:EVAL + DEV], facts[int(NEVER_ASKED * len(facts)):]
    questions, reserved = held_out_questions(rng, world, odds, held)
    questions += training_questions(rng, world, odds, asked, reserved)
    write_lines(os.path.join(args.out, "questions.jsonl"), questions)
    pool = list(documents(rng, world, odds, asked, reserved, args.scale))
    write_lines(os.path.join(args.out, "pool.jsonl"), pool)
    with open(os.path.join(args.out, "meta.json"), "w") as f:
        json.dump({"words": OPTION_WORDS + MOODS, "popularity": [round(e["popularity"], 4) for e in world]}, f)
    if args.datasets:
        for task in TRAIN:
            rows = [data_set_row(q) for q in questions if q["split"] == "eval" and q["task"] == task]
            write_lines(os.path.join(args.datasets, f"demo-{task}.jsonl"), rows)
    print(len(pool), "documents,", len(questions), "questions,", len(facts), "facts")


def held_out_questions(rng, world, odds, held):
    """The eval and dev questions, and the set of stems and posts that training must not use."""
    questions, reserved = [], set()
    for split, count in (("eval", EVAL), ("dev", DEV)):
        start = 0 if split == "eval" else EVAL
        for i, a in held[start:start + count]:
            questions.append(record("facts", split, *fact_question(rng, world[i], a, odds), fact_ease(world[i], a)))
        for task, draw in (("arithmetic", draw_arithmetic), ("sentiment", draw_mood)):
            found = 0
            while found < count:
                question, key = draw(rng, split)
                if key not in reserved:
                    reserved.add(key)
                    questions.append(question)
                    found += 1
    return questions, reserved


def training_questions(rng, world, odds, asked, reserved):
    """Questions for post-training; facts among those that base training asks too."""
    for i, a in rng.sample(asked, TRAIN["facts"]):
        yield record("facts", "train", *fact_question(rng, world[i], a, odds), fact_ease(world[i], a))
    for task, draw in (("arithmetic", draw_arithmetic), ("sentiment", draw_mood)):
        found = 0
        while found < TRAIN[task]:
            question, key = draw(rng, "train")
            if key not in reserved:
                found += 1
                yield question


def documents(rng, world, odds, asked, reserved, scale):
    """Every base training document, group by group."""
    def doc(group, pieces, entity=-1, weight=1.0):
        return {"g": group, "e": entity, "w": round(weight, 4), "t": [pieces] if isinstance(pieces, str) else pieces}

    for i, entity in enumerate(world):
        for a in entity["values"]:                       # every fact is stated, also those asked only in dev and eval
            for template in range(4):
                yield doc("stmt", statement(rng, entity, a, template), i, entity["fact_popularity"][a])
        for _ in range(3):
            told = rng.sample(list(entity["values"]), 3)
            yield doc("profile", " ".join(statement(rng, entity, a) for a in told), i)
    for i, a in asked:
        for _ in range(4):
            yield doc("factq", any_layout(rng, *fact_question(rng, world[i], a, odds)), i)
        question, options, answer = fact_question(rng, world[i], a, odds)
        yield doc("openq", f"Question: {question}\nReply: {options[answer]}", i)
    for _ in range(int(60000 * scale)):
        passage, *question = reading_question(rng, odds)
        pieces = any_layout(rng, *question)
        yield doc("readq", [passage + pieces[0], *pieces[1:]])
    for _ in range(int(100000 * scale)):
        yield doc("bind", lookup_list(rng))
    for _ in range(int(150000 * scale)):
        question, options, answer, _t = arithmetic_question(rng)
        if question not in reserved:
            yield doc("arithq", any_layout(rng, question, options, answer))
    for _ in range(int(40000 * scale)):
        yield doc("sums", " ".join(sum_sentence(rng) for _ in range(rng.choice([1, 2, 3]))))
    for _ in range(int(80000 * scale)):
        question, options, label, text, _p = mood_question(rng, SHUFFLED_MOODS)
        if text not in reserved:
            yield doc("moodq", any_layout(rng, question, options, label))
    for _ in range(int(30000 * scale)):
        texts = [post(rng)[0] for _ in range(rng.choice([1, 2]))]
        if not reserved.intersection(texts):
            yield doc("post", " / ".join(texts))


def draw_arithmetic(rng, split):
    question, options, answer, t = arithmetic_question(rng)
    return record("arithmetic", split, question, options, answer, EASE[t]), question


def draw_mood(rng, split):
    question, options, label, text, top = mood_question(rng, SHUFFLED_MOODS if split == "train" else 0.0)
    return record("sentiment", split, question, options, label, 1.5 * top - 0.5), text


_numbers = {}


def record(task, split, question, options, answer, ease):
    """One question; `ease` (0 to 1) is known to the generator only."""
    number = _numbers[task, split] = _numbers.get((task, split), 0) + 1
    name = f"{task}-{number:04d}" if split == "eval" else f"{task}-{split}-{number:05d}"
    return {"id": name, "task": task, "split": split, "question": question, "options": options, "answer": answer,
            "ease": round(ease, 3)}


def data_set_row(q):
    return {"id": q["id"], "question": q["question"], "options": q["options"], "answer": LETTERS[q["answer"]]}


def write_lines(path, rows):
    with open(path, "w") as f:
        f.writelines(json.dumps(row) + "\n" for row in rows)


if __name__ == "__main__":
    main()
