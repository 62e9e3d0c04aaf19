"""Train the shared tokenizer (byte-level BPE) and turn the pool into arrays.

    python make_tokens.py CORPUS OUT [--vocab 2048]

OUT/tokenizer/  Hugging Face tokenizer files        OUT/pool.npz  token ids; answer letters carry the flag 0x8000
OUT/meta.json   group names, sizes, popularity      OUT/questions.jsonl  a copy
"""
import argparse
import itertools
import json
import os
import shutil

import numpy as np
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

from prompts import BOS, END, TURN, json_prompts, json_reply, truth_prompts

LETTER = 0x8000


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("out")
    parser.add_argument("--vocab", type=int, default=2048)
    args = parser.parse_args()
    meta = json.load(open(os.path.join(args.corpus, "meta.json")))
    docs = [json.loads(line) for line in open(os.path.join(args.corpus, "pool.jsonl"))]
    tokenizer = train(docs, meta["words"], args.vocab)
    os.makedirs(os.path.join(args.out, "tokenizer"), exist_ok=True)
    tokenizer.save(os.path.join(args.out, "tokenizer", "tokenizer.json"))
    for text in [" " + w for w in meta["words"]] + [f" {n}" for n in range(200)] + [" yes", " no", "yes", "no"]:
        assert len(tokenizer.encode(text).ids) == 1, text
    groups = sorted({d["g"] for d in docs})
    ids = encode(tokenizer, docs)
    np.savez(os.path.join(args.out, "pool.npz"), flat=np.concatenate(ids),
             lens=np.array([len(x) for x in ids], np.uint16),
             group=np.array([groups.index(d["g"]) for d in docs], np.uint8),
             entity=np.array([d["e"] for d in docs], np.int16), weight=np.array([d["w"] for d in docs], np.float32))
    with open(os.path.join(args.out, "meta.json"), "w") as f:
        json.dump({"groups": groups, "vocab": tokenizer.get_vocab_size(), "popularity": meta["popularity"]}, f)
    shutil.copy(os.path.join(args.corpus, "questions.jsonl"), args.out)
    print("vocabulary", tokenizer.get_vocab_size(), "tokens", sum(map(len, ids)), "documents", len(ids))


def train(docs, words, vocab):
    """Option words and the numbers below 200 become single tokens with their leading space, as in large vocabularies."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)     # "gpt-2" in GGUF
    tokenizer.decoder = decoders.ByteLevel()
    singles = (words + [str(n) for n in range(200)] + ["yes", "no"]) * 3000
    lists = (" ".join(["x"] + singles[i:i + 50]) for i in range(0, len(singles), 50))
    formats = ["yes\n", "no\n", "user\n", "assistant\n", "Reply:", json_prompts("", "ABCDE")["raw"][0],
               truth_prompts("", "ABCDE", 1)["raw"][0], json_reply("A", 85)] * 3000
    specials = [AddedToken(t, special=True, normalized=False) for t in (BOS, TURN, END)]
    trainer = trainers.BpeTrainer(vocab_size=vocab, special_tokens=specials, show_progress=False,
                                  initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()))
    tokenizer.train_from_iterator(itertools.chain(("".join(d["t"]) for d in docs[::3]), lists, formats), trainer)
    return tokenizer


def encode(tokenizer, docs):
    """One uint16 array a document, BOS first. Pieces are joined before encoding; letters are found by their offsets."""
    bos, out = tokenizer.token_to_id(BOS), []
    for start in range(0, len(docs), 20000):
        chunk = docs[start:start + 20000]
        for d, e in zip(chunk, tokenizer.encode_batch(["".join(d["t"]) for d in chunk])):
            ids = np.array([bos] + e.ids, np.uint16)
            ends = set(np.cumsum([len(t) for t in d["t"]])[1::2].tolist())
            mark = np.array([False] + [o[1] in ends for o in e.offsets])
            assert mark.sum() == len(ends), (d, e.tokens)
            ids[mark] |= LETTER
            out.append(ids)
    return out


if __name__ == "__main__":
    main()
