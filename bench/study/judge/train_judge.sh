#!/bin/bash
# All judging families at once on one GPU (about 6 minutes on an H200).
#   ./train_judge.sh PREP OUT
set -u
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"
export PYTHONUNBUFFERED=1 OMP_NUM_THREADS=3 TOKENIZERS_PARALLELISM=false TRANSFORMERS_VERBOSITY=error
for family in wren finch egret siskin linnet; do
  python3 "$here/train_judge.py" "$1" "$2" "$family" > "$2/$family.txt" 2>&1 &
done
wait
cat "$2"/*.txt
