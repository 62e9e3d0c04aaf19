#!/bin/bash
# Packs all that the benches of a card need on a machine with CUDA's compiler but no Node and no network: Node and npm, the
# measuring programs bundled with our sources, node-llama-cpp with what it needs to build llama.cpp, and the small files of
# this folder. Three archives, about 30 MB; run-on-card.sh unpacks them.
#
#   bench/gpu/make-kit.sh OUT_FOLDER
#
# The bundle of llama.cpp inside the package is 35 MB; here are the folders of it that a build for CUDA, Vulkan or a CPU
# reads (2 MB), of which a bundle is made there, so that the public build call clones and builds it as it would the other.
set -euo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
app=$work/kit/app
mkdir -p "$app" "$work/kit/datasets" "$work/node/npm"
cd "$root"

entries=(measure=bench/gpu/measure.ts two-cards=bench/gpu/two-cards.ts start=bench/gpu/start-of-child.ts worker=src/engine/worker.ts
  llama/llama-backend=src/engine/llama/llama-backend.ts compile-addons=src/engine/library/compile-addons.ts
  compare-caches=bench/compare-caches.ts)
node_modules/.bin/esbuild "${entries[@]}" --bundle --platform=node --format=esm --splitting --outdir="$app" \
  --external:node-llama-cpp --log-level=error \
  --banner:js="import { createRequire as kitRequire } from 'node:module'; const require = kitRequire(import.meta.url);"
# What children load has node-llama-cpp's code in it, as in the product (scripts/build.mjs): it is faster to start.
node --input-type=module -e '
  import { build } from "esbuild";
  import { bundledLibrary } from "./scripts/bundle-library.mjs";
  const { external, banner, plugins } = bundledLibrary();
  const ownRequire = "import { createRequire as ownRequire } from \"node:module\"; const require = ownRequire(import.meta.url);";
  const entryPoints = ["llama-backend", "probe"].map((name) => `src/engine/llama/${name}.ts`);
  const shared = { entryPoints, outdir: process.argv[1], bundle: true, platform: "node", target: "node20", format: "esm" };
  await build({ ...shared, external, plugins, banner: { js: `${ownRequire}\n${banner}` } });
' "$app"
echo '{ "type": "module" }' > "$app/package.json"
cp datasets/demo-facts.jsonl "$work/kit/datasets/"
cp bench/gpu/*.py bench/gpu/*.mjs bench/gpu/*.sh bench/gpu/*.cpp "$work/kit/"
# The source of our own reader of logits, which is compiled where it is used.
mkdir "$work/kit/reader"
find src/engine/library -maxdepth 1 \( -name '*.cpp' -o -name '*.h' \) -exec cp {} "$work/kit/reader/" \;

tar -c -C "$work" kit | xz > "$out/app.tar.xz"

# The product as it is shipped, types left out; models and data sets lie in the checkout.
node scripts/build.mjs
tar -c --exclude='*.d.ts' dist | xz > "$out/dist.tar.xz"

# These change rarely and take longest: archives that are there already are kept.
# Binaries that node-llama-cpp brings for a CPU and for Vulkan, with the kernels of a few processors.
for name in linux-x64:cpu linux-x64-vulkan:vulkan; do
  package=node_modules/@node-llama-cpp/${name%:*}
  archive=$out/${name#*:}.tar.xz
  if [ -d "$package" ] && [ ! -f "$archive" ]; then
    kernels=()
    for each in alderlake cannonlake cooperlake ivybridge piledriver sandybridge sse42 zen4; do
      kernels+=(--exclude="libggml-cpu-$each.so")
    done
    tar -c "${kernels[@]}" --transform='s#^#kit/app/#' "$package" | xz --x86 --lzma2=preset=9e,dict=128MiB > "$archive"
  fi
done
if [ ! -f "$out/packages.tar.xz" ]; then
  packages=$work/packages/kit/app
  mkdir -p "$packages/node_modules/.bin"
  # Packages that node-llama-cpp needs, without types, maps and binaries.
  node -e '
    const fs = require("fs"), path = require("path"), root = path.resolve("node_modules"), seen = new Set();
    (function go(name, from) {
      for (let at = from; ; at = path.dirname(at)) {
        const found = path.join(at, "node_modules", name);
        if (fs.existsSync(found)) {
          if (seen.has(found)) return;
          seen.add(found);
          const { dependencies = {} } = JSON.parse(fs.readFileSync(path.join(found, "package.json")));
          for (const each of Object.keys(dependencies)) go(each, found);
          return;
        }
        if (at === path.dirname(at)) return;
      }
    })("node-llama-cpp", path.dirname(root));
    for (const found of seen) console.log(path.relative(root, found));
  ' > "$work/list"
  (cd node_modules && tar -c --exclude='*.map' --exclude='*.d.ts' --exclude='*.md' --exclude='gitRelease.bundle' \
    --exclude='localBuilds' --exclude='node-llama-cpp/templates' --exclude='node-llama-cpp/bins' \
    --exclude='node-llama-cpp/llama/llama.cpp' -T "$work/list") | tar -x -C "$packages/node_modules"
  # The build call starts it by npm, which looks for it there.
  ln -s ../cmake-js/bin/cmake-js "$packages/node_modules/.bin/cmake-js"

  git -c advice.detachedHead=false clone -q node_modules/node-llama-cpp/llama/gitRelease.bundle "$work/whole"
  source=$work/packages/kit/source
  mkdir "$source"
  git -C "$work/whole" archive HEAD CMakeLists.txt LICENSE licenses cmake common ggml include src vendor gguf-py/gguf \
    tools/CMakeLists.txt tools/llama-bench tools/quantize | tar -x -C "$source"
  for name in opencl sycl hexagon metal et webgpu openvino cann virtgpu rpc zdnn zendnn musa blas; do
    find "$source/ggml/src/ggml-$name" -mindepth 1 -maxdepth 1 ! -name CMakeLists.txt -exec rm -rf {} + 2> /dev/null || true
  done
  cp "$work/whole/models/ggml-vocab-qwen2.gguf" "$work/packages/kit/"
  tar -c -C "$work/packages" kit | xz -T2 -9 > "$out/packages.tar.xz"
fi
if [ ! -f "$out/node.tar.xz" ]; then
  tar -c -C "$(npm root -g)/npm" --exclude=docs --exclude=man --exclude='*.md' --exclude='*.map' . | tar -x -C "$work/node/npm"
  cp "$(node -p process.execPath)" "$work/node/node"
  strip "$work/node/node" 2> /dev/null || true
  tar -c -C "$work" node | xz --x86 --lzma2=preset=9e,dict=128MiB > "$out/node.tar.xz"
fi
ls -l "$out"
