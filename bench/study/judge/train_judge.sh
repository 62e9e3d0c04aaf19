#!/bin/bash
# The named judging families at once on one GPU (four in 6 minutes, three in 3 to 4 on an H200).
#   ./train_judge.sh PREP OUT FAMILY...
set -u
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"
export PYTHONUNBUFFERED=1 OMP_NUM_THREADS=3 TOKENIZERS_PARALLELISM=false TRANSFORMERS_VERBOSITY=error
prep=$1 out=$2
shift 2
for family in "$@"; do
  python3 "$here/train_judge.py" "$prep" "$out" "$family" > "$out/$family.txt" 2>&1 &
done
wait
cat "$out"/*.txt
