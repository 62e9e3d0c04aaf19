#!/bin/bash
# What docs/scale.md says of Slurm, tried on a cluster of bench/slurm/one-machine.sh with the scripts that `supportcal
# slurm` writes, none of them touched: the suite scored by an array and reported by the job that depends on it; then once
# more from an empty cache with one element cancelled, which the report says, and the same scripts submitted again; then
# with one element killed at once (SIGKILL). The scores must be those of one run without Slurm, byte for byte, and so
# must all results.
#
#   bench/slurm/trial.sh FOLDER [ROWS=60] [SHARDS=3]    FOLDER: as given to one-machine.sh, which must be running
set -euo pipefail
folder=$(cd "$1" && pwd)
rows=${2:-60}
shards=${3:-3}
root=$(cd "$(dirname "$0")/../.." && pwd)
export SLURM_CONF=$folder/slurm.conf
work=$folder/trial
rm -rf "$work"
cd "$root"

supportcal() { node scripts/supportcal.mjs "$@"; }
flags=(--suite demo --limit "$rows" --gpu off)

# Prints the numbers of the array and of the report.
submit() { bash "$work/out/slurm/submit.sh" | grep -o 'job [0-9]*' | cut -d' ' -f2 | paste -sd' '; }
state() { scontrol show job "$1" | grep -o 'JobState=[A-Z]*\|ExitCode=[0-9:]*' | cut -d= -f2 | paste -sd' '; }
wait_for() { while [ -n "$(squeue --noheader --jobs="$1" 2> /dev/null)" ]; do sleep 1; done; }
running() { squeue --noheader --jobs="$1" --states=RUNNING 2> /dev/null | grep -q .; }

# Waits until an element has handed rows over.
in_its_middle() {
  until running "$1" && grep -q '^scored [1-9]' "$work/out/slurm/slurm-$1.out" 2> /dev/null; do sleep 0.5; done
}

say() {
  local element states=()
  for element in $(seq 0 $((shards - 1))); do states+=("$(state "${1}_$element")"); done
  local IFS=, status
  status=$(grep -o '^  "status": "[a-z]*"' "$work/out/results.json" | cut -d'"' -f4)
  echo "$3: elements ${states[*]}; report $(state "$2"), $status"
}

compare() {
  local file own entries=0 unequal=0 results=equal
  for file in "$work"/alone/cache/*.arrow; do
    own=$work/cache/$(basename "$file")
    cmp -s "$file" "$own" || unequal=$((unequal + 1))
    entries=$((entries + 1))
  done
  but_time() { grep -v '"createdAt"' "$1/results.json"; }
  cmp -s <(but_time "$work/alone/out") <(but_time "$work/out") || results=unequal
  echo "  $entries entries, $unequal unlike those of one run; results $results"
  ls "$work/cache" | grep '\.parts$\|\.lock$' || echo '  no lock and no part is left'
}

supportcal pipeline "${flags[@]}" --cache "$work/alone/cache" --out "$work/alone/out" --quiet > /dev/null
supportcal slurm "${flags[@]}" --shards "$shards" --cache "$work/cache" --out "$work/out" --sbatch --partition=long \
  --sbatch --time=30 --program "node $root/scripts/supportcal.mjs" --quiet > /dev/null

read -r array report < <(submit)
wait_for "$report"
say "$array" "$report" 'whole'
compare

rm -r "$work/cache" "$work/out/results.json"
read -r array report < <(submit)
in_its_middle "${array}_1"
scancel "${array}_1"
wait_for "$report"
say "$array" "$report" 'one element cancelled'
tail -n 2 "$work/out/slurm/slurm-${array}_1.out" | sed 's/^/  /'
read -r array report < <(submit)
wait_for "$report"
say "$array" "$report" 'submitted again'
compare

rm -r "$work/cache" "$work/out/results.json"
read -r array report < <(submit)
in_its_middle "${array}_2"
# The element's own processes: those whose command line has its shard and this trial's cache.
pgrep -f -- "score .*$work/cache .*--shard 2/$shards" | xargs kill -KILL
wait_for "$report"
say "$array" "$report" 'one element killed'
read -r array report < <(submit)
wait_for "$report"
say "$array" "$report" 'submitted again'
compare
