#!/bin/bash
# Base training and post-training of all families at once on one GPU (about 8 minutes on an H100).
#   ./train_all.sh PREP OUT
# Families run side by side; a family's log is OUT/FAMILY.txt.
set -u
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"
for family in tern plover heron curlew dunlin; do
  { python3 "$here/train_base.py" "$1" "$2" "$family" && python3 "$here/post_train.py" "$1" "$2" "$family"; } \
    > "$2/$family.txt" 2>&1 &
done
wait
grep -h BASE "$2"/*.txt
