#!/bin/sh
# False alarms and power of the drift test on the demo: bench/drift/run.sh OUT [DATASET] [OTHER] [TARGET]
# Needs scores of the demo in cache/ (npm run pipeline) and the Python packages gguf and numpy.
set -e
out=$1 dataset=${2:-demo-facts} other=${3:-demo-arithmetic} target=${4:-tern-dpo}
model=models/demo/$target.gguf
mkdir -p "$out"
run() { node scripts/supportcal.mjs "$@"; }
predict() { run predict --artefact "$out/artefact.json" --quiet --gpu off --cache "$out/cache" "$@" 2> /dev/null || true; }
run export --target "$target" --dataset "$dataset" --out "$out/artefact.json" > /dev/null
"${PYTHON:-python3}" bench/drift/make_shifts.py "$model" "datasets/$dataset.yaml" "$out"
predict --model "$model" --input "datasets/$dataset.jsonl" --out "$out/fit.jsonl"
predict --model "$model" --input "$out/noise.jsonl" --out "$out/shift-noise.jsonl"
predict --model "$model" --input "datasets/$other.jsonl" --out "$out/shift-other.jsonl"
predict --model "$model" --input "datasets/$dataset.jsonl" --out "$out/shift-words.jsonl" \
  --dataset "$dataset" --datasets "$out/words" --allow-other-prompt
for kind in Q8_0 Q4_0; do
  predict --model "$out/$kind.gguf" --input "datasets/$dataset.jsonl" --out "$out/shift-$kind.jsonl" --allow-other-model
done
npx tsx bench/drift/drift.ts "$out/artefact.json" "$out/fit.jsonl" "keyboard noise=$out/shift-noise.jsonl" \
  "another data set ($other)=$out/shift-other.jsonl" "labels 1 2 3 4 in place of A B C D=$out/shift-words.jsonl" \
  "the model in Q8_0=$out/shift-Q8_0.jsonl" "the model in Q4_0=$out/shift-Q4_0.jsonl"
