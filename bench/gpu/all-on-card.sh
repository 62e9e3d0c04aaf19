#!/bin/bash
# Every number of gpu/README.md on one card, in one command (20 minutes; 15 where an earlier build lies beside the archives):
#
#   bash KIT/all-on-card.sh [SECONDS]
#
# Steps for which too little of SECONDS (1500) is left are left out and named. The log and the lists of kernels lie in $OUT (/tmp).
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
limit=${1:-1500}
export KIT=${KIT:-/root/kit} MODELS=${MODELS:-/dev/shm} OUT=${OUT:-/tmp} ROUNDS=${ROUNDS:-2} UV_THREADPOOL_SIZE=${UV_THREADPOOL_SIZE:-16}
run=$here/run-on-card.sh

step() {
  local most=$1 name=$2 left=$((limit - SECONDS))
  shift 2
  if ((left < most / 2)); then echo "=== $SECONDS s: $name LEFT OUT"; return; fi
  echo "=== $SECONDS s: $name"
  timeout $((most < left ? most : left)) "$@" 2>&1 | grep -v '^$' | cut -c1-260
}
measure() { step "$1" "$2" env "${@:4}" bash "$run" measure $3; }

{
  nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
  nvcc --version | tail -1
  bash "$run" unpack "$here"
  if ! ls "$KIT"/kit/app/node_modules/node-llama-cpp/llama/localBuilds/*/buildDone.status > /dev/null 2>&1; then
    step 600 build bash "$run" build
    step 60 "own choice of kernels" bash "$run" own
  else
    step 60 tools bash "$run" tools
  fi
  for type in BF16 Q8_0; do step 60 "file $type" bash "$run" model 8b $type; done
  b=8b-BF16 q=8b-Q8_0 own=$KIT/own/own.so
  step 60 "llama-bench BF16" bash "$run" bench $b -p 2048 -n 0 -b 2048 -ub 256,512,1024,2048 -r 5
  step 60 "llama-bench Q8_0" bash "$run" bench $q -p 2048 -n 0 -b 2048 -ub 1024,2048 -r 5
  step 60 eager python3 "$here/eager.py" 200 40
  l=letter:batch=
  measure 120 "BF16" "$b ${l}600,contexts=1 ${l}600,contexts=2 ${l}600,contexts=3 ${l}1000,contexts=1 ${l}1000,contexts=2
    ${l}1000,contexts=3 ${l}2048,contexts=1 ${l}2048,contexts=2 ${l}2048,contexts=3 ${l}2048,spread=20,rows=384"
  measure 60 "Q8_0, f16 products" "$q ${l}1000 ${l}2048,contexts=1 ${l}2048 ${l}2048,contexts=3 ${l}4096"
  measure 60 "Q8_0, bf16 products" "$q ${l}1000 ${l}2048 ${l}4096" GGML_CUDA_CUBLAS_COMPUTE_TYPE=bf16
  if [ -f "$own" ]; then measure 60 "Q8_0, own choice" "$q ${l}2048,contexts=1 ${l}2048" LIBRARY=own; fi
  s=letter:length=64,rows=1024,batch=
  measure 60 "BF16, 64 tokens" "$b ${s}1024 ${s}1024,contexts=3 ${s}2048 ${s}2048,contexts=3" PHASES=1
  measure 60 "BF16, shared beginning" "$b shared:rows=2048,batch=1000 shared:rows=2048,batch=2048"
  measure 90 "BF16, text" "$b ${l}2048 text:rows=144 text:rows=144,contexts=3 text:rows=144,contexts=4" PHASES=1 ROUNDS=1
  measure 60 "BF16, cape" "$b cape:rows=96 cape:rows=96,contexts=3" PHASES=1 ROUNDS=1
  f=free:rows=64,words=16
  measure 60 "BF16, free" "$b $f,topk=0 $f $f,topk=4096 free:rows=128,words=16,contexts=2" PHASES=1 ROUNDS=1
  for set in UV_THREADPOOL_SIZE=4 GGML_CUDA_DISABLE_GRAPHS=1 GGML_CUDA_NO_PINNED=1 GGML_CUDA_PDL=0; do
    measure 30 "BF16, $set" "$b ${l}1000" $set
  done
  step 60 "two processes" bash "$run" together 2 $b ${l}1000,contexts=1 ${l}1000,contexts=2
  for file in $b $q; do step 60 "through a child process, $file" bash "$run" measure $file child:rows=2048; done
  step 150 "one card and all of them" env WAYS=2 bash "$run" cards $q 8192 1 1
  kernels() { step 60 "kernels of $1" env ROUNDS=1 bash "$run" kernels "kernels-$1" bash "$run" "${@:2}"; }
  kernels bench bench $b -p 2048 -n 0 -b 2048 -ub 512
  kernels letter measure $b ${l}1000
  kernels free measure $b free:rows=64,words=16
  step 60 "file 70b" bash "$run" model 70b Q4_K_M
  step 40 "llama-bench 70b" bash "$run" bench 70b-Q4_K_M -p 2048 -n 0 -b 2048 -ub 2048 -r 3
  measure 60 "70b" "70b-Q4_K_M letter:rows=64" ROUNDS=1
  for file in "$OUT"/kernels-*; do echo "--- $file"; head -14 "$file" | cut -c1-190; done
} 2>&1 | tee "$OUT/all-on-card.log"
