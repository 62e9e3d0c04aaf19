#!/bin/bash
# The steps of a measurement on a machine with a card, CUDA's compiler and PyTorch, from the archives of make-kit.sh.
#
#   run-on-card.sh unpack FOLDER_OF_ARCHIVES    into $KIT (/root/kit)
#   run-on-card.sh product CHECKOUT             the built product (dist, from the kit) with the checkout's models and data sets
#   run-on-card.sh supportcal ARGUMENT...       its command line, as a user starts it: `supportcal setup-gpu` builds too
#   run-on-card.sh compare CACHE CACHE          compare-caches.ts, on two caches of the product
#   run-on-card.sh hidden ARGUMENT...           the same on a machine that has no CUDA compiler
#   run-on-card.sh build                        llama.cpp by node-llama-cpp's public call, cuBLAS products (5 minutes on 16
#                                               cores), and the tools
#   run-on-card.sh tools                        llama-bench and llama-quantize of the same libraries
#   run-on-card.sh reader                       our own reader of logits and choice of products, as setup-gpu compiles them;
#                                               READER=1 and PRODUCTS=1 make measure, cards and start use them
#   run-on-card.sh own                          what makes that library use llama.cpp's own choice of kernels, for comparison
#   run-on-card.sh model SHAPE TYPE             a file of random weights in $MODELS (/dev/shm)
#   run-on-card.sh bench MODEL ARGUMENT...      llama-bench
#   run-on-card.sh measure MODEL CASE...        measure.ts
#   run-on-card.sh together N MODEL CASE...     N processes of it at once, rounds in step
#   run-on-card.sh cards MODEL [ROWS [MODELS]]  two-cards.ts: one card against all
#   run-on-card.sh ceiling MODEL WAY [NUMBER...]  ceiling.cpp: what drawing and reading can reach without JavaScript
#   run-on-card.sh start MODEL [ROWS [CHILDREN]]  start-of-child.ts: what a child does before its first rows
#   run-on-card.sh tune MODEL [SUITE...]        `supportcal doctor --tune` on the suites of tune-project.mjs
#   run-on-card.sh tuned MODEL SUITE           after it: `supportcal score` in the default shape and in the one that was found
#   run-on-card.sh kernels NAME COMMAND...      any of these with kernel-times.cpp: NAME.PID has the list
#
# LIBRARY=own makes bench, measure and the others do so. BACKEND=vulkan takes the prebuilt binary of Vulkan, if the kit has it.
set -euo pipefail
export KIT=${KIT:-/root/kit} MODELS=${MODELS:-/dev/shm} OUT=${OUT:-/tmp}
here=$(cd "$(dirname "$0")" && pwd)
package=$KIT/kit/app/node_modules/node-llama-cpp
bin=$KIT/bin
export PATH=$KIT/wrap:$PATH:/usr/local/cuda/bin
# The driver's own description of its Vulkan, where the loader does not look.
vulkan=/usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json
if [ -f $vulkan ]; then export VK_DRIVER_FILES=$vulkan; fi
# How our own code is told which build to load, in the place of one that `supportcal setup-gpu` has put on record.
case ${BACKEND:-cuda}:$1 in
  cuda:supportcal | cuda:hidden | cuda:tune | cuda:tuned | *:compare | vulkan:*) ;;
  *)
    export NODE_LLAMA_CPP_CMAKE_OPTION_GGML_CUDA_FORCE_CUBLAS=ON NODE_LLAMA_CPP_CMAKE_OPTION_CMAKE_CUDA_ARCHITECTURES=${ARCH:-90}
    addon() { cd "$package/llama/localBuilds" 2> /dev/null && ls */Release/supportcal-$1-*.node 2> /dev/null | head -1 || true; }
    reader=${READER:+$(addon reader)} products=${PRODUCTS:+$(addon products)}
    export SUPPORTCAL_BUILD='{"cmake":{"GGML_CUDA_FORCE_CUBLAS":"ON","CMAKE_CUDA_ARCHITECTURES":"'${ARCH:-90}'"},"variables":{},"compiler":"CUDA"'${reader:+',"reader":"'$reader'"'}${products:+',"products":"'$products'"'}'}'
    ;;
esac
# What a worker on a card is started with (src/scoring/process/spawn-worker.ts).
export MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=33554432 MALLOC_TRIM_THRESHOLD_=2000000000 MALLOC_TOP_PAD_=268435456

built() {
  dirname "$(ls "$package"/llama/localBuilds/*/Release/llama-addon.node | head -1)"
}

# A program of ours or of llama.cpp with the libraries of the build.
link() {
  local libraries source=$KIT/kit/source
  libraries=$(built)
  g++ -O2 -DNDEBUG -std=c++20 -I"$source/common" -I"$source/include" -I"$source/ggml/include" -I"$source/vendor" "$@" \
    -L"$libraries" -Wl,-rpath,"$libraries" -Wl,--allow-shlib-undefined $(ls "$libraries"/*.so) $(find "$libraries/.." -name "*common-base*.a") -lpthread -ldl
}

# A command of the product on the project of tune-project.mjs that lies in a folder: PROJECT COMMAND SUITE CACHE ARGUMENT...
on_project() {
  node "$KIT/product/dist/main.js" "$2" --gpu "${BACKEND:-cuda}" --suite "$3" --allow-outside --models "$1/models.yaml" \
    --datasets "$1/datasets" --cache "$1/$4" "${@:5}" 2>&1
}

choose() {
  if [ "${LIBRARY:-}" = own ]; then export LD_PRELOAD=$KIT/own-choice.so; fi
}

case $1 in
  unpack)
    mkdir -p "$KIT/wrap"
    for archive in node packages app vulkan cpu dist; do
      if [ -f "$2/$archive.tar.xz" ]; then tar -xJf "$2/$archive.tar.xz" -C "$KIT" & fi
    done
    wait
    # Loaders of Vulkan, on a machine that has only the driver.
    for loader in "$2"/*.deb; do if [ -f "$loader" ]; then dpkg -x "$loader" / && ldconfig; fi; done
    # What an earlier build made, if it is there: the folder of node-llama-cpp's local builds, whole or in pieces.
    if ls "$2"/release.* > /dev/null 2>&1; then cat "$2"/release.* | tar -xJ -C "$KIT"; fi
    ln -sf "$KIT/node/node" "$KIT/wrap/node"
    printf '#!/bin/sh\nexec "%s/node/node" "%s/node/npm/bin/npm-cli.js" "$@"\n' "$KIT" "$KIT" > "$KIT/wrap/npm"
    chmod +x "$KIT/wrap/npm"
    cp "$KIT/kit/build-for-card.mjs" "$KIT/kit/app/"
    # Where the source and the headers of our own reader are looked for.
    mkdir -p "$KIT/src/engine/library" && cp "$KIT"/kit/reader/* "$KIT/src/engine/library/"
    mkdir -p "$package/llama/llama.cpp/ggml"
    cp -r "$KIT/kit/source/include" "$package/llama/llama.cpp/"
    cp -r "$KIT/kit/source/ggml/include" "$package/llama/llama.cpp/ggml/"
    mkdir -p "$KIT/python" "$bin"
    cp "$KIT"/kit/libkernel-times.so "$KIT/" 2> /dev/null || true
    if command -v git > /dev/null; then
      cd "$KIT/kit/source"
      git init -q . && git add -Af
      git -c user.name=kit -c user.email=kit@localhost commit -q -m 'the sources of the bundle'
      git bundle create -q "$package/llama/gitRelease.bundle" HEAD
      rm -f "$package/llama/llama.cpp.info.json"
    else
      # Without git the call builds what looks like its clone.
      cp -a "$KIT/kit/source" "$package/llama/llama.cpp" && mkdir "$package/llama/llama.cpp/.git"
    fi
    ;;
  product)
    mkdir -p "$KIT/product"
    cp -r "$2"/{package.json,models.yaml,models,datasets,published} "$KIT/product/"
    rm -rf "$KIT/product/dist" && mv "$KIT/dist" "$KIT/product/dist"
    ln -sfn "$KIT/kit/app/node_modules" "$KIT/product/node_modules"
    ln -sfn "$KIT/src" "$KIT/product/src"
    ;;
  supportcal)
    cd "$KIT/product"
    exec node dist/main.js "${@:2}"
    ;;
  tune)
    place=$KIT/tune-$2
    if [ ! -d "$place" ]; then node "$KIT/kit/tune-project.mjs" "$place" "$MODELS/m-$2.gguf" "${ROWS:-4096}"; fi
    cd "$KIT/product"
    for suite in "${@:3}"; do
      echo "--- $2, $suite"
      time on_project "$place" doctor "$suite" "cache-$suite" --tune |
        sed -un '/^tuning/p; /^shapes of evaluation/,/^$/p'
      cat "$place/cache-$suite/tuned.json"
    done
    ;;
  tuned)
    place=$KIT/tuned-$2-$3
    node "$KIT/kit/tune-project.mjs" "$place" "$MODELS/m-$2.gguf" "${ROWS:-1024}"
    mkdir -p "$place/found"
    cp "$KIT/tune-$2/cache-$3/tuned.json" "$place/found/"
    cd "$KIT/product"
    for shape in default found; do
      echo "--- $2, $3, $shape"
      time on_project "$place" score "$3" "$shape" | sed -un '/done in/p'
    done
    ;;
  compare)
    cd "$KIT/product"
    node "$KIT/kit/app/compare-caches.js" "$2" "$3"
    ;;
  hidden)
    # In a view of the files of its own, where the folder that CUDA's compiler lies in is empty.
    compiler=$(dirname "$(readlink -f "$(command -v nvcc)")")
    KIT=$KIT unshare -m bash -c 'mount -t tmpfs none "$0" && exec bash "$@"' "$compiler" "$here/$(basename "$0")" supportcal "${@:2}"
    ;;
  build)
    cd "$KIT/kit/app"
    node build-for-card.mjs cuda
    bash "$here/$(basename "$0")" tools
    ;;
  tools)
    source=$KIT/kit/source
    cd "$KIT"
    for tool in llama-bench quantize; do
      link "$source/tools/$tool/main.cpp" "$source/tools/$tool/$tool.cpp" -o "$bin/$tool" ||
        echo "$tool could not be built"
    done
    ls -l "$(built)" "$bin"
    ;;
  reader)
    cd "$KIT/kit/app"
    node --input-type=module -e '
      import { compileProducts, compileReader } from "./compile-addons.js";
      const [release, libraries] = process.argv.slice(1);
      for (const compile of [compileReader, compileProducts]) console.log(await compile(release, libraries.split("/").at(-2)));
    ' "$(node -p "require('$package/package.json').version")" "$(built)"
    ;;
  own)
    g++ -O2 -shared -fPIC "$KIT/kit/own-choice.cpp" -o "$KIT/own-choice.so"
    ;;
  model)
    PYTHONPATH=$KIT/kit/source/gguf-py MALLOC_ARENA_MAX= python3 "$here/random-model.py" "$KIT/kit/ggml-vocab-qwen2.gguf" \
      "$MODELS/m-$2-$3.gguf" "$2" "$3"
    ls -l "$MODELS/m-$2-$3.gguf"
    ;;
  bench)
    choose
    "$bin/llama-bench" -m "$MODELS/m-$2.gguf" -fa 1 "${@:3}"
    ;;
  measure)
    choose
    node ${NODE_FLAGS:-} "$KIT/kit/app/measure.js" "$MODELS/m-$2.gguf" "${BACKEND:-cuda}" "${@:3}"
    ;;
  cards)
    choose
    node "$KIT/kit/app/two-cards.js" "$MODELS/m-$2.gguf" "${BACKEND:-cuda}" "${@:3}"
    ;;
  ceiling)
    if [ ! -f "$bin/ceiling" ]; then link -O3 -march=native -ffast-math "$KIT/kit/ceiling.cpp" -o "$bin/ceiling"; fi
    cd "$(built)"
    "$bin/ceiling" "$MODELS/m-$2.gguf" "${@:3}"
    ;;
  start)
    choose
    node "$KIT/kit/app/start.js" "$MODELS/m-$2.gguf" "${BACKEND:-cuda}" "${@:3}"
    ;;
  together)
    export BARRIER=$(mktemp -d) PROCESSES=$2
    choose
    for n in $(seq "$2"); do bash "$0" measure "${@:3}" | sed "s/^/process $n of $2: /" & done
    wait
    ;;
  kernels)
    if [ ! -f "$KIT/libkernel-times.so" ]; then
      header=$(find / -name cupti.h -not -path '/proc/*' 2> /dev/null | head -1)
      include=$(dirname "$header")
      record=$(grep -o 'CUpti_ActivityKernel[0-9]*' "$include/cupti_activity.h" | sort -V | tail -1)
      library=$(find "$include/.." / -name 'libcupti.so*' -not -path '/proc/*' 2> /dev/null | head -1)
      g++ -O2 -shared -fPIC -DKERNEL="$record" -I"$include" -I/usr/local/cuda/include "$KIT/kit/kernel-times.cpp" \
        "$library" -Wl,-rpath,"$(dirname "$library")" -o "$KIT/libkernel-times.so"
    fi
    export CUDA_INJECTION64_PATH=$KIT/libkernel-times.so KERNEL_TIMES=$OUT/$2
    "${@:3}"
    ;;
esac
