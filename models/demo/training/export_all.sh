#!/bin/bash
# Export the twelve shipped models to f16 GGUF.
#   ./export_all.sh PREP OUT HF_DIR LLAMA_CPP GGUF_DIR
set -eu
here=$(cd "$(dirname "$0")" && pwd)
for name in $(cat "$here/shipped.txt"); do
  python3 "$here/export_gguf.py" "$1" "$2/$name.pt" "$5/$name.gguf" --llama-cpp "$4" --hf "$3"
done
