"""fp16 weights -> Hugging Face checkpoint folder -> f16 GGUF by llama.cpp's own converter.

    python export_gguf.py PREP WEIGHTS.pt OUT.gguf --llama-cpp SOURCE --hf FOLDER [--name NAME]

The file name of the weights is FAMILY-RECIPE.pt. Bases end documents with <|endoftext|> and carry no chat template;
post-trained models end turns with <|im_end|> and carry the ChatML template.
"""
import argparse
import json
import os
import shutil
import sys

import checkpoint
from prompts import BOS, CHAT_TEMPLATE, END, TURN


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("prep")
    parser.add_argument("weights")
    parser.add_argument("out")
    parser.add_argument("--llama-cpp", required=True, help="llama.cpp source folder")
    parser.add_argument("--hf", required=True, help="folder that receives the Hugging Face checkpoint")
    parser.add_argument("--name", help="general.name in the GGUF; the default is the output's file name")
    args = parser.parse_args()
    name = args.name or os.path.basename(args.out).removesuffix(".gguf")
    folder = os.path.join(args.hf, name)
    write_checkpoint(args.prep, args.weights, folder)
    convert(args.llama_cpp, folder, args.out, name)
    print(name, os.path.getsize(args.out), "bytes")


def write_checkpoint(prep, weights, folder):
    """A folder that transformers and the converter read."""
    family, recipe = os.path.basename(weights).removesuffix(".pt").split("-", 1)
    vocab = json.load(open(os.path.join(prep, "meta.json")))["vocab"]
    base = recipe == "base"
    eos = BOS if base else END
    model = checkpoint.load(weights, family, vocab, bos=0, eos=0 if base else 2).half()
    os.makedirs(folder, exist_ok=True)
    model.save_pretrained(folder)
    shutil.copy(os.path.join(prep, "tokenizer", "tokenizer.json"), folder)
    special = {"bos_token": BOS, "eos_token": eos, "unk_token": BOS}
    config = {"tokenizer_class": "PreTrainedTokenizerFast", **special, "add_bos_token": True, "add_prefix_space": False,
              "model_max_length": 2048, "additional_special_tokens": [TURN, END],
              "added_tokens_decoder": {str(i): {"content": t, "special": True, "normalized": False, "lstrip": False,
                                                "rstrip": False, "single_word": False}
                                       for i, t in enumerate((BOS, TURN, END))}}
    if not base:
        config["chat_template"] = CHAT_TEMPLATE
    for file, content in (("tokenizer_config.json", config), ("special_tokens_map.json", special)):
        with open(os.path.join(folder, file), "w") as f:
            json.dump(content, f, indent=1)


def convert(source, folder, out, name):
    """Run convert_hf_to_gguf.py of the given llama.cpp in this process."""
    sys.path[:0] = [source, os.path.join(source, "gguf-py")]
    import conversion.base
    # The converter recognises published tokenizers by a hash; ours is new and splits text as GPT-2 does.
    conversion.base.TextModel.get_vocab_base_pre = lambda self, tokenizer: "gpt-2"
    import convert_hf_to_gguf
    sys.argv = ["convert_hf_to_gguf.py", folder, "--outfile", out, "--outtype", "f16", "--model-name", name]
    convert_hf_to_gguf.main()


if __name__ == "__main__":
    main()
