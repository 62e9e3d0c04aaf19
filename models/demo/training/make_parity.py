"""Write the parity fixture: token ids and fp32 option logits that an inference engine must reproduce.

    python make_parity.py PREP HF_DIR OUT.json --models tern-base,tern-rl,...

HF_DIR/NAME holds the Hugging Face checkpoints that export_gguf.py wrote (fp16 weights, computed in fp32 here).
Layout: {"sets": {"raw facts": {"ids": [...], "tokens": [[...]], "options": [[...]]}, "chat facts": ...},
"logits": {model: {"raw facts": [[...]], ...}}}: tokens begin with BOS, options are the scored token ids.
"""
import argparse
import json
import os

import torch
import transformers

from prompts import CHAT_TEMPLATE, letter_prompts
from scoring import by_task, encode, load_prep, option_ids

RAW, CHAT = 50, 10                      # questions a data set


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("prep")
    parser.add_argument("hf")
    parser.add_argument("out")
    parser.add_argument("--models", required=True)
    args = parser.parse_args()
    tokenizer, _, questions = load_prep(args.prep)
    sets = {}
    for task, qs in by_task(questions, "eval").items():
        for fmt, count in (("raw", RAW), ("chat", CHAT)):
            prompts = [letter_prompts(q["question"], q["options"])[fmt] for q in qs[:count]]
            letters = option_ids(tokenizer, prompts[0][1])
            sets[f"{fmt} {task}"] = {"ids": [q["id"] for q in qs[:count]], "tokens": encode(tokenizer, [p for p, _ in prompts]),
                                     "options": [letters[:len(q["options"])] for q in qs[:count]]}
    check_template(os.path.join(args.hf, args.models.split(",")[-1]), sets, questions)
    logits = {}
    for name in args.models.split(","):
        model = transformers.AutoModelForCausalLM.from_pretrained(os.path.join(args.hf, name), dtype=torch.float32).eval()
        logits[name] = {key: [option_logits(model, *row) for row in zip(s["tokens"], s["options"])]
                        for key, s in sets.items() if key.startswith("raw") or not name.endswith("-base")}
    with open(args.out, "w") as f:
        f.write('{\n "chatTemplate": ' + json.dumps(CHAT_TEMPLATE) + ',\n "sets": {\n' + block(sets) + "\n },\n"
                ' "logits": {\n' + block(logits) + "\n }\n}\n")


@torch.no_grad()
def option_logits(model, tokens, options):
    return [round(x, 6) for x in model(input_ids=torch.tensor([tokens])).logits[0, -1, options].tolist()]


def check_template(folder, sets, questions):
    """The template in the checkpoint renders the same tokens as prompts.py."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    raw = {q["id"]: letter_prompts(q["question"], q["options"])["raw"][0] for q in questions}
    for key, s in sets.items():
        for name, tokens in zip(s["ids"], s["tokens"]):
            text = raw[name]
            if key.startswith("chat"):
                text = tokenizer.apply_chat_template([{"role": "user", "content": text}], tokenize=False,
                                                     add_generation_prompt=True)
            ids = tokenizer(text, add_special_tokens=False)["input_ids"]
            assert [tokenizer.bos_token_id] + ids == tokens, name


def block(entries):
    return ",\n".join(f"  {json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in entries.items())


if __name__ == "__main__":
    main()
