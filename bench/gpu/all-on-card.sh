#!/bin/bash
# Every number of gpu/README.md on one card, in one command (an hour):
#
#   CHECKOUT=FOLDER bash KIT/all-on-card.sh [SECONDS [PART...]]
#
# CHECKOUT: where this repository lies there, for the models and data sets of the demo (without it the parts `product` and
# `demo` are left out, and the library is built by run-on-card.sh). PARTS: the functions below, all of them in their order where
# none is named. Steps for which too little of SECONDS (4200) is left are left out and named. The log, lists of kernels and
# caches of the demo lie in $OUT (/tmp).
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
limit=${1:-4200}
parts=("${@:2}")
if ((${#parts[@]} == 0)); then
  parts=(unpack hidden product tools files letters readings ceiling others products tuning vulkan demo killed experts cards memory kernels seventy pack)
fi
export KIT=${KIT:-/root/kit} MODELS=${MODELS:-/dev/shm} OUT=${OUT:-/tmp} ROUNDS=${ROUNDS:-2} UV_THREADPOOL_SIZE=${UV_THREADPOOL_SIZE:-34}
run=$here/run-on-card.sh
b=8b-BF16 q=8b-Q8_0 l=letter:batch=2048

step() {
  local most=$1 name=$2 left=$((limit - SECONDS))
  shift 2
  if ((left < most / 2)); then echo "=== $SECONDS s: $name LEFT OUT"; return; fi
  echo "=== $SECONDS s: $name"
  timeout $((most < left ? most : left)) "$@" 2>&1 | grep --line-buffered -v '^$' | stdbuf -oL cut -c1-${WIDTH:-260}
}
measure() { step "$1" "$2" env "${@:4}" bash "$run" measure $3; }
bench() { step 60 "llama-bench $1${LIBRARY:+, $LIBRARY choice}" bash "$run" bench "$1" -p 2048 -n 0 -b 2048 -ub "$2" -r "${3:-5}"; }
supportcal() { step "$1" "supportcal ${*:2}" bash "$run" supportcal "${@:2}"; }

unpack() {
  nvidia-smi --query-gpu=index,name,driver_version,memory.total --format=csv,noheader
  nvcc --version | tail -1
  nproc
  step 120 unpack bash "$run" unpack "$here"
  if [ -d "$KIT/dist" ] && [ -n "${CHECKOUT:-}" ]; then bash "$run" product "$CHECKOUT"; fi
}
# What `setup-gpu` says where the compiler is missing.
hidden() {
  if [ -d "$KIT/product" ]; then step 20 "setup-gpu without nvcc" bash "$run" hidden setup-gpu; fi
}
product() {
  if [ ! -d "$KIT/product" ]; then step 600 build bash "$run" build; return; fi
  supportcal 600 setup-gpu
  supportcal 30 setup-gpu
}
tools() {
  step 60 tools bash "$run" tools
  step 60 "own choice of kernels" bash "$run" own
  step 30 "our own reader of logits" bash "$run" reader
}
files() {
  for type in Q8_0 BF16; do step 60 "file 8b $type" bash "$run" model 8b $type; done
  step 120 "file moe" bash "$run" model moe Q4_K_M
}

letters() {
  bench $b 256,512,1024,2048
  bench $q 1024,2048
  step 60 eager python3 "$here/eager.py" 200 40
  local l=letter:batch=
  measure 120 "BF16" "$b ${l}600,contexts=1 ${l}600,contexts=2 ${l}600,contexts=3 ${l}1000,contexts=1 ${l}1000,contexts=2
    ${l}1000,contexts=3 ${l}2048,contexts=1 ${l}2048,contexts=2 ${l}2048,contexts=3 ${l}2048,spread=20,rows=384"
  measure 60 "Q8_0, f16 products" "$q ${l}1000 ${l}2048,contexts=1 ${l}2048 ${l}2048,contexts=3 ${l}4096"
  measure 60 "Q8_0, bf16 products" "$q ${l}1000 ${l}2048 ${l}4096" GGML_CUDA_CUBLAS_COMPUTE_TYPE=bf16
  if [ -f "$KIT/own-choice.so" ]; then measure 60 "Q8_0, own choice" "$q ${l}2048,contexts=1 ${l}2048" LIBRARY=own; fi
  for set in UV_THREADPOOL_SIZE=4 GGML_CUDA_DISABLE_GRAPHS=1 GGML_CUDA_NO_PINNED=1 GGML_CUDA_PDL=0; do
    measure 30 "BF16, $set" "$b ${l}1000" $set
  done
  step 60 "two processes" bash "$run" together 2 $b ${l}1000,contexts=1 ${l}1000,contexts=2
}
# Readings and drawn tokens by our own reader and by the library, the rows of both compared; and without JavaScript.
readings() {
  local text=text:rows=512,contexts= free=free:words=16,rows= reader ROWS
  ROWS=$(mktemp -d)
  export ROWS
  for reader in '' 1; do
    measure 170 "BF16, ${reader:+with our own reader}" "$b letter:rows=384 cape:rows=256,plain=1 cape:rows=256,plain=1,stem=122
      ${text}2 ${text}4 ${text}6 ${text}8 ${free}64,contexts=1
      ${free}128,contexts=2 ${free}256,contexts=4 ${free}512,contexts=8 ${free}256,contexts=2,sequences=128" PHASES=1 ROUNDS=1 READER=$reader
  done
  unset ROWS
  for set in UV_THREADPOOL_SIZE=18 GGML_CUDA_NO_PINNED=1; do
    measure 60 "BF16, our own reader, $set" "$b ${text}4 ${free}256,contexts=4" PHASES=1 ROUNDS=1 READER=1 $set
  done
}
ceiling() {
  local way
  for way in "bare 1" "bare 2" "bare 4" "threads 1" "threads 2" "threads 4" "threads 2 128" "card 1" "together 1" "together 2" "readings 1"; do
    step 30 "ceiling $way" bash "$run" ceiling $b $way
  done
}
others() {
  local s=letter:length=64,rows=1024,batch= f=free:rows=64,words=16
  measure 60 "BF16, 64 tokens" "$b ${s}1024 ${s}1024,contexts=3 ${s}2048 ${s}2048,contexts=3" PHASES=1
  measure 60 "BF16, shared beginning" "$b shared:rows=2048,batch=1000 shared:rows=2048,batch=2048"
  measure 90 "BF16, text" "$b $l text:rows=144,contexts=2 text:rows=144,contexts=3 text:rows=256,contexts=4" PHASES=1 ROUNDS=1
  measure 60 "BF16, cape" "$b cape:rows=256,plain=1,stem=122 cape:rows=256,plain=1,stem=122,contexts=4" PHASES=1 ROUNDS=1 READER=1
  measure 60 "BF16, free" "$b $f,topk=0 $f $f,topk=4096 free:rows=128,words=16,contexts=2" PHASES=1 ROUNDS=1
  for file in $b $q; do measure 60 "through a child process, $file" "$file child:rows=2048" READER=1 PRODUCTS=1; done
}
# Free text of a quantised file by cuBLAS alone and with our choice of who multiplies, and up to how many tokens llama.cpp's
# own kernels are faster.
products() {
  local f=free:contexts=4,words= products library
  for products in '' 1; do
    measure 120 "Q8_0, free, ${products:+our choice}" "$q $l,rows=512 ${f}1,rows=768 ${f}48,rows=768 ${f}48,rows=1024,sequences=128" \
      ROUNDS=1 READER=1 PRODUCTS=$products
  done
  for library in cublas own; do
    step 60 "few tokens, $library" env LIBRARY=$library bash "$run" bench $q -p 64,128,192,256,512 -n 0 -b 2048 -ub 2048 -r 3
  done
}
# What the product's own search for a faster shape finds, by way of asking.
tuning() {
  if [ ! -d "$KIT/product" ]; then return; fi
  local suite
  for file in $b $q; do
    for suite in letters short texts free; do step 240 "doctor --tune, $file, $suite" bash "$run" tune $file $suite; done
    for suite in letters free; do step 120 "score, $file, $suite" bash "$run" tuned $file $suite; done
  done
}
vulkan() {
  local case=$l,rows=${VULKAN_ROWS:-96}
  measure 90 "Q8_0 on Vulkan" "$q $case,contexts=1 $case,contexts=2" BACKEND=vulkan ROUNDS=1
  step 90 "Q8_0 on Vulkan, two processes" env BACKEND=vulkan ROUNDS=1 bash "$run" together 2 $q $case,contexts=1
  measure 90 "BF16 on Vulkan" "$b $case,contexts=1" BACKEND=vulkan ROUNDS=1
}
demo() {
  if [ ! -d "$KIT/product" ]; then return; fi
  local device
  supportcal 30 doctor --suite demo --gpu cuda
  for device in ${DEVICES:-cuda vulkan off}; do
    supportcal 150 pipeline --suite demo --quiet --gpu "$device" --cache "d-$device" --out "reports/d-$device"
  done
}
# A run with CAPE's kept stems that is killed twice and resumed, against one that nobody killed.
killed() {
  if [ ! -d "$KIT/product" ]; then return; fi
  local score="score --suite demo-cape --gpu cuda --quiet" seconds
  supportcal 90 $score --cache k-whole
  for seconds in 6 10; do
    echo "=== $SECONDS s: killed after $seconds s"
    timeout -s KILL $seconds bash "$run" supportcal $score --cache k-killed > /dev/null 2>&1
    sleep 1
  done
  supportcal 90 $score --cache k-killed
  step 30 "whole and killed" bash "$run" compare k-whole k-killed
}
# A mixture of experts with cuBLAS products and with llama.cpp's own kernels, which the prebuilt binary has.
experts() {
  local library
  for library in cublas own; do
    LIBRARY=$library bench moe-Q4_K_M 512,2048 3
    measure 60 "moe, $library" "moe-Q4_K_M $l,contexts=1 $l,contexts=2" LIBRARY=$library ROUNDS=1
  done
  measure 60 "moe, our choice" "moe-Q4_K_M $l,contexts=1 $l,contexts=2" READER=1 PRODUCTS=1 ROUNDS=1
}
cards() { step 150 "one card and all of them" env WAYS=2 bash "$run" cards $q 8192 1 1; }
memory() {
  local file
  for file in ${FILES:-$b $q moe-Q4_K_M}; do measure 60 "memory of $file" "$file memory: memory:length=40"; done
}
kernels() {
  listed() { step 60 "kernels of $1" env ROUNDS=1 bash "$run" kernels "kernels-$1" bash "$run" "${@:2}"; }
  listed bench bench $b -p 2048 -n 0 -b 2048 -ub 512
  listed letter measure $b letter:batch=1000
  listed free measure $b free:rows=64,words=16
  for file in "$OUT"/kernels-*; do echo "--- $file"; head -14 "$file" | cut -c1-190; done
}
seventy() {
  step 120 "file 70b" bash "$run" model 70b Q4_K_M
  bench 70b-Q4_K_M 2048 3
  measure 60 "70b" "70b-Q4_K_M letter:rows=64 memory:" ROUNDS=1
}
# What comes back for bench/compare-caches.ts.
pack() {
  if [ -d "$KIT/product" ]; then (cd "$KIT/product" && tar -cJf "$OUT/demo-caches.tar.xz" $(ls -d d-* reports/d-*/results.json)); fi
}

{
  for part in "${parts[@]}"; do $part; done
  echo "=== $SECONDS s: end"
} 2>&1 | tee -a "$OUT/all-on-card.log"
